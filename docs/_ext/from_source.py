"""Pages written from the code itself at the start of a build, so that nothing on them is kept by hand.

``reference/`` (command line, public names, symbols) and ``papers/`` (a page per
installed paper) lie beside the pages that are written by people and are not
under version control.
"""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import sympy as sp
import typer
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.inspect import object_description
from sphinx.util.typing import ExtensionMetadata

from theory import GLOSSARY, Relation, Statement
from verify.commands.app import app as command_line
from verify.judging.claims import Claim, Paper
from verify.judging.papers import installed_folders, load_paper
from verify.judging.statement_claims import theory_paper

MET_ON_THE_WAY = {
    "theory": [
        "theory.derivations.active_experts.Candidate",
        "theory.derivations.active_experts.Shape",
        "theory.derivations.active_experts.StationaryPoint",
        "theory.numbers.arithmetic.Arithmetic",
        "theory.bounds.formula.BoundFormula",
        "theory.laws.law.Law",
        "theory.laws.law.PublishedLaw",
        "theory.laws.law.Quantity",
        "theory.posynomials.Certificate",
        "theory.posynomials.PosynomialOutcome",
        "theory.shapes.rules.Node",
        "theory.shapes.rules.Reason",
        "theory.shapes.signs.Sign",
    ],
    "empirics": [
        "empirics.constructive.axis_experts.FittedAxisMoE",
        "empirics.constructive.gate.Gate",
        "empirics.worlds.manifolds.Manifold",
        "empirics.worlds.matern.TorusSeries",
        "empirics.model.block.Routed",
    ],
    "verify": [
        "verify.measured.stored.RunSource",
        "verify.measured.stored.StoredRun",
        "verify.measured.stored.StoredRuns",
        "verify.search.feasibility.Constraint",
        "verify.search.domains.Values",
        "verify.printed.intervals.Interval",
        "verify.printed.derived.DerivedTable",
        "verify.printed.numerals.Printed",
        "verify.printed.tables.Column",
    ],
}
"""Types of results that are not imported by name; a missing one is a broken reference, which fails the build."""


def write_pages(app: Sphinx) -> None:
    """Write every generated page; a page that did not change keeps its time stamp."""
    source = Path(app.srcdir)
    pages = {
        "reference/command-line.md": _command_line(),
        "reference/theory.rst": _public_names("theory"),
        "reference/empirics.rst": _public_names("empirics"),
        "reference/verify.rst": _public_names("verify"),
        "reference/glossary.md": _glossary(),
    }
    papers = [*(load_paper(folder) for folder in installed_folders().values()), theory_paper()]
    pages["papers/index.md"] = _paper_index(papers)
    pages |= {f"papers/{paper.id}.md": _paper_page(paper) for paper in papers}
    for name, lines in pages.items():
        path, text = source / name, "\n".join(lines) + "\n"
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# The command line


def _command_line() -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "Every command, from its own definition; `moelaws COMMAND --help` prints the same."
    yield ""
    yield from _command(typer.main.get_command(command_line), "moelaws", 2)


def _command(command: Any, path: str, level: int) -> Iterator[str]:
    shown = [p for p in command.params if not getattr(p, "hidden", False) and p.name != "help"]
    arguments = " ".join(p.metavar or p.name.upper() for p in shown if p.param_type_name == "argument")
    options = " [OPTIONS]" if any(p.param_type_name == "option" for p in shown) else ""
    subcommands = getattr(command, "commands", {})
    yield f"{'#' * level} {path}"
    yield ""
    yield f"`{path}{options} {arguments or ('COMMAND' if subcommands else '')}".strip() + "`"
    yield ""
    yield _escape(command.help or "")
    yield ""
    for parameter in shown:
        name = (
            ", ".join(parameter.opts)
            if parameter.param_type_name == "option"
            else parameter.metavar or parameter.name.upper()
        )
        default = parameter.default
        value = default is not None and default is not False and parameter.param_type_name == "option"
        yield f"`{name}`"
        yield f": {_escape(parameter.help or '')}{f' Default: `{default}`.' if value else ''}"
        yield ""
    if command.epilog:
        yield _escape(command.epilog)
        yield ""
    for name, below in subcommands.items():
        yield from _command(below, f"{path} {name}", level + 1 if level == 2 else level)


# Public names


