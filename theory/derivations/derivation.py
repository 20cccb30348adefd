"""Derivations from named hypotheses to an exponent, under the bound as stated and under its repairs.

A derivation joins two proofs of one result: the statements of this package,
whose steps keep every constant and are checked as identities, and the calculus
of rates, which drops constants but proves that no other choice of sizes does
better. `derive` gives one by the name of its result: an exponent, an optimal size, an identity
between exponents, or any statement.
"""

from __future__ import annotations

__all__ = ["Derivation", "derivable", "derive", "readings_of"]

from dataclasses import dataclass

import sympy as sp

from theory.derivations.setting import DERIVABLE, IDENTITIES, DerivationSetting
from theory.errors import MoelawsError, meant, suggest
from theory.rates import OptimalRate
from theory.relation import Relation, eq
from theory.statement import Statement, statements
from theory.vocabulary import to_latex


@dataclass(frozen=True)
class Exponent:
    """One exponent as an identity uses it: its symbol, the reading, and the optimum that it comes from."""

    symbol: sp.Symbol
    setting: DerivationSetting
    optimum: OptimalRate

    @property
    def value(self) -> sp.Expr:
        """The exponent as a positive number: how fast the bound falls."""
        return sp.simplify(-self.optimum.power)


@dataclass(frozen=True)
class Derivation:
    """Hypotheses, steps and result; ``optimum`` is the same result from the calculus of rates, where it applies.

    ``size`` is the size whose growth is the result, None where the minimum itself is. ``exponents`` are those of
    an identity between exponents, and ``identity`` is the identity with their values put in.
    """

    name: str
    chain: tuple[Statement, ...]
    setting: str = ""
    optimum: OptimalRate | None = None
    size: sp.Symbol | None = None
    exponents: tuple[Exponent, ...] = ()
    identity: Relation | None = None

    @property
    def conclusion(self) -> Statement | None:
        return self.chain[-1] if self.chain else None

    @property
    def result(self) -> sp.Expr | None:
        """The rate that is the result, up to constants: of the minimum, or of the size; None without an optimum."""
        if self.optimum is None:
            return None
        return self.optimum.value if self.size is None else self.optimum.argmin.get(self.size)

    @property
    def holds(self) -> bool | None:
        """Whether the identity is true under this reading; None where there is none."""
        if self.identity is None:
            return None
        return bool(sp.simplify(self.identity.lhs - self.identity.rhs) == 0)

    def text(self) -> str:
        """The derivation as it would be read aloud, hypotheses first."""
        parts = [statement.explain() for statement in self.chain]
        if self.optimum is not None:
            parts.append(f"{self.name} by the calculus of rates ({self.setting})\n{self.optimum.explain()}")
        for exponent in self.exponents:
            parts.append(
                f"{exponent.symbol} = {exponent.value} by the calculus of rates ({exponent.setting.words})\n"
                f"{exponent.optimum.explain()}"
            )
        if self.identity is not None:
            parts.append(f"{self.name}: {self.sentence()}")
        return "\n\n".join(parts)

    def sentence(self) -> str:
        """Whether the identity holds, and if not by how much its sides differ."""
        assert self.identity is not None
        if self.holds:
            return f"holds under this reading, both sides are {self.identity.lhs}"
        apart = sp.factor(self.identity.lhs - self.identity.rhs)
        return f"does not hold under this reading: {self.identity.lhs} is not {self.identity.rhs}; they differ by {apart}"

    def relations(self) -> list[tuple[str, Relation]]:
        """Every step with its reason, in the order of use, the conclusions among them."""
        found = []
        for statement in self.chain:
            found += [(step.words, step.relation) for step in statement.steps]
            found.append((statement.words, statement.conclusion))
        if self.optimum is not None and self.result is not None:
            symbol = sp.Symbol(self.name if self.size is not None else "risk", positive=True)
            found.append((f"optimum, constants left out: {self.setting}", eq(symbol, self.result)))
        for exponent in self.exponents:
            found.append((exponent.setting.words, eq(exponent.symbol, exponent.value)))
        if self.identity is not None:
            identity = self.identity if self.holds else Relation(self.identity.lhs, "!=", self.identity.rhs)
            found.append(("the identity" if self.holds else "the identity fails", identity))
        return found

    def latex(self) -> str:
        """An ``align*`` environment, one line a step."""
        lines = [
            rf"{r.latex() if r.value is None else to_latex(r.value)} && \text{{{_escaped(words)}}} \\"
            for words, r in self.relations()
        ]
        return "\n".join([r"\begin{align*}", *lines, r"\end{align*}"])

    def check(self) -> bool:
        """Whether the certificates of all optima pass their second reading; the steps are checked by ``verify``."""
        optima = [o for o in (self.optimum, *(e.optimum for e in self.exponents)) if o is not None]
        return all(bool(optimum.check()) for optimum in optima)

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
    """The names that `derive` knows: exponents, optimal sizes and every statement."""
    return [*DERIVABLE, *sorted(statements())]


