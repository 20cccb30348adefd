"""``moelaws bound``: a bound in numbers at a published model or at sizes of one's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from theory.errors import MoelawsError
from verify.errors import InputError

if TYPE_CHECKING:
    from theory.bounds.setting import RegressionSetting
    from theory.models.architecture import MoETransformer
    from theory.models.published import PublishedModel

Model = Annotated[
    str | None,
    typer.Argument(
        help="A published model such as mixtral-8x7b; none takes --layers etc.", show_default=False
    ),
]
BoundName = Annotated[str, typer.Option("--bound", help="A bound by name, see --list; or all.")]
Size = Annotated[int | None, typer.Option(show_default=False)]


def bound(
    model: Model = None,
    name: BoundName = "all",
    n: Annotated[
        str | None, typer.Option("--n", help="Training sequences, such as 3125 or 1e9.", show_default=False)
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option(
            help="Training tokens instead. Default: those of a published model, where known.",
            show_default=False,
        ),
    ] = None,
    layers: Size = None,
    d_model: Size = None,
    d_ff: Size = None,
    heads: Size = None,
    experts: Size = None,
    active: Size = None,
    sequence: Annotated[
        int | None, typer.Option(help="Tokens of a sequence. Default: a model's context.", show_default=False)
    ] = None,
    beta: Annotated[str, typer.Option(help="Smoothness of the target.")] = "1",
    dimension: Annotated[str, typer.Option(help="Intrinsic dimension of the data.")] = "32",
    holder: Annotated[str, typer.Option(help="Hölder seminorm of the target.")] = "1",
    noise: Annotated[str, typer.Option(help="Sub-Gaussian constant of the noise.")] = "1",
    clip: Annotated[str, typer.Option(help="R: target and predictions lie in [-R, R].")] = "1",
    kappa: Annotated[str, typer.Option(help="Bound on every parameter of the class.")] = "1",
    radius: Annotated[str, typer.Option(help="Bound on the norm of input tokens.")] = "1",
    tau: Annotated[
        str, typer.Option(help="How the oracle inequality splits: a number in (0, 1), or best.")
    ] = "1/2",
    delta: Annotated[
        str | None,
        typer.Option(help="Radius of the cover. Default: a nat for each parameter.", show_default=False),
    ] = None,
    bits: Annotated[
        str, typer.Option(help="Bits of a stored weight, for the bound that counts them.")
    ] = "16",
    precision: Annotated[str, typer.Option(help="float, mpmath or ball (a rigorous enclosure).")] = "float",
    digits: Annotated[int, typer.Option(help="Decimal digits of mpmath and ball.")] = 15,
    list_bounds: Annotated[bool, typer.Option("--list", help="List the bounds there are, and stop.")] = False,
    list_models: Annotated[
        bool, typer.Option("--models", help="List the published models there are, and stop.")
    ] = False,
    vacuity: Annotated[
        bool,
        typer.Option(
            "--vacuity",
            help="The least n at which the bound says anything; without a model, for all published ones.",
        ),
    ] = False,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Every bound: its nats, and the tokens before it says anything; without a model, for all published ones.",
        ),
    ] = False,
    below: Annotated[
        str | None,
        typer.Option(help="With --vacuity: below this risk. Default: the trivial risk.", show_default=False),
    ] = None,
    phase_diagram: Annotated[
        bool, typer.Option("--phase-diagram", help="Which term dominates, over n and the number of experts.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(help="With --phase-diagram: write it as a picture to this file.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")] = False,
) -> None:
    """Evaluate a generalisation bound term by term, with its constants; say where it says anything."""
    sizes = {
        "layers": layers, "d_model": d_model, "d_ff": d_ff, "heads": heads, "experts": experts, "active": active,
    }  # fmt: skip
    chosen = {
        "beta": beta, "dimension": dimension, "holder": holder, "noise": noise, "clip": clip, "kappa": kappa,
        "radius": radius, "tau": tau, "delta": delta, "bits": bits,
    }  # fmt: skip
    if list_bounds:
        _print(_listed(), as_json)
        return
    if list_models:
        _print(_models_listed(), as_json)
        return
    with _as_options():
        names = _names(name, one="--phase-diagram" if phase_diagram else "")
        if svg is not None and not phase_diagram:
            raise InputError(f"--svg {svg}: only a phase diagram is a picture; add --phase-diagram")
        if below is not None and not vacuity:
            raise InputError(f"--below {below}: only the least n is for a level; add --vacuity")
        if (n or tokens) and (vacuity or phase_diagram or compare):
            raise InputError(
                "--n, --tokens: --vacuity, --compare and --phase-diagram go over all n; leave it out"
            )
        if vacuity + phase_diagram + compare > 1:
            raise InputError("--vacuity, --compare and --phase-diagram: give one of them")
        problem = _problem(chosen)
        if vacuity:
            models = _models(model, sizes)
            _print(_vacuities(models, names, sequence, problem, below), as_json)
            return
        if compare:
            _print(_comparisons(_models(model, sizes), names, sequence, problem), as_json)
            return
        at = _architecture(model, sizes)
        if phase_diagram:
            _print(_diagram(at, names[0], sequence, problem, svg), as_json)
            return
        _print(_evaluations(at, names, n, tokens, sequence, problem, precision, digits), as_json)


Shown = Iterator[tuple[str, dict[str, Any]]]


def _listed() -> Shown:
    from theory.bounds.formula import BOUNDS

    for name, bound in BOUNDS.items():
        record = {"name": name, "words": bound.words, "terms": [term.name for term in bound.terms]}
        yield f"{name}: {bound.words}", record


def _models_listed() -> Shown:
    from theory.models.published import published_models

    for name, model in published_models().items():
        counts = {"total": model.total_parameters(), "active": model.active_parameters()}
        yield (
            f"{name}: {counts['total']:.3g} parameters, {counts['active']:.3g} active",
            {"name": name, **counts},
        )


def _evaluations(
    at: MoETransformer | PublishedModel,
    names: list[str],
    n: str | None,
    tokens: str | None,
    sequence: int | None,
    problem: RegressionSetting,
    precision: str,
    digits: int,
) -> Shown:
    from theory.bounds.evaluate import evaluate

    samples, budget = _whole("n", n), _whole("tokens", tokens)
    if samples is None and budget is None:
        budget = getattr(at, "training_tokens", None)
        if budget is None:
            raise InputError(
                "bound: give the data, as --n SEQUENCES or --tokens TOKENS (or ask for --vacuity)"
            )
    for each in names:
        found = evaluate(
            each,
            at,
            n=samples,
            tokens=budget,
            sequence=sequence,
            problem=problem,
            number=precision,
            digits=digits,
        )
        yield str(found), found.record()


def _vacuities(
    models: Mapping[str, MoETransformer | PublishedModel],
    names: list[str],
    sequence: int | None,
    problem: RegressionSetting,
    below: str | None,
) -> Shown:
    from theory.bounds.vacuity import least_samples

    for title, at in models.items():
        seen = getattr(at, "training_tokens", None)
        for each in names:
            found = least_samples(each, at, sequence=sequence, problem=problem, below=below)
            trained = "" if seen is None else f" It was trained on {seen:.3g} tokens."
            yield (
                f"{title}: {found.explain()}{trained}",
                {"model": title, "trained_on": seen, **found.record()},
            )


def _comparisons(
    models: Mapping[str, MoETransformer | PublishedModel],
    names: list[str],
    sequence: int | None,
    problem: RegressionSetting,
) -> Shown:
    from theory.bounds.compare import compare_bounds
    from theory.bounds.formula import bound_named
    from theory.bounds.setting import make_setting, trained_parameters

    for title, at in models.items():
        found = compare_bounds(at, bounds=names, sequence=sequence, problem=problem)
        size = trained_parameters(make_setting(bound_named(names[0]), at, sequence=sequence, problem=problem))
        seen = getattr(at, "training_tokens", None)
        trained = "" if seen is None else f", trained on {seen:.3g} tokens"
        yield (
            f"{title}: {size:.3g} parameters{trained}\n{found}",
            {"model": title, "parameters": size, "trained_on": seen, **found.record()},
        )


def _diagram(
    at: MoETransformer | PublishedModel,
    name: str,
    sequence: int | None,
    problem: RegressionSetting,
    svg: Path | None,
) -> Shown:
    from theory.bounds.phase import phase_diagram
    from verify.files import save

    found = phase_diagram(name, at, sequence=sequence, problem=problem)
    if svg is not None:
        save(svg, found.svg())
    yield f"{found}" + (f"\nwrote {svg}" if svg is not None else ""), found.record()


def _print(shown: Shown, as_json: bool) -> None:
    if as_json:
        print(json.dumps([record for _, record in shown], indent=1, ensure_ascii=False))
        return
    for text, _ in shown:
        print(text)


@contextmanager
def _as_options() -> Iterator[None]:
    """An argument of the theory's functions under the name of its option."""
    try:
        yield
    except InputError:
        raise
    except (MoelawsError, ArithmeticError) as problem:
        raise InputError(_ARGUMENT.sub(_as_flag, str(problem))) from None