def _public_names(package: str) -> Iterator[str]:
    """A page of a package's public names, by the module that defines them, as ``__init__.pyi`` lists them."""
    yield from _rst_title(f"Python: {package}", "=")
    yield f".. automodule:: {package}"
    yield "   :no-members:"
    yield ""
    for module_name, names in _listed(package).items():
        yield from _rst_title(
            module_name.removesuffix(".base")
            .removeprefix("checks.")
            .replace("_", " ")
            .replace(".", ": ")
            .capitalize(),
            "-",
        )
        try:
            module = importlib.import_module(f"{package}.{module_name}")
        except ModuleNotFoundError as missing:  # an optional library, such as torch
            yield f"{', '.join(names)}: shown where {missing.name} is installed."
            yield ""
            continue
        yield (module.__doc__ or "").partition("\n")[0]
        yield ""
        for name in names:
            yield from _public_name(package, name, module.__name__)
    met = MET_ON_THE_WAY.get(package, ())
    if met:
        yield from _rst_title("Types of results", "-")
        yield "These come back from calls; there is no need to import them."
        yield ""
    for name in met:
        yield f".. autoclass:: {name}"
        yield "   :members:"
        yield ""


def _listed(package: str) -> dict[str, list[str]]:
    """Module -> its public names, in the order of the stub."""
    stub = Path(importlib.import_module(package).__file__ or "").with_suffix(".pyi")
    found: dict[str, list[str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            found.setdefault(node.module or "", []).extend(a.asname or a.name for a in node.names)
    return found


def _public_name(package: str, name: str, module: str) -> Iterator[str]:
    value = getattr(importlib.import_module(package), name)
    named = inspect.isclass(value) or inspect.isfunction(value)
    if named and (home := value.__module__.partition(".")[0]) != package:
        yield f".. py:data:: {name}"
        yield ""
        yield f"   That of {home}."
    elif inspect.isclass(value):
        yield f".. autoclass:: {package}.{name}"
        yield "   :members:"
        if issubclass(value, enum.Enum):
            yield "   :undoc-members:"
        if issubclass(value, tuple):  # the fields stand in the signature
            yield f"   :exclude-members: {', '.join(value._fields)}"
    elif inspect.isfunction(inspect.unwrap(value)):  # a cached one too
        yield f".. autofunction:: {package}.{name}"
    else:
        yield f".. py:data:: {name}"
        yield ""
        if isinstance(value, Statement):
            described: Iterable[str] = _statement(value)
        elif isinstance(value, sp.Symbol) and value in GLOSSARY:
            words, unit, latex = GLOSSARY[value]
            described = [rf":math:`{latex}`, {words}{_in_unit(unit)}."]
        else:
            described = _attribute_doc(module, name)
        yield from (f"   {line}" for line in described)
    yield ""


def shorten_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Defaults as a reader would write them: a public constant by its name, an empty mapping as such."""
    if signature is None:
        return None
    package = importlib.import_module(name.partition(".")[0])
    constants = {
        object_description(v): n for n in dir(package) if isinstance(v := getattr(package, n), tuple)
    }
    for shown in sorted(constants, key=len, reverse=True):
        signature = signature.replace(f"= {shown}", f"= {constants[shown]}")
    return signature.replace("<factory>", "{}"), returns


def _attribute_doc(module: str, name: str) -> list[str]:
    """The string below an assignment, which documents what is assigned."""
    while True:
        analyzer = ModuleAnalyzer.for_module(module)
        analyzer.analyze()
        if ("", name) in analyzer.attr_docs:
            return analyzer.attr_docs["", name]
        below = [m for m in _imports_of(module, name) if m != module]
        if not below:
            raise LookupError(
                f"{module}.{name} is public and has no docstring; write one below its assignment"
            )
        module = below[0]


def _imports_of(module: str, name: str) -> list[str]:
    """The modules that ``module`` imports ``name`` from."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    return [
        n.module
        for n in ast.walk(tree)
        if isinstance(n, ast.ImportFrom) and n.module and name in {a.asname or a.name for a in n.names}
    ]


def _statement(statement: Statement) -> Iterator[str]:
    yield f"*{statement.kind.value.capitalize()}.* {_rst(statement.words)}."
    yield ""
    yield from _rst_math(statement.conclusion)
    for hypothesis in statement.hypotheses:
        yield f"- Assuming *{hypothesis.name}*: {_rst(hypothesis.words)}."
    if statement.uses:
        yield f"- Uses {', '.join(f':py:data:`{used.name}`' for used in statement.uses)}."
    if statement.reading:
        yield f"- Reading: {_rst(statement.reading)}."
    if statement.tight_at:
        yield f"- Tight: {_rst(statement.tight_at)}."
    yield f"- Source: {_rst(str(statement.source))}."
    yield ""
    for number, step in enumerate(statement.steps, 1):
        yield f"Step {number}: {_rst(step.words)}."
        yield ""
        yield from _rst_math(step.relation)


def _rst_math(relation: Relation) -> Iterator[str]:
    yield ".. math::"
    yield ""
    yield f"   {relation.latex()}"
    yield ""


def _rst_title(text: str, underline: str) -> Iterator[str]:
    yield text
    yield underline * len(text)
    yield ""


def _rst(text: str) -> str:
    return re.sub(r"([\\`*_|])", r"\\\1", text)


# Symbols


def _glossary() -> Iterator[str]:
    yield "# Glossary"
    yield ""
    yield "The symbols of `theory`. All are positive; those marked *integer* are integers. Logarithms are natural,"
    yield "losses are in nats per token."
    yield ""
    yield "| symbol | in Python | meaning | unit |"
    yield "|---|---|---|---|"
    for symbol, (words, unit, latex) in GLOSSARY.items():
        kind = " (*integer*)" if symbol.is_integer else ""
        yield f"| ${latex}$ | {{py:data}}`theory.{symbol.name}` | {_escape(words)}{kind} | {unit} |"


def _in_unit(unit: str) -> str:
    return "" if unit == "1" else f" ({unit})"


# Papers


def _paper_index(papers: list[Paper]) -> Iterator[str]:
    yield "# Installed papers"
    yield ""
    yield "What is claimed, where, and what is expected of each claim; `moelaws verify` says what was found."
    yield ""
    yield "```{toctree}"
    yield ":maxdepth: 1"
    yield ""
    yield from (paper.id for paper in papers)
    yield "```"


def _paper_page(paper: Paper) -> Iterator[str]:
    yield f"# {_escape(paper.title)}"
    yield ""
    yield f"{_escape(paper.authors)} ({paper.year}), {_reference(paper.reference)}. Judged by:"
    yield ""
    yield "% not run: the whole paper takes a while, and the tests of the papers run it"
    yield ""
    yield "```console"
    yield f"$ moelaws verify {paper.id}"
    yield "```"
    yield ""
    yield "| claim | where | expected |"
    yield "|---|---|---|"
    for claim in paper.claims.values():
        yield f"| [{_slug(claim)}](#{_anchor(claim)}) | {_escape(claim.where)} | {_expected(claim)} |"
    yield ""
    for claim in paper.claims.values():
        yield from _claim(claim)


def _claim(claim: Claim) -> Iterator[str]:
    yield f"({_anchor(claim)})="
    yield f"## {_slug(claim)}"
    yield ""
    yield f"{_sentence(claim.words)}"
    yield ""
    if claim.quote:
        yield f"> {_escape(claim.quote)}"
        yield ""
    rows = {
        "Where": _escape(claim.where),
        "Read as": _escape(claim.reading),
        "Expected": _expected(claim),
        "Because": _escape(claim.because),
        "Missing": _escape(claim.not_testable),
        "Check": f"{{py:class}}`verify.{type(claim.check).__name__}`" if claim.check else "",
        "Mutants": _escape("; ".join(claim.mutants)),
        "Repairs": _escape("; ".join(claim.repairs)),
        "Rests on": ", ".join(
            [*map(_statement_link, claim.statements()), *(f"`{used}`" for used in claim.uses)]
        ),
    }
    yield from (f"- *{name}*: {text}" for name, text in rows.items() if text)
    yield ""


def _statement_link(statement: Statement) -> str:
    public = getattr(importlib.import_module("theory"), statement.name, None) is statement
    return f"{{py:data}}`theory.{statement.name}`" if public else f"`{statement.name}`"


def _slug(claim: Claim) -> str:
    return claim.id.partition("/")[2]


def _anchor(claim: Claim) -> str:
    """A target's name; capitals are spelt out because targets do not tell A from a."""
    spelt = re.sub(r"[A-Z]", lambda capital: f"capital-{capital[0].lower()}", claim.id)
    return re.sub(r"[^a-z0-9]+", "-", spelt)


def _expected(claim: Claim) -> str:
    if claim.check is None:
        return "NOT_TESTABLE"
    return "holds" if claim.expect is None else claim.expect.name


def _reference(reference: str) -> str:
    number = re.fullmatch(r"arXiv (\d{4}\.\d{5})", reference)
    return f"[{reference}](https://arxiv.org/abs/{number[1]})" if number else _escape(reference)


def _sentence(text: str) -> str:
    return _escape(text if text.endswith((".", "!", "?")) else f"{text}.")


def _escape(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]#|<>$~])", r"\\\1", " ".join(text.split()))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-signature", shorten_signature)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
