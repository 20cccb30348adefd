"""Finding papers: installed ones through entry points, a user's own through the folder's path."""

from __future__ import annotations

import fnmatch
import hashlib
import importlib.util
import sys
import traceback
import types
from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points
from pathlib import Path

from verify.claims import Claim, Paper
from verify.errors import InputError, suggest
from verify.statements import theory_paper

GROUP = "moelaws.papers"
THEORY = "theory"


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
    if not path.is_file():
        raise InputError(
            f"{folder}: no claims.py there; a paper's folder holds paper.toml, claims.py and tables "
            "(start one with 'moelaws new-paper DIR')"
        )
    package = "moelaws_paper_" + hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    for loaded in [m for m in sys.modules if m == package or m.startswith(f"{package}.")]:
        del sys.modules[loaded]
    parent = types.ModuleType(package)
    parent.__path__ = [str(folder)]  # so that claims.py may say 'from .tables import ...'
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


def is_folder(target: str) -> bool:
    """Whether a command-line target means a folder rather than an id."""
    return (
        target.startswith((".", "/", "~"))
        or (Path(target) / "paper.toml").is_file()
        or (Path(target).is_dir() and target.endswith("/"))
    )


def select(targets: Sequence[str]) -> tuple[list[Paper], list[Claim]]:
    """The papers and claims that targets name: paper ids, folders, claim ids, prefixes or globs.

    No target means every installed paper and the theory. A folder beside
    claim ids of its own paper means only those claims.
    """
    folders = installed_folders()
    targets = [_installed_id(t, folders) for t in targets]
    own = [load_paper(Path(t).expanduser()) for t in targets if is_folder(t)]
    known = [THEORY, *folders]
    for paper in own:
        if paper.id in known:
            raise InputError(
                f"{paper.folder}: the id {paper.id!r} is that of an installed paper; "
                "give yours another with 'id = \"...\"' in its paper.toml"
            )
    names = [t for t in targets if not is_folder(t)]
    wanted_papers = {name.split("/")[0] for name in names} if names else set()
    wildcards = [w for w in wanted_papers if any(c in w for c in "*?[")]
    ids = [p for p in known if p in wanted_papers or any(fnmatch.fnmatch(p, w) for w in wildcards)]
    unknown = [w for w in wanted_papers if w not in [*known, *(p.id for p in own)] and w not in wildcards]
    if unknown:
        everything = [*known, *(p.id for p in own)]
        raise InputError(
            f"no paper is called {unknown[0]!r}; known are {', '.join(everything)}."
            + (
                suggest(unknown[0], everything)
                or " A folder of your own is given as a path, e.g. ./my-paper."
            )
        )
    papers = [load(p, folders) for p in (ids if targets else known)] + own
    _no_repeated_ids(papers)
    claims = [c for paper in papers for c in _chosen(paper, names, whole=not targets or paper in own)]
    for name in names:
        if not any(matches(c.id, name) for c in claims):
            every = [c for p in papers for c in p.claims]
            raise InputError(
                f"no claim is called {name!r}.{suggest(name, every)} 'moelaws claims list' shows them all."
            )
    return [p for p in papers if any(c.id in p.claims for c in claims)], claims


def _installed_id(target: str, folders: dict[str, Path]) -> str:
    """The id of an installed paper where a target is the path of its folder, else the target."""
    if is_folder(target):
        for paper_id, folder in folders.items():
            if Path(target).expanduser().resolve() == folder.resolve():
                return paper_id
    return target


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
