"""The documentation builds without a warning, opens without a network, and every block on it is run."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import json
import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = sorted(page.stem for page in (ROOT / "docs").glob("*.md"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Site(NamedTuple):
    html: Path
    doctrees: Path
    messages: str


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Site:
    """The site, built from a copy so that building leaves nothing in the tree."""
    folder = tmp_path_factory.mktemp("docs")
    generated = shutil.ignore_patterns("_build", "reference", "papers", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=generated)
    for page in ROOT.glob("*.md"):  # pages that the documentation includes
        shutil.copy(page, folder)
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-nWq", "--keep-going", "-j2", "-d", "doctrees", "docs", "html"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Site(folder / "html", folder / "doctrees", done.stderr)


def test_the_site_builds_without_a_warning(site):
    assert site.messages == ""


def doctree(site: Site, page: str):
    with (site.doctrees / f"{page}.doctree").open("rb") as file:
        return pickle.load(file)


# What a browser needs


class Links(HTMLParser):
    """The anchors of a page, what it loads, and where it points."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.anchors, self.loads, self.points = {""}, [], []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given.get("id"), given.get("name") if tag == "a" else None}
        self.loads += [given[name] for name in ("src", "srcset", "data", "poster") if given.get(name)]
        if tag == "a" and given.get("href"):
            self.points.append(given["href"])
        elif tag not in ("a", "area") and given.get("href"):
            self.loads.append(given["href"])


def pages(site: Site) -> dict[Path, Links]:
    return {page: Links(page) for page in sorted(site.html.rglob("*.html"))}


def test_no_page_loads_anything_from_a_network(site):
    for page, links in pages(site).items():
        assert not [url for url in links.loads if urlsplit(url).scheme or url.startswith("//")], page
    for sheet in site.html.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*[\"']?\s*(https?:)?//", text), sheet


def test_every_internal_link_leads_somewhere(site):
    known = pages(site)
    for page, links in known.items():
        for url in links.points + links.loads:
            parts = urlsplit(url)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.is_file(), (page, url)
            if target in known and page.name not in ("search.html",):
                assert unquote(parts.fragment) in known[target].anchors, (page, url)


@pytest.mark.parametrize("page", ["check-your-paper", "verdicts", "reference/theory", "reference/glossary"])
def test_formulas_are_mathml(site, page):
    from docutils import nodes

    formulas = list(doctree(site, page).findall(lambda n: isinstance(n, nodes.math | nodes.math_block)))
    assert formulas
    assert (site.html / f"{page}.html").read_text(encoding="utf-8").count("<math ") == len(formulas)


# What the reference must hold


@pytest.mark.parametrize("package", ["theory", "verify"])
def test_every_public_name_is_in_the_reference(site, package):
    anchors = Links(site.html / "reference" / f"{package}.html").anchors
    assert {f"{package}.{name}" for name in importlib.import_module(package).__all__} <= anchors


def test_every_command_is_in_the_reference(site):
    import typer

    from verify.commands.app import app

    def paths(command, path):
        yield path
        for name, below in getattr(command, "commands", {}).items():
            yield from paths(below, f"{path} {name}")

    text = (site.html / "reference" / "command-line.html").read_text(encoding="utf-8")
    found = list(paths(typer.main.get_command(app), "moelaws"))
    assert "moelaws claims show" in found
    assert not [path for path in found if f">{path}<" not in text]


def test_every_claim_of_every_installed_paper_has_its_place(site):
    from verify.judging.papers import installed_folders, load_paper

    for paper_id, folder in installed_folders().items():
        anchors = Links(site.html / "papers" / f"{paper_id}.html").anchors
        for claim in load_paper(folder).claims:
            assert re.sub(r"[^a-z0-9]+", "-", claim) in anchors


def field_names(record: object, path: str = "") -> Iterator[str]:
    """Every field of a report, as ``claims[].variants[].kind``; what a check adds as details is its own."""
    if isinstance(record, list):
        for item in record:
            yield from field_names(item, f"{path}[]")
    elif isinstance(record, dict) and not path.endswith(
        (".details", ".witness", ".verdicts", "seconds", "packages")
    ):
        for name, value in record.items():
            yield f"{path}.{name}".lstrip(".")
            yield from field_names(value, f"{path}.{name}".lstrip("."))


def explained_in(section):
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    return set(
        re.findall(
            r"^\| `([^`]+)` \|", page.partition(f"## {section}")[2].partition("\n## ")[0], re.MULTILINE
        )
    )


@pytest.mark.thorough
def test_every_field_of_a_report_is_explained_and_no_other(moelaws, measured_paper, tmp_path):
    done = moelaws(
        "verify",
        "theory/data-exponent",
        "mayaki2026/table2",
        "mayaki2026/abstract",
        measured_paper,
        "--report",
        "moelaws-report",
    )
    assert done.returncode == 0, done.stderr
    for file in ("report.json", "run.json"):
        record = json.loads((tmp_path / "moelaws-report" / file).read_text(encoding="utf-8"))
        assert explained_in(file) == set(field_names(record))
    report = json.loads((tmp_path / "moelaws-report" / "report.json").read_text(encoding="utf-8"))
    measured = [e["evidence"]["details"] for e in report["claims"] if e["check"].startswith("Measured")]
    assert explained_in("Details of a measured claim") == {name for d in measured for name in field_names(d)}


# What the pages show is run


