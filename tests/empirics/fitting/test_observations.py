"""Bad tables are refused with the line and what was expected; on request bad rows are left out and named."""

from __future__ import annotations

import numpy as np
import pytest

from empirics.fitting.observations import Observations, from_columns
from theory import JointMoELaw, SeparableLaw
from theory.errors import MoelawsError

TABLE = {"N": ["1e8", "2e8", "4e8"], "D": ["1", "2.5", "5"], "loss": ["3.1", "2.9", "2.7"]}
COLUMNS = {"parameters": "N", "tokens": "1e9*D"}


def read(**changed):
    return from_columns(SeparableLaw, {**TABLE, **changed}, COLUMNS, where="runs.csv")


def test_columns_are_named_and_multiplied():
    runs = read()
    assert runs.inputs["tokens"].tolist() == [1e9, 2.5e9, 5e9]
    assert runs.flops().tolist() == [6e17, 3e18, 1.2e19]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"N": ["1e8", "0", "4e8"]}, "line 3: parameters is 0; expected a positive number of parameters"),
        ({"D": ["1", "2", "-5"]}, "line 4: tokens is -5e.09; expected a positive number"),
        ({"loss": ["nan", "2", "2"]}, "line 2: the loss is nan, so the run diverged or was not recorded"),
        ({"loss": ["3", "2", "0"]}, "line 4: the loss is 0; expected a positive number of nats"),
        ({"N": ["125M", "2e8", "4e8"]}, "line 2: parameters is '125M'; expected a number"),
        ({"N": ["", "2e8", "4e8"]}, "line 2: parameters is ''"),
    ],
)
def test_a_bad_row_is_named_with_its_line(changed, said):
    with pytest.raises(MoelawsError, match=said):
        read(**changed)


def test_bad_rows_are_left_out_on_request():
    table = {**TABLE, "loss": ["3.1", "nan", "2.7"]}
    runs = from_columns(SeparableLaw, table, COLUMNS, skip_bad=True)
    assert len(runs) == 2
    assert "left out line 3: the loss is nan" in runs.remarks()[0]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"parameters": "N", "tokens": "tok"}, "no column 'tok' for tokens"),
        ({"parameters": "N"}, "no column 'tokens'"),
        ({"parameter": "N", "tokens": "D"}, "parameter is no input of SeparableLaw.*parameters"),
        ({"parameters": "N", "tokens": "x*D"}, "expected COLUMN or NUMBER"),
    ],
)
def test_a_wrong_map_is_named(columns, said):
    with pytest.raises(MoelawsError, match=said):
        from_columns(SeparableLaw, TABLE, columns)


def test_an_expansion_below_one_is_refused():
    inputs = {"active_parameters": np.array([1e8]), "tokens": np.array([1e9]), "expansion": np.array([0.5])}
    with pytest.raises(MoelawsError, match=r"row 1: expansion is 0.5; expected at least 1"):
        Observations(JointMoELaw, inputs, np.array([3.0]))


def test_repeated_inputs_and_too_few_rows_are_remarked():
    said = " ".join(read(N=["1e8"] * 3, D=["1"] * 3).remarks())
    assert "parameters takes 1 value;" in said
    assert "2 rows repeat the inputs of another" in said
    assert "3 rows for 5 coefficients" in said
