"""What people type in place of a command's name, and what they mean by it."""

from __future__ import annotations

from collections.abc import Sequence

_STYLES = ("latex", "markdown", "mathml", "github")


def as_meant(arguments: Sequence[str]) -> list[str]:
    """The arguments with the command's own name: ``help derive``, ``version``, ``list``, ``show``, ``models``, ``laws``;
    ``plan 1e21``; and ``--latex`` for ``--format latex``.
    """
    match [_option(arguments[0], argument) for argument in arguments]:
        case ["help", *command]:
            return [*command, "--help"]
        case ["version"]:
            return ["--version"]
        case ["new" | "init", *rest]:
            return ["new-paper", *rest]
        case ["show", *targets]:
            return ["claims", "show", *targets]
        case ["list", *targets]:
            return ["claims", "list", *targets]
        case ["claims" | "runs" as group]:
            return [group, "list"]
        case ["models", *rest]:
            return ["bound", "--models", *rest]
        case ["laws", *rest]:
            return ["fit", "--list", *rest]
        case ["plan", first, *rest] if not first.startswith("-"):
            return ["plan", "--flops" if first[:1].isdigit() else "--law", first, *rest]
        case given:
            return given


def _option(command: str, argument: str) -> str:
    """``--latex`` and its kin are ways to say ``--format``."""
    style = argument.removeprefix("--")
    return (
        f"--format={style}"
        if command in ("derive", "check") and argument != style and style in _STYLES
        else argument
    )