_ARGUMENT = re.compile(r"\b([a-z_]+)='?([^\s,:;()']+)'?")
"""``name=value``, as errors name the arguments of a call."""


def _as_flag(argument: re.Match[str]) -> str:
    name = {"number": "precision"}.get(argument[1], argument[1])
    return f"--{name.replace('_', '-')} {argument[2]}"


def _names(name: str, *, one: str) -> list[str]:
    from theory.bounds.formula import BOUNDS, bound_named

    if name == "all":
        return ["stated"] if one else list(BOUNDS)
    return [bound_named(name).name]


def _problem(chosen: Mapping[str, str | None]) -> RegressionSetting:
    from theory.bounds.setting import RegressionSetting

    return RegressionSetting(**{name: value for name, value in chosen.items() if value is not None})


def _models(model: str | None, sizes: Mapping[str, int | None]) -> dict[str, MoETransformer | PublishedModel]:
    from theory.models.published import published_models

    if model is None and all(value is None for value in sizes.values()):
        return dict(published_models())
    return {model or "the model": _architecture(model, sizes)}


def _architecture(model: str | None, sizes: Mapping[str, int | None]) -> MoETransformer | PublishedModel:
    from theory.models.architecture import MoETransformer
    from theory.models.published import published_model

    given = {name: value for name, value in sizes.items() if value is not None}
    if model is not None:
        if given:
            raise InputError(
                f"{model}: a published model has its sizes; leave out --{next(iter(given)).replace('_', '-')}"
            )
        return published_model(model)
    missing = [name for name in ("layers", "d_model", "d_ff", "experts", "active") if name not in given]
    if missing:
        raise InputError(
            f"bound: give a published model, or sizes; missing {', '.join('--' + m.replace('_', '-') for m in missing)}"
        )
    return MoETransformer(**given)


def _whole(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    from theory.bounds.setting import exact_number

    value = exact_number(name, text)
    if value.denominator != 1 or value < 1:
        raise InputError(f"--{name} {text}: expected a whole number of at least 1")
    return int(value)
