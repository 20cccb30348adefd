"""Bounds in numbers: three arithmetics agree, and which published models saw enough data for a bound to say anything."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.bounds.formula import BOUNDS
from theory.bounds.setting import RegressionSetting
from theory.models.architecture import MoETransformer
from theory.models.published import published_model, published_models
from verify.checks.bounds import BoundBelow, BoundCase, NumericIsBall
from verify.judging.theory_claims.paper import theory
from verify.verdicts import Verdict

_SMALL = MoETransformer(layers=1, d_model=4, d_ff=8, experts=3, active=2, heads=2, shared_experts=1)
_PAPER = MoETransformer(layers=4, d_model=512, d_ff=512, experts=8, active=2, heads=4)
_ROUGH = RegressionSetting(
    beta="2.5",
    dimension=2,
    holder="0.7",
    noise="0.3",
    clip=2,
    kappa="0.05",
    radius=3,
    tau="best",
    delta="0.01",
)
CASES = (
    BoundCase(_SMALL, 16, 1000),
    BoundCase(_SMALL, 16, 10**9, _ROUGH),
    BoundCase(_PAPER, 256, 3125),
    BoundCase(published_model("mixtral-8x7b"), 32_768, 10**8, RegressionSetting(tau="best")),
    BoundCase(published_model("olmoe-1b-7b"), 4096, 10**18, RegressionSetting(dimension=4, kappa="0.02")),
)

for _name, _bound in BOUNDS.items():
    theory.claim(
        f"bounds/{_name}/numeric-is-ball",
        f"at {len(CASES)} given cases the bound {_name} in floats and in mpmath lies in its enclosure by balls, term by term",
        where=_bound.statement.name,
        check=NumericIsBall(_name, CASES, uses=(_bound.statement,)),
        control=True,  # that evaluators agree tests them, and says nothing about the bound
        mutants={"one sequence more": {"cases": CASES[:1], "more_samples": 1}},
    )

# Trained on enough? At the length of their training sequences only one of the models is on the other side

_ENOUGH = {"qwen3-30b-a3b"}
for _name, _model in published_models().items():
    if _model.training_tokens is None:
        continue
    _seen, _less, _more = (
        BoundCase(_model, _model.sequence, int(factor * (_model.training_tokens // _model.sequence)))
        for factor in (1, Fraction(1, 10), 1000)
    )
    _check = BoundBelow("stated", _seen, uses=(BOUNDS["stated"].statement,))
    _says: dict[str, Any] = (
        {"mutants": {"a tenth of the data": {"case": _less}}}
        if _name in _ENOUGH
        else {
            "expect": Verdict.REFUTED,
            "headline": "The bound as stated is above the trivial risk for all published models but one",
            "because": "The bound divides active parameters by sequences, not by tokens, and the model has more active "
            "parameters than it saw sequences, or nearly as many.",
            "repairs": {"a thousand times the data": {"case": _more}},
        }
    )
    theory.claim(
        f"bounds/stated/{_name}",
        f"the bound as stated, all constants 1, says something about {_model.title} on its {_model.printed_tokens} training tokens",
        where=f"bound_as_stated; {_model.source}",
        reading=f"d = 32 and beta = 1, trivial risk 1; sequences of {_model.sequence} tokens, as in training",
        check=_check,
        **_says,
    )
