"""Which law is which other one where part of it is switched off."""

from __future__ import annotations

__all__ = [
    "joint_law_of_dense_models",
    "looped_law_of_one_loop",
    "looped_moe_of_one_loop",
    "repeated_law_of_one_pass",
]

from typing import TypeVar

import sympy as sp

from theory.laws.joint_moe import REFERENCE, JointMoELaw
from theory.laws.looped import LoopedLaw
from theory.laws.looped_moe import LoopedMoELaw
from theory.laws.repeated import RepeatedDataLaw, worth
from theory.laws.separable import SeparableLaw
from theory.relation import Relation, eq
from theory.statement import Source, Statement, Step

_N, _D, _E, _s, _share, _R, _more = sp.symbols("N D E s share R more", positive=True)


def _nested(name: str, words: str, relation: Relation, source: str) -> Statement:
    return Statement(
        name=name, words=words, conclusion=relation, source=Source(source), steps=(Step(words, relation),)
    )


_Joint = TypeVar("_Joint", bound=JointMoELaw)


def _with_published_signs(kind: type[_Joint]) -> _Joint:
    """The law on positive symbols, a minus before those whose published value has one, E_max above E_start."""
    symbols = {q.name: sp.Symbol(q.name, positive=True) for q in kind.coefficients()}
    for name in ("alpha", "delta", "beta", "zeta"):
        symbols[name] = -symbols[name]
    return kind(**symbols | {"E_max": symbols["E_start"] + sp.Symbol("E_excess", positive=True)})


_joint = _with_published_signs(JointMoELaw)
_start = _joint.E_start
_dense = SeparableLaw(
    m=_joint.a * sp.exp(_joint.delta * sp.log(_start)),
    u=-(_joint.alpha + _joint.gamma * sp.log(_start)),
    n=_joint.b * sp.exp(_joint.omega * sp.log(_start)),
    v=-(_joint.beta + _joint.zeta * sp.log(_start)),
    floor=_joint.c,
)
joint_law_of_dense_models = _nested(
    "joint_law_of_dense_models",
    "with one expert the joint MoE law is a separable law",
    eq(sp.Subs(_joint.loss(_N, _D, _E), _E, sp.Integer(1)), _dense.loss(_N, _D)),
    REFERENCE,
)

_looped = LoopedLaw(**{q.name: sp.Symbol(q.name, positive=True) for q in LoopedLaw.coefficients()})
looped_law_of_one_loop = _nested(
    "looped_law_of_one_loop",
    "with one loop the looped law is the separable one, whatever share is looped",
    eq(
        sp.Subs(_looped.loss(_N, _D, _share, _R), _R, sp.Integer(1)),
        SeparableLaw(_looped.m, _looped.u, _looped.n, _looped.v, _looped.floor).loss(_N, _D),
    ),
    "arXiv 2604.21106",
)

_looped_moe = _with_published_signs(LoopedMoELaw)
looped_moe_of_one_loop = _nested(
    "looped_moe_of_one_loop",
    "with one loop the looped MoE law is the joint MoE law",
    eq(
        sp.Subs(_looped_moe.loss(_N, _D, _E, _s, _share, _R), _R, sp.Integer(1)),
        _looped_moe.unlooped().loss(_N, _D, _E),
    ),
    "arXiv 2609.40316",
)

_repeated = RepeatedDataLaw(
    **{q.name: sp.Symbol(q.name, positive=True) for q in RepeatedDataLaw.coefficients()}
)
repeated_law_of_one_pass = _nested(
    "repeated_law_of_one_pass",
    "with no token repeated and no parameter in excess the repeated-data law is the separable one",
    eq(
        sp.Subs(
            _repeated.unrepeated().loss(worth(_N, _more, _repeated.R_N), worth(_D, _more, _repeated.R_D)),
            _more,
            sp.Integer(0),
        ),
        _repeated.unrepeated().loss(_N, _D),
    ),
    "Muennighoff et al. 2023, arXiv 2305.16264",
)
