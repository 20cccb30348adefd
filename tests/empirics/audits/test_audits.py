"""Each audit finds the fault it is for in a real or planted case, and says nothing of the sound one beside it."""

from __future__ import annotations

import csv
import os
import tomllib
from pathlib import Path

import numpy as np
import pytest

from empirics.audits.publication import AUDITS, Weight, numeral, read_publication
from theory.errors import MoelawsError

JMSL = """
law = "JointMoELaw"
formula = "{formula}"
[inputs]
expansion = 8
[coefficients]
a = "35.91"
alpha = "-0.1889"
delta = "-0.2285"
gamma = "0.0098"
b = "35.98"
beta = "-0.1775"
omega = "0.5529"
zeta = "-0.0259"
E_start = "2.0732"
E_max = "290.4521"
c = "1.3637"
"""
SEPARABLE = """
law = "SeparableLaw"
{more}
[coefficients]
m = "{m}"
u = "{u}"
n = "{n}"
v = "{v}"
floor = "{floor}"
{tables}
"""
HOFFMANN = {"m": "406.4", "u": "0.34", "n": "410.7", "v": "0.28", "floor": "1.69"}
CLARK = """
law = "ClarkLaw"
[coefficients]
a = "-0.082"
b = "-0.108"
c = "0.009"
d = "1.104"
E_start = "1.847"
E_max = "314.478"
[runs]
table = "runs.csv"
active_parameters = "dense_parameter_count"
expansion = "num_experts"
loss = "loss_validation"
"""


def audit(text, folder=Path()):
    return read_publication(tomllib.loads(text), "law.toml", folder).audit()


def separable(more="", tables="", **printed):
    return SEPARABLE.format(more=more, tables=tables, **{**HOFFMANN, **printed})


def said(findings, name):
    return [finding.text for finding in findings if finding.audit == name]


def public(folder, name):
    path = Path(os.environ.get("MOELAWS_DATA", ""), folder, name)
    if "MOELAWS_DATA" not in os.environ or not path.is_file():
        pytest.skip(f"MOELAWS_DATA names no folder with {folder}/{name}")
    return path


def test_a_sound_law_has_nothing_to_answer_for():
    assert audit(separable()) == []
    assert {a.name for a in AUDITS.values()} >= {"stuck-at-start", "allocation", "formula", "log-base"}


@pytest.mark.parametrize(
    ("m", "found"), [("148.4", 1), ("148.6", 0), ("403.4", 1), ("406.4", 0), ("12.18", 1)]
)
def test_a_coefficient_that_prints_as_a_power_of_e_is_suspected(m, found):
    texts = said(audit(separable(m=m)), "stuck-at-start")
    assert len(texts) == found
    assert all("by chance" in text for text in texts)


def test_a_round_number_among_longer_ones_is_suspected():
    assert "m = 500" in said(audit(separable(m="500.0")), "stuck-at-start")[0]


PRINTED = "(mu*m/(nu*n))**(1/(mu+nu)) * (C/6)**(nu/(mu+nu))"
RIGHT = "(mu*m/(nu*n))**(-1/(mu+nu)) * (C/6)**(nu/(mu+nu))"


def test_the_sign_of_equation_7_of_the_joint_law_is_found():
    [text] = said(audit(JMSL.format(formula=PRINTED)), "formula")
    assert "a minus before the exponent 1 / (mu + nu) repairs it" in text
    assert said(audit(JMSL.format(formula=RIGHT)), "formula") == []


def test_a_size_in_flops_per_token_is_told_from_parameters():
    """M = 0.1715 C^0.5243 and D = 5.8316 C^0.4757 (DeepSeek LLM, arXiv 2401.02954): 1/(a b) is 1."""
    tables = '[allocation]\na = "{}"\np = "0.5243"\nb = "{}"\nq = "0.4757"'
    [text, *_] = said(audit(separable(tables=tables.format("0.1715", "5.8316"))), "allocation")[-1:]
    assert "FLOPs per token and not parameters" in text
    sixth = said(audit(separable(tables=tables.format("0.1715", "0.97183"))), "allocation")
    assert any("at 6 FLOPs for each" in text for text in sixth)


def test_an_allocation_that_the_coefficients_contradict_is_found():
    tables = '[allocation]\na = "0.6"\np = "{}"\nb = "0.28"\nq = "{}"'
    contradicted = [
        f for f in audit(separable(tables=tables.format("0.73", "0.27"))) if f.weight is Weight.CONTRADICTION
    ]
    assert "the optimal size grow as C^" in contradicted[0].text
    sound = audit(separable(tables=tables.format("0.452", "0.548")))
    assert not [f for f in sound if f.weight is Weight.CONTRADICTION]
    assert (
        "together as C^1.1" in said(audit(separable(tables=tables.format("0.60", "0.50"))), "allocation")[0]
    )


