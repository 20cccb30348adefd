"""Finding papers: installed ones through entry points, a user's own through the folder's path."""

from __future__ import annotations

import fnmatch
import hashlib
import importlib.util
import re
import shlex
import sys
import traceback
import types
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path, PurePosixPath

from theory.errors import meant, suggest
from theory.statement import statements
from verify.errors import InputError
from verify.judging.claims import Claim, Paper
from verify.judging.statement_claims import theory_paper

GROUP = "moelaws.papers"
THEORY = "theory"
PAPER_FILES = ("paper.toml", "claims.py")


def installed_folders() -> dict[str, Path]:
    """Paper id -> folder, for every collection of papers announced under the entry point group."""
    found: dict[str, Path] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.value):
        spec = importlib.util.find_spec(entry.value)
        for root in (spec.submodule_search_locations if spec else None) or ():
            for marker in sorted(Path(root).glob("*/paper.toml")):
                found.setdefault(marker.parent.name, marker.parent)
    return found


def load_paper(folder: Path) -> Paper:
    """Run a folder's ``claims.py`` and return its paper; InputError says what is wrong and where."""
    path = folder / "claims.py"
    holds = "a paper's folder holds paper.toml, claims.py and tables (start one with 'moelaws new-paper DIR')"
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; {holds}")
    for name in PAPER_FILES:
        if not (folder / name).is_file():
            raise InputError(f"{folder / name} is missing; {holds}")
    package = "moelaws_paper_" + hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    for loaded in [m for m in sys.modules if m == package or m.startswith(f"{package}.")]:
        del sys.modules[loaded]
    parent = types.ModuleType(package)
    parent.__path__ = [str(folder.resolve())]  # so that claims.py may say 'from .tables import ...'
    sys.modules[package] = parent
    spec = importlib.util.spec_from_file_location(f"{package}.claims", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except InputError as problem:
        raise InputError(f"{_place(folder, path, problem)}: {problem}") from None
    except SyntaxError as problem:
        raise InputError(f"{problem.filename or path}, line {problem.lineno}: {problem.msg}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # a user's file may raise anything, SystemExit included
        raise InputError(f"{_place(folder, path, problem)}: {type(problem).__name__}: {problem}") from None
    paper = getattr(module, "paper", None)
    if not isinstance(paper, Paper):
        raise InputError(f"{path}: expected a line 'paper = Paper.open(__file__)'")
    if not paper.claims:
        raise InputError(f"{path}: no claim is defined; add one with paper.claim(...)")
    return paper


def _place(folder: Path, path: Path, problem: BaseException) -> str:
    """The deepest line of the paper's own files that an exception passed through."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [f for f in frames if Path(f.filename).parent == folder.resolve() or f.filename == str(path)]
    return f"{own[-1].filename}, line {own[-1].lineno}" if own else str(path)


def load(paper_id: str, folders: dict[str, Path]) -> Paper:
    """The paper of this id; the theory's own claims are the paper called ``theory``."""
    return theory_paper() if paper_id == THEORY else load_paper(folders[paper_id])


def folder_of(paper: Paper) -> Path | None:
    """The folder that a paper comes from, None for the theory."""
    return None if paper.id == THEORY else paper.folder


def target_of(claim_id: str, folder: Path | None) -> str:
    """What to type for a claim: its id, or for one of a paper of one's own the way to its folder and what follows the id."""
    paper_id, _, slug = claim_id.partition("/")
    if folder is None or ((installed := installed_folders().get(paper_id)) and folder.samefile(installed)):
        return claim_id
    inside = folder.is_relative_to(Path.cwd()) and folder != Path.cwd()
    return f"{folder.relative_to(Path.cwd()) if inside else folder}/{slug}"


def split_target(target: str, installed: Mapping[str, Path]) -> tuple[Path | None, str]:
    """A command-line target as the folder of a paper of one's own, if it means one, and the claims meant.

    What begins with the id of an installed paper means that paper, whatever lies in the current folder: a folder is run,
    so one of that name has to be asked for, as ``./ID``. Of anything else, ``DIR`` is a folder and all its claims,
    ``DIR/table1`` those that begin so. The path of an installed paper's folder means that paper.
    """
    if target.split("/")[0] in (THEORY, *installed):
        return None, target.rstrip("/")
    try:
        path = Path(target).expanduser()
        above = (path, *(p for p in path.parents if p != Path()))
        folder = next((p for p in above if any((p / name).is_file() for name in PAPER_FILES)), None)
    except (
        RuntimeError,
        ValueError,
        OSError,
    ) as problem:  # no such user, a NUL, a loop of links, too long a name
        raise InputError(f"{target}: no path: {problem}; give a folder or the id of a claim") from None
    if folder is None:
        return (path, "") if target.startswith((".", "/", "~")) or path.is_dir() else (None, target)
    rest = "" if folder == path else path.relative_to(folder).as_posix()
    for paper_id, home in installed.items():
        if folder.resolve() == home.resolve():
            return None, f"{paper_id}/{rest}".rstrip("/")
    return folder, rest


def select(targets: Sequence[str]) -> tuple[list[Paper], list[Claim]]:
    """The papers and claims that targets name: paper ids, folders, claim ids, prefixes or globs.

    No target means every installed paper and the theory. A folder beside
    claim ids of its own paper means only those claims.
    """
    folders = installed_folders()
    own: dict[Path, Paper] = {}
    typed: dict[str, Path] = {}
    names = []
    for folder, rest in (split_target(target, folders) for target in targets):
        if folder is None:
            names.append(rest)
            continue
        home = folder.resolve()
        paper = own.get(home) or own.setdefault(home, load_paper(folder))
        typed.setdefault(paper.id, folder)
        if rest:
            names.append(f"{paper.id}/{rest}")
    known = [THEORY, *folders]
    for paper in own.values():
        if paper.id in known:
            raise InputError(
                f"{paper.folder}: the id {paper.id!r} is that of an installed paper; "
                "give yours another with 'id = \"...\"' in its paper.toml"
            )
    everything = [*known, *(paper.id for paper in own.values())]
    names = [_as_known(name, everything, folders) for name in names]
    wanted = dict.fromkeys(name.split("/")[0] for name in names)
    unknown = [w for w in wanted if w not in everything and not any(c in w for c in "*?[")]
    if unknown:
        if any(target.rstrip("/") == unknown[0] and target.endswith("/") for target in targets):
            raise InputError(f"{unknown[0]}/: no such folder")
        raise InputError(
            f"no paper is called {unknown[0]!r}; known are {', '.join(everything)}."
            + (
                suggest(unknown[0], everything)
                or " A folder of your own is given as a path, e.g. ./my-paper."
            )
        )
    ids = [p for p in known if any(fnmatch.fnmatch(p, w) for w in wanted)] if targets else known
    papers = [*(load(p, folders) for p in ids), *own.values()]
    _no_repeated_ids(papers)
    ids = [claim_id for paper in papers for claim_id in paper.claims]
    names = [
        n if any(c in n for c in "*?[") or any(matches(i, n) for i in ids) else meant(n, ids) for n in names
    ]
    claims = [
        c for paper in papers for c in _chosen(paper, names, whole=not targets or paper in own.values())
    ]
    for name in names:
        if not any(matches(c.id, name) for c in claims):
            every = [c for p in papers for c in p.claims]
            every += dict.fromkeys(
                above for c in every for above in map(str, PurePosixPath(c).parents) if "/" in above
            )
            paper_id = name.split("/")[0]
            whose = shlex.quote(str(typed.get(paper_id, paper_id)))
            raise InputError(
                f"no claim is called {name!r}.{suggest(name, every)} 'moelaws claims list {whose}' shows them all."
            )
    return [p for p in papers if any(c.id in p.claims for c in claims)], claims


def _as_known(name: str, known: Sequence[str], folders: Mapping[str, Path]) -> str:
    """A name whose paper is called by its id, not by another spelling of it or by its number at arXiv."""
    called, slash, rest = name.partition("/")
    if called in known:
        return name
    for paper_id, folder in folders.items():
        if re.fullmatch(r"(arxiv:)?\d{4}\.\d{4,5}", called.lower()):
            number = called.lower().removeprefix("arxiv:")
            if number in (folder / "paper.toml").read_text(encoding="utf-8", errors="replace"):
                return paper_id + slash + rest
    of_theory = meant(called.replace("-", "_"), statements())
    if not slash and of_theory in statements() and meant(called, known) not in known:
        return f"{THEORY}/{of_theory}"
    return meant(called, known) + slash + rest


def _chosen(paper: Paper, names: Iterable[str], *, whole: bool) -> list[Claim]:
    mine = [n for n in names if matches(paper.id, n.split("/")[0])]
    if whole and not mine:
        return list(paper.claims.values())
    return [c for c in paper.claims.values() if any(matches(c.id, n) for n in mine)]


def matches(claim_id: str, name: str) -> bool:
    """Whether a name is this id, a prefix of its path, or a glob that fits."""
    return claim_id == name or claim_id.startswith(name.rstrip("/") + "/") or fnmatch.fnmatch(claim_id, name)


def _no_repeated_ids(papers: Sequence[Paper]) -> None:
    seen: dict[str, Path] = {}
    for paper in papers:
        if paper.id in seen:
            raise InputError(f"two papers have the id {paper.id!r}: {seen[paper.id]} and {paper.folder}")
        seen[paper.id] = paper.folder
