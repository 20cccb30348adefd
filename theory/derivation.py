"""Derivations from named hypotheses to an exponent, under the bound as stated and under its repairs.

A derivation joins two proofs of one result: the statements of this package,
whose steps keep every constant and are checked as identities, and the calculus
of rates, which drops constants but proves that no other choice of sizes does
better. `derive` gives one by the name of its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy as sp

from theory.rates import OptimalRate, minimise
from theory.statement import Relation, Statement, eq, statements
from theory.symbols import C, D, M, N, beta, d, k, n

_A = 2 * beta / d
_PATTERNS = k * sp.log(sp.E * M / k)
_BRANCHES = sp.Min(k**-_A, M**-_A)
_AT_MOST_ALL = Relation(k, "<=", M)
_SIZES = "constant depth, width, expert size and sequence length: N_act of order k, N_tot of order M"


@dataclass(frozen=True)
class Setting:
    """A reading of the bound: the hypotheses that it adds, in words, and the minimisation it leads to."""

    words: str
    solve: Callable[[], OptimalRate]


def _bound(entropy: sp.Expr, **arguments: object) -> Callable[[], OptimalRate]:
    return lambda: minimise(_BRANCHES + entropy / n, (k, M), given=n, subject_to=[_AT_MOST_ALL], **arguments)


def _computed(budget: sp.Expr) -> Callable[[], OptimalRate]:
    bound = _BRANCHES + (M + _PATTERNS) / D
    return lambda: minimise(bound, (k, M, D), given=C, subject_to=[eq(budget, C), _AT_MOST_ALL])


SETTINGS: Mapping[str, Mapping[str, Setting]] = {
    "alpha_N": {
        "as-stated": Setting("unlimited data", lambda: minimise(N**-_A, (), given=N)),
    },
    "alpha_D": {
        "as-stated": Setting(
            "N active parameters, M/k fixed; routing term dropped",
            lambda: minimise(N**-_A + N / n, N, given=n),
        ),
        "active-entropy": Setting(
            f"M free, entropy N_act plus routing, as the paper has it; {_SIZES}", _bound(k + _PATTERNS)
        ),
        "total-entropy": Setting(
            f"M free, entropy repaired to N_tot plus routing; {_SIZES}", _bound(M + _PATTERNS)
        ),
    },
    "alpha_C": {
        "as-stated": Setting(
            "N active parameters, M/k fixed; compute N D",
            lambda: minimise(N**-_A + N / D, (N, D), given=C, subject_to=[eq(N * D, C)]),
        ),
        "total-compute": Setting(
            f"M free, entropy repaired, compute counted on total parameters; {_SIZES}", _computed(M * D)
        ),
        "active-compute": Setting(
            f"M free, entropy repaired, compute counted on active parameters; {_SIZES}", _computed(k * D)
        ),
    },
}
"""Result -> reading -> its minimisation. The first reading of each is the default."""

_STATEMENT_OF = {"alpha_N": "model_exponent", "alpha_D": "data_exponent", "alpha_C": "compute_exponent"}


@dataclass(frozen=True)
class Derivation:
    """Hypotheses, steps and result; ``optimum`` is the same result from the calculus of rates, where it applies."""

    name: str
    chain: tuple[Statement, ...]
    setting: str = ""
    optimum: OptimalRate | None = None

    @property
    def conclusion(self) -> Statement | None:
        return self.chain[-1] if self.chain else None

    def text(self) -> str:
        """The derivation as it would be read aloud, hypotheses first."""
        parts = [statement.explain() for statement in self.chain]
        if self.optimum is not None:
            parts.append(f"{self.name} by the calculus of rates ({self.setting})\n{self.optimum.explain()}")
        return "\n\n".join(parts)

    def relations(self) -> list[tuple[str, Relation]]:
        """Every step with its reason, in the order of use, the conclusions among them."""
        found = []
        for statement in self.chain:
            found += [(step.words, step.relation) for step in statement.steps]
            found.append((statement.words, statement.conclusion))
        return found

    def latex(self) -> str:
        """An ``align*`` environment, one line a step."""
        lines = [rf"{r.latex()} && \text{{{_escaped(words)}}} \\" for words, r in self.relations()]
        if self.optimum is not None:
            lines.append(rf"{self.optimum._repr_latex_().strip('$')} && \text{{optimum}} \\")
        return "\n".join([r"\begin{align*}", *lines, r"\end{align*}"])

    def check(self) -> bool:
        """Whether the certificate of the optimum passes its second reading; the steps are checked by ``verify``."""
        return self.optimum is None or bool(self.optimum.check())

    def __repr__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        return self.latex()


def _escaped(words: str) -> str:
    """Words for LaTeX's text mode."""
    special = {
        "^": r"\textasciicircum{}",
        "_": r"\_",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "<": r"$<$",
        ">": r"$>$",
    }
    return "".join(special.get(character, character) for character in words)


def derivable() -> list[str]:
    """The names that `derive` knows: the exponents and every statement."""
    return [*SETTINGS, *sorted(statements())]


def derive(name: str, under: str = "") -> Derivation:
    """The derivation of an exponent (``alpha_N``, ``alpha_D``, ``alpha_C``) or of any statement by its name.

    ``under`` names a reading of the bound, such as ``total-entropy``;
    the default is the bound as stated. Raises ValueError for an unknown name, with
    the known ones.
    """
    known = statements()
    if name in SETTINGS:
        settings = SETTINGS[name]
        chosen = under or next(iter(settings))
        if chosen not in settings:
            raise ValueError(f"derive({name!r}, under={under!r}): expected one of {', '.join(settings)}")
        setting = settings[chosen]
        chain = _chain(known[_STATEMENT_OF[name]]) if chosen == next(iter(settings)) else ()
        return Derivation(name, chain, setting.words, setting.solve())
    if under:
        raise ValueError(
            f"derive({name!r}, under={under!r}): only {', '.join(SETTINGS)} have readings to choose from"
        )
    if name not in known:
        raise ValueError(f"derive({name!r}): expected one of {', '.join(derivable())}")
    return Derivation(name, _chain(known[name]))


def _chain(statement: Statement) -> tuple[Statement, ...]:
    """The statement after all that it uses, each once."""
    found: dict[str, Statement] = {}

    def visit(current: Statement) -> None:
        for used in current.uses:
            visit(used)
        found.setdefault(current.name, current)

    visit(statement)
    return tuple(found.values())