def test_a_ratio_that_moves_is_no_constant():
    [text] = said(audit(separable(more="constant_ratio = [1e19, 1e25]")), "constant-ratio")
    assert "move it from 32.1 at 1e+19 FLOPs to 122 at 1e+25" in text
    same = separable(more="constant_ratio = [1e19, 1e25]", u="0.34", v="0.34")
    assert said(audit(same), "constant-ratio") == []


def test_exponents_of_an_allocation_are_told():
    assert "add up to 1" in said(audit(separable(u="0.46", v="0.54")), "exponents-of-what")[0]


@pytest.fixture
def points(tmp_path):
    rows = list(
        csv.DictReader(public("epoch_chinchilla", "epoch_chinchilla_NDL.csv").read_text().splitlines())
    )
    kept = [(row["N"], row["D"], row["loss"]) for row in rows if row["kept_240"] == "True"]
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("parameters", "tokens", "loss"), *kept])
    return tmp_path


def test_narrow_intervals_and_rounded_coefficients_of_hoffmann(points):
    tables = '[intervals]\nsize_exponent = [0.454, 0.455]\n[runs]\ntable = "runs.csv"'
    found = audit(separable(tables=tables), points)
    [narrow] = said(found, "narrow-interval")
    assert "size_exponent is printed as [0.454, 0.455]; 240 runs" in narrow
    assert "times as wide" in narrow
    fitted = {"m": "477.8229", "u": "0.347310", "n": "2143.426", "v": "0.367173", "floor": "1.817218"}
    wide = '[intervals]\nsize_exponent = [0.47, 0.55]\n[runs]\ntable = "runs.csv"'
    assert audit(separable(tables=wide, **fitted), points) == []


def test_coefficients_that_lost_their_digits_are_found(tmp_path):
    draws = np.random.default_rng(0)
    size, tokens = 10 ** draws.uniform(7, 10, 60), 10 ** draws.uniform(9, 11.5, 60)
    loss = (420 * size**-0.3392 + 410 * tokens**-0.2849 + 1.69) * np.exp(0.002 * draws.standard_normal(60))
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("parameters", "tokens", "loss"), *zip(size, tokens, loss, strict=True)])
    tables = '[runs]\ntable = "runs.csv"'
    [text] = said(
        audit(separable(tables=tables, m="420", u="0.34", n="410", v="0.28"), tmp_path), "residuals"
    )
    assert "times less" in text
    full = separable(tables=tables, m="420", u="0.3392", n="410", v="0.2849")
    assert said(audit(full, tmp_path), "residuals") == []


def test_the_logarithms_of_clark_are_to_base_10(tmp_path):
    path = public("deepmind_routing", "final_step249000.csv")
    rows = [
        r
        for r in csv.DictReader(path.read_text().splitlines())
        if r["router_type"] == "S-Base" and r["k"] == "1"
    ]
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    [text] = said(audit(CLARK, tmp_path), "log-base")
    assert text.startswith("with logarithms to base 10 the coefficients fit")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("law = 'Nothing'", "expected one of"),
        ("coefficient = 1", "unknown 'coefficient'.*Did you mean coefficients"),
        (separable().replace('m = "406.4"', "m = 406.4"), "expected a text in quotes"),
        (separable(m="x"), "expected a number as printed"),
        (separable(m="-1"), "positive"),
        (separable(more="constant_ratio = 20"), "expected .least FLOPs, most FLOPs."),
        (separable(more="formula = 'a b'"), "not a formula"),
        (separable(more="formula = 'N*2'"), "no 'N'; known are m, u"),
        (separable(more="formula = '__import__(1)'"), "is none of number, name"),
        (separable(tables="[intervals]\nx = [1, 2]"), "of a coefficient or of size_exponent"),
        (separable(tables="[allocation]\na = '1'"), "expected a, p of size"),
        (separable(tables='[allocation]\na = "-1"\np = "0.5"\nb = "1"\nq = "0.5"'), "allocation.a = '-1'"),
        (JMSL.format(formula="C").replace("expansion = 8", ""), "expected expansion"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_error(text, said):
    with pytest.raises(MoelawsError, match=said):
        audit(text)


def test_a_printed_number_keeps_its_digits():
    assert numeral("0.3400", "u").half == pytest.approx(5e-5)
    assert numeral("1.2e9", "m").ends == (1.15e9, 1.25e9)
    assert numeral("148.4", "m").digits == 4