class Block(NamedTuple):
    """A block of code on a page; ``excuse`` says why it is not run."""

    language: str
    text: str
    file: str
    excuse: str
    line: int


def blocks(site: Site, page: str) -> list[Block]:
    """The blocks of a page in reading order, whether written there, included, or taken from a docstring."""
    from docutils import nodes

    found = []
    for node in doctree(site, page).findall(
        lambda n: isinstance(n, nodes.literal_block | nodes.doctest_block)
    ):
        whole = node.parent if node.parent.get("literal_block") else node
        above = whole.parent[whole.parent.index(whole) - 1] if whole.parent.index(whole) else None
        remark = above.astext() if isinstance(above, nodes.comment) else ""
        caption = next((n.astext() for n in whole.findall(nodes.caption)), "")
        language = "python" if isinstance(node, nodes.doctest_block) else node.get("language", "text")
        excuse = remark.removeprefix("not run:").strip() if remark.startswith("not run:") else ""
        found.append(Block(language, node.astext(), caption, excuse, node.line or 0))
    return found


class Differs(Exception):
    """What a page shows is not what happens."""


def run_python(text: str, names: dict[str, object]) -> None:
    """A session with ``>>>`` must print what is shown; plain code must run."""
    if ">>>" not in text:
        exec(compile(text, "<block>", "exec"), names)
        return
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    report = io.StringIO()
    example = doctest.DocTestParser().get_doctest(text + "\n", names, "block", None, 0)
    with contextlib.redirect_stdout(io.StringIO()):
        failed = runner.run(example, out=report.write, clear_globs=False).failed
    names.update(example.globs)
    if failed:
        raise Differs(report.getvalue())


def run_console(text: str, folder: Path) -> None:
    """Each line after ``$`` is run by bash and must print what is shown; the status is kept in ``$?``."""
    python = shlex.quote(sys.executable)
    script = [f'{name}() {{ {python} -m {name} "$@"; }}' for name in ("moelaws", "pytest")] + ["status=0"]
    if not text.startswith("$ "):
        raise Differs(f"a console block begins with '$ ', not with {text[:20]!r}")
    commands = re.findall(r"^\$ (.*)\n?((?:(?!\$ ).*\n?)*)", text, re.MULTILINE)
    for command, _ in commands:
        script += ["(exit $status)", command, "status=$?", "echo '==end=='"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    outputs = done.stdout.split("==end==\n")
    if len(outputs) != len(commands) + 1:
        raise Differs(f"the block ended early:\n{done.stdout}")
    for (command, shown), printed in zip(commands, outputs, strict=False):
        if not doctest.OutputChecker().check_output(shown.strip() + "\n", printed.strip() + "\n", FLAGS):
            raise Differs(f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}")


def write_file(block: Block, folder: Path) -> None:
    """A block with a caption is a file, an addition to one, or another version of its last claim."""
    name, _, how = block.file.partition(", ")
    path = folder / name
    before = path.read_text(encoding="utf-8") if how else ""
    if how == "in place of the last claim":
        before = before[: before.rindex("paper.claim(")]
    else:
        assert how in ("", "added at the end"), block.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before + block.text + "\n", encoding="utf-8")


def run_page(site: Site, page: str, folder: Path) -> None:
    """Run a page from top to bottom in one folder, with one set of Python names."""
    trouble = first_trouble(site, page, folder)
    if trouble:
        pytest.fail(trouble, pytrace=False)


def first_trouble(site: Site, page: str, folder: Path) -> str:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(site, page):
        try:
            run_block(block, folder, names)
        except Differs as problem:
            return f"{page}, the block at line {block.line}:\n{problem}"
    return ""


def run_block(block: Block, folder: Path, names: dict[str, object]) -> None:
    if block.excuse:
        return
    if block.file:
        write_file(block, folder)
    elif block.language == "console":
        run_console(block.text, folder)
    elif block.language in ("python", "pycon", "default"):
        run_python(block.text, names)
    else:
        raise Differs(f"a block in {block.language} is neither run nor excused")


def test_a_block_that_shows_something_else_is_noticed(tmp_path):
    run_console("$ echo one; false\none\n$ echo $?\n1", tmp_path)
    for text in ("$ echo one\ntwo", "$ echo one", "$ exit 0", "echo one"):
        with pytest.raises(Differs):
            run_console(text, tmp_path)
    with pytest.raises(Differs):
        run_python(">>> 1 + 1\n3", {})
    with pytest.raises(Differs):
        run_block(Block("text", "neither run nor excused", "", "", 0), tmp_path, {})


@pytest.mark.parametrize("page", WRITTEN)
def test_no_block_is_wider_than_the_page(site, page):
    assert not [line for block in blocks(site, page) for line in block.text.splitlines() if len(line) > 91]


@pytest.mark.parametrize("page", WRITTEN)
@pytest.mark.usefixtures("full_report")  # several pages judge everything installed
def test_what_a_page_shows_is_what_happens(site, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(site, page, tmp_path)


def test_what_the_generated_pages_show_is_what_happens(site, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {
        path.relative_to(site.doctrees).with_suffix("").as_posix()
        for path in site.doctrees.rglob("*.doctree")
    }
    troubles = [first_trouble(site, page, tmp_path) for page in sorted(found - set(WRITTEN))]
    if any(troubles):
        pytest.fail("\n\n".join(filter(None, troubles)), pytrace=False)