def readings_of(name: str) -> list[str]:
    """The readings that ``derive(name, under=...)`` knows, the default first; empty where there is no choice."""
    if name in DERIVABLE:
        return [*DERIVABLE[name].settings]
    return [*IDENTITIES[name].readings] if name in IDENTITIES else []


def derive(name: str | sp.Symbol | Statement, under: str = "") -> Derivation:
    """The derivation of an exponent (``alpha_N``, ``alpha_D``, ``alpha_C``), of an optimal size (``N_star``,
    ``D_star``, ``k_star``, ``M_star``), or of any statement, each by its name or as it stands.

    ``under`` names a reading of the bound, such as ``total-entropy``; the default is the bound as stated. An
    identity between exponents is derived under a reading by deriving each exponent, and may turn out not to
    hold. Raises ValueError for an unknown name, with the nearest, or reading, with the known ones.
    """
    known = statements()
    name = name.name if isinstance(name, (sp.Symbol, Statement)) else name
    if not isinstance(name, str):
        raise MoelawsError(f"derive({name!r}): expected a name, such as 'alpha_D', or a statement")
    name = meant(name, derivable())
    if name not in DERIVABLE and name not in known:
        raise MoelawsError(
            f"derive({name!r}): no result has this name; expected one that `moelaws derive` lists."
            + suggest(name, derivable())
        )
    choices = readings_of(name)
    if under and not choices:
        with_readings = [*DERIVABLE, *IDENTITIES]
        raise MoelawsError(
            f"derive({name!r}, under={under!r}): only {', '.join(with_readings)} have readings to choose from"
        )
    if under and under not in choices:
        raise MoelawsError(f"derive({name!r}, under={under!r}): expected one of {', '.join(choices)}")
    if name in DERIVABLE:
        setting = DERIVABLE[name].settings[under or choices[0]]
        chain = _chain(*(known[statement] for statement in setting.statements))
        return Derivation(name, chain, setting.words, setting.solve(), setting.size)
    if under:
        return _identity(name, under)
    return Derivation(name, _chain(known[name]))


def _identity(name: str, under: str) -> Derivation:
    found = IDENTITIES[name]
    exponents = []
    for exponent, reading in found.readings[under].items():
        setting = DERIVABLE[exponent.name].settings[reading]
        exponents.append(Exponent(exponent, setting, setting.solve()))
    values = {e.symbol: e.value for e in exponents}
    identity = eq(values[found.symbol], sp.simplify(found.formula.subs(values)))
    return Derivation(name, (), exponents=tuple(exponents), identity=identity)


def _chain(*last: Statement) -> tuple[Statement, ...]:
    """The statements after all that they use, each once."""
    found: dict[str, Statement] = {}

    def visit(current: Statement) -> None:
        for used in current.uses:
            visit(used)
        found.setdefault(current.name, current)

    for statement in last:
        visit(statement)
    return tuple(found.values())
