"""``moelaws plan``: what to train by a law, and which run to make next."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.commands.fitted import (
    AsJson,
    Cluster,
    Columns,
    Delta,
    LawName,
    Samples,
    Seed,
    SkipBad,
    Where,
    fitted,
    law_named,
)
from verify.errors import InputError

if TYPE_CHECKING:
    from empirics.fitting.plan import Plan
    from theory.laws.law import Law


def plan(
    law: LawName = "ludziejewski2025",
    flops: Annotated[
        float | None,
        typer.Option("--flops", "--compute", "--budget", help="Training compute, FLOPs.", show_default=False),
    ] = None,
    loss: Annotated[
        float | None,
        typer.Option(
            help="Or the loss to reach, nats per token; the least compute is found.", show_default=False
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--given",
            help="INPUT=VALUE for the law's other inputs. Default, of a law with experts: expansion=1,8,32.",
            show_default=False,
        ),
    ] = None,
    most_parameters: Annotated[
        float | None, typer.Option(help="No more (active) parameters than these.", show_default=False)
    ] = None,
    most_total: Annotated[
        float | None,
        typer.Option(
            help="No more parameters in all, as many as memory holds; see --expert-share.", show_default=False
        ),
    ] = None,
    most_tokens: Annotated[
        float | None, typer.Option(help="No more training tokens.", show_default=False)
    ] = None,
    expert_share: Annotated[
        float, typer.Option(help="Part of the active parameters that lies in experts, for the total.")
    ] = 2 / 3,
    runs: Annotated[
        Path | None,
        typer.Option(
            help="Fit the law to this table first, which gives the loss an interval.", show_default=False
        ),
    ] = None,
    next_flops: Annotated[
        float | None,
        typer.Option(
            help="With --runs: which run of so many FLOPs narrows the predicted loss most.",
            show_default=False,
        ),
    ] = None,
    column: Columns = None,
    cluster: Cluster = None,
    delta: Delta = 1e-3,
    samples: Samples = 1000,
    seed: Seed = 0,
    skip_bad: SkipBad = False,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """What to train: active and total parameters, experts and tokens that spend a budget best by a law."""
    from empirics.fitting.design import next_run
    from empirics.fitting.plan import budget_for_loss
    from empirics.fitting.plan import plan as plan_law

    if (flops is None) == (loss is None):
        raise InputError("plan: give one of --flops and --loss")
    if not 0 <= expert_share <= 1:
        raise InputError(f"--expert-share {expert_share:g}: expected a share between 0 and 1")
    if next_flops is not None and runs is None:
        raise InputError("--next-flops: what a run adds is judged against runs; give --runs TABLE")
    found = resampled = None
    if runs is not None:
        found, resampled = fitted(runs, law, column, cluster, delta, samples, seed, skip_bad, where)
        chosen = found.law
    else:
        if column or cluster:
            raise InputError("--column and --cluster describe a table; give it with --runs TABLE")
        _, published = law_named(law)
        if published is None:
            raise InputError(
                f"--law {law}: a kind of law without coefficients; name a published one, or give --runs TABLE"
            )
        chosen = published
    if not given and chosen.allocates() and [q.name for q in chosen.inputs[2:]] == ["expansion"]:
        given = ["expansion=1,8,32"]  # a dense model, and two sparse ones beside it
    plans: list[tuple[Plan, float]] = []
    for values in _each(chosen, given):
        experts = values.get("expansion", 1.0)
        inflation = 1 + expert_share * (experts - 1)
        spend = budget_for_loss(chosen, loss, given=values) if loss is not None else flops
        assert spend is not None
        limit = min(most_parameters or math.inf, (most_total or math.inf) / inflation)
        one = plan_law(
            chosen, spend, given=values, most_parameters=limit, most_tokens=most_tokens or math.inf,
            samples=resampled, runs=found.observations if found else None,
        )  # fmt: skip
        plans.append((one, inflation * one.parameters))
    records = [{**one.record(), "total_parameters": total} for one, total in plans]
    following = None
    if found is not None and next_flops is not None:
        one = plans[0][0]
        sizes = dict(zip([q.name for q in chosen.inputs[:2]], (one.parameters, one.tokens), strict=True))
        following = next_run(found, {**sizes, **one.given}, next_flops)
    if as_json:
        print(
            json.dumps({"plans": records, "next_run": following._asdict() if following else None}, indent=1)
        )
        return
    for record in records:
        print(_told(record, "expansion" in record["given"]))
    dense = next((one for one, _ in plans if one.given.get("expansion") == 1), None)
    for one, _ in plans:
        if dense is not None and one is not dense and loss is None:
            print(
                f"against the dense model: {one.loss - dense.loss:+.4f} nats at expansion {one.given['expansion']:g}"
            )
    for remark in dict.fromkeys(r for one, _ in plans for r in one.remarks):
        print(remark)
    if found is not None:
        print(found.certificate)
    if following is not None:
        inputs = ", ".join(f"{name} {value:.4g}" for name, value in following.inputs.items())
        print(
            f"next run: {inputs}; it narrows the standard error of the log of the predicted loss from {following.before:.3g} to {following.after:.3g}"
        )


def _told(record: dict[str, Any], moe: bool) -> str:
    others = ", ".join(f"{name} {value:g}" for name, value in record["given"].items())
    size = (
        f"N_act {record['parameters']:.4g}, N_tot {record['total_parameters']:.4g}"
        if moe
        else f"N {record['parameters']:.4g}"
    )
    interval = (
        f" (95% [{record['interval'][0]:.4f}, {record['interval'][1]:.4f}])" if record["interval"] else ""
    )
    limit = f"; limited by {record['limited']}" if record["limited"] else ""
    return (
        f"{record['flops']:.4g} FLOPs{', ' if others else ''}{others}: {size}, D {record['tokens']:.4g} "
        f"({record['tokens'] / record['parameters']:.3g} tokens per parameter), loss {record['loss']:.4f}{interval}{limit}"
    )


def _each(law: Law, given: list[str] | None) -> list[dict[str, float]]:
    """Every combination of the values that ``--given`` lists."""
    values: dict[str, list[float]] = {}
    for text in given or []:
        name, equals, listed = text.partition("=")
        try:
            values[name] = [float(part) for part in listed.split(",")]
        except ValueError:
            values[name] = []
        if not equals or not values[name] or not all(math.isfinite(v) for v in values[name]):
            raise InputError(f"--given {text}: expected INPUT=NUMBER or INPUT=NUMBER,NUMBER")
    others = [q.name for q in law.inputs[2:]] if law.allocates() else []
    if sorted(values) != sorted(others):
        wanted = " ".join(f"--given {name}=VALUE" for name in others) or "no --given"
        raise InputError(f"plan: {type(law).__name__} takes {wanted}, got {', '.join(values) or 'none'}")
    return [
        dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())
    ]
