"""``moelaws derive``: an exponent or an optimal size, step by step, with the certificate of its proof."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from verify.commands.progress import ProgressBar
from verify.errors import InputError

if TYPE_CHECKING:
    from theory.derivations.derivation import Derivation

STYLES = ("text", "latex", "mathml")


def derive(
    name: Annotated[
        str | None,
        typer.Argument(
            help="alpha_N, alpha_D, alpha_C, N_star, D_star, k_star, M_star or a statement's name; none lists them.",
            show_default=False,
        ),
    ] = None,
    under: Annotated[
        str, typer.Option(help="A reading of the bound, such as total-entropy or active-compute.")
    ] = "",
    style: Annotated[str, typer.Option("--format", help="text, latex or mathml.")] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")] = False,
) -> int:
    """Derive an exponent or an optimal size, step by step, with the proof that no other choice of sizes does better."""
    if style not in STYLES:
        raise InputError(f"--format {style}: expected {', '.join(STYLES[:-1])} or {STYLES[-1]}")
    with ProgressBar("deriving"):
        from theory.derivations.derivation import derive as derivation_of

        if name is None:
            text, status = _derivable(as_json), 0
        else:
            found = derivation_of(name, under)
            shown = {"text": _text, "latex": lambda found: found.latex(), "mathml": _mathml}[style]
            text, status = _json(found) if as_json else shown(found), 0 if found.check() else 1
    print(text)
    return status


def _derivable(as_json: bool) -> str:
    from theory.derivations.derivation import derivable, readings_of

    known = {name: readings_of(name) for name in derivable()}
    if as_json:
        return json.dumps(
            [{"name": name, "readings": readings} for name, readings in known.items()], indent=1
        )
    return "\n".join(
        f"{name} (under {', '.join(readings)})" if readings else name for name, readings in known.items()
    )


def _json(found: Derivation) -> str:
    record = {
        "name": found.name,
        "steps": [{"words": words, "relation": str(r), "latex": r.latex()} for words, r in found.relations()],
        "checked": found.check(),
    }
    if found.optimum is not None:
        record |= {"optimum": repr(found.optimum), "proof": found.optimum.explain()}
    if found.holds is not None:
        record["holds"] = found.holds
    return json.dumps(record, indent=1, ensure_ascii=False)


def _mathml(found: Derivation) -> str:
    from verify.reports.mathml import to_mathml

    return "\n".join(
        f"<p>{html.escape(words)}: {to_mathml(relation.latex())}</p>" for words, relation in found.relations()
    )


def _text(found: Derivation) -> str:
    lines = [f"result: {result}" for result in _results(found)]
    optima = [("certificate", found.optimum)] if found.optimum is not None else []
    optima += [(f"certificate of {exponent.symbol}", exponent.optimum) for exponent in found.exponents]
    return "\n".join(
        [*lines, "", found.text(), *(f"{words}: {optimum.check()}" for words, optimum in optima)]
    )


def _results(found: Derivation) -> Iterator[str]:
    """What is derived, before how."""
    if found.conclusion is not None:
        yield f"{found.conclusion.conclusion}"
    if found.result is not None:
        yield f"{found.name if found.size is not None else 'risk'} ~ {found.result}, constants left out"
    if found.identity is not None:
        yield f"{found.name} {found.sentence()}"
