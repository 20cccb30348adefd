"""Where a number comes from: the code that made it, the versions of its libraries, and the machine.

The code of a module is its own source and that of every module of this project that it imports, directly or
not; of a module outside the project also the files beside it and those that it imports relatively. Its digest changes when any of these changes and not otherwise, so it tells whether two numbers
were made in the same way.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import pkgutil
import platform
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from theory.errors import MoelawsError
from theory.lazy import homes

PROJECT = ("theory", "empirics", "verify", "paper_checks")
NOT_INSTALLED = "not installed"
_DISTRIBUTIONS = {"flint": "python-flint", "z3": "z3-solver"}


class SourceMissing(MoelawsError, LookupError):
    """The source of a module that a number rests on is nowhere to be read, so the number has no provenance."""


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no blanks: the same text for the same value. ValueError for nan and infinities."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@cache
def source_digest(module: str) -> str:
    """Digest of a module's source and of all project modules it imports, directly or not."""
    sources = sorted(
        (_stable_name(name, module), hashlib.sha256(_source(name)).hexdigest()) for name in closure(module)
    )
    return digest([list(pair) for pair in sources])


def _stable_name(name: str, module: str) -> str:
    """A file beside a paper's own check by its path within the paper, a module by its name."""
    if not name.endswith(".py"):
        return name if name.split(".")[0] in PROJECT else "the check itself"
    return os.path.relpath(name, Path(str(sys.modules[module].__file__)).parent)


@cache
def code_digest(module: str) -> str:
    """Digest of all code behind a module: the project's sources and the versions of the libraries they import."""
    return digest([source_digest(module), library_versions(module)])


@cache
def library_versions(module: str) -> dict[str, str]:
    """Versions of Python and of every distribution that the module's closure imports, with what those need."""
    names: set[str] = set()
    for source in closure(module):
        names |= {top for top in _imports(source)[1] if top not in sys.stdlib_module_names}
    found: set[str] = set()
    for name in names:
        _with_requirements(_DISTRIBUTIONS.get(name, name), found)
    versions = {name: version_of(name) for name in sorted(found)}
    loose = {name: _loose_source(name) for name in names & set(found) if versions[name] == NOT_INSTALLED}
    return {
        "python": platform.python_version(),
        **versions,
        **{name: text for name, text in sorted(loose.items()) if text},
    }


def _loose_source(name: str) -> str:
    """Digest of the Python files of a module that no distribution brought, such as one beside the working folder."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ""
    roots = list(spec.submodule_search_locations or ()) if spec else []
    files = {path for root in roots for path in Path(root).rglob("*.py")}
    if spec and spec.origin and Path(spec.origin).is_file():
        files.add(Path(spec.origin))
    return (
        f"sources {digest(sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in files))}"
        if files
        else ""
    )


@cache
def version_of(distribution: str) -> str:
    """The installed version of a distribution, or "not installed"."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return NOT_INSTALLED


def _with_requirements(distribution: str, found: set[str]) -> None:
    if distribution in found:
        return
    found.add(distribution)
    try:
        requirements = importlib.metadata.requires(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return
    for requirement in requirements:
        if "extra ==" not in requirement:
            name = re.match(r"[A-Za-z0-9._-]+", requirement)
            if name:
                _with_requirements(name[0], found)


@cache
def closure(module: str) -> tuple[str, ...]:
    """The module and every project module it imports; a paper's own check counts all modules of its paper."""
    found: set[str] = set()
    pending = [module, *_siblings(module)]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += _imports(name)[0]
    return tuple(sorted(found))


def _siblings(module: str) -> list[str]:
    """The other Python files of the folder that a module outside the project comes from, as file names.

    Those of folders below it count where they are imported: the folder may be the root of a disk.
    """
    if module.split(".")[0] in PROJECT:
        return []
    origin = getattr(sys.modules.get(module), "__file__", None)
    return (
        [str(path) for path in sorted(Path(origin).parent.glob("*.py")) if path.is_file()] if origin else []
    )


@cache
def _imports(module: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(project modules, other top-level names) that a module's source imports anywhere in it.

    A file that is no Python of this version, which nothing can import, imports nothing; it counts by its bytes.
    """
    try:
        tree = ast.parse(_source(module))
    except (SyntaxError, ValueError):  # an unknown encoding, a NUL
        return (), ()
    found = [name for package in _registries(tree) for name in _modules_below(package)]
    for node in _executed(tree.body):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
            for alias in node.names:  # a bare package may load any of its modules
                found += set(_lazy_exports(alias.name).values()) if alias.name in PROJECT else ()
        elif isinstance(node, ast.ImportFrom):
            found += _imported_from(module, node)
    ours = tuple(name for name in found if name.split(".")[0] in PROJECT or name.endswith(".py"))
    return ours, tuple(name.split(".")[0] for name in found if name not in ours)


def _registries(tree: ast.Module) -> Iterator[str]:
    """The packages of the module-level registries of a source, ``NAME = Defined(kind, package)``: they import all of it."""
    for node in tree.body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Defined":
            yield str(ast.literal_eval(value.args[1]))


def _modules_below(package: str) -> Iterator[str]:
    spec = importlib.util.find_spec(package)
    for found in pkgutil.iter_modules(
        spec.submodule_search_locations if spec else None, prefix=f"{package}."
    ):
        yield found.name
        if found.ispkg:
            yield from _modules_below(found.name)


def _executed(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """These statements and every one inside them that can run: what stands under ``if TYPE_CHECKING:`` never does."""
    pending: list[Any] = list(statements)
    while pending:
        node = pending.pop()
        yield node
        never = (
            isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        )
        for part in ("orelse", "finalbody", "handlers", "cases", *(() if never else ("body",))):
            pending += getattr(node, part, ())


def _imported_from(module: str, node: ast.ImportFrom) -> list[str]:
    """The modules that ``from x import a, b`` reads: x itself, its submodules, and where x loads a name from."""
    if node.level and module.split(".")[0] not in PROJECT:
        return _files_imported(module, node)
    base = node.module or ""
    if node.level:
        base = ".".join([*module.split(".")[: -node.level], *([base] if base else [])])
    exported = _lazy_exports(base) if base in PROJECT else {}
    names = [alias.name for alias in node.names]
    names = list(exported) if names == ["*"] else names
    found = [base] if node.level == 0 or node.module else []
    for name in names:
        if name in exported:
            found.append(exported[name])
        elif _is_module(f"{base}.{name}"):
            found.append(f"{base}.{name}")
    return found


def _files_imported(module: str, node: ast.ImportFrom) -> list[str]:
    """The files that a relative import reads in a module outside the project; they may lie above its folder."""
    origin = module if module.endswith(".py") else getattr(sys.modules.get(module), "__file__", None)
    if not origin or node.level > len(Path(origin).parents):
        return []
    base = Path(origin).parents[node.level - 1].joinpath(*(node.module or "").split("."))
    places = [base, *(base / alias.name for alias in node.names)]
    files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return [str(file) for file in files if file.is_file()]


@cache
def _lazy_exports(package: str) -> dict[str, str]:
    """Name -> module for a package whose ``__init__.pyi`` says where its names load from."""
    spec = importlib.util.find_spec(package)
    return homes(package, spec.origin if spec else None)


@cache
def _is_module(name: str) -> bool:
    """Whether the project has this module. Its folders say: asking Python for ``a.b.c`` would import ``a.b``."""
    package, *below = name.split(".")
    if package not in PROJECT:
        return False
    path = _folder(package).joinpath(*below)
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


@cache
def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SourceMissing(f"the folder of package {package} cannot be found")
    return Path(spec.origin).parent


@cache
def _source(module: str) -> bytes:
    if module.endswith(".py"):  # a file beside a paper's own check
        try:
            return Path(module).read_bytes()
        except OSError as problem:
            raise SourceMissing(
                f"{module}, beside a check or an experiment, cannot be read: {problem.strerror}"
            ) from None
    loaded = sys.modules.get(module)
    origin = getattr(loaded, "__file__", None)
    if origin is None:
        spec = importlib.util.find_spec(module)
        origin = spec.origin if spec else None
    if origin is None or not Path(origin).is_file():
        raise SourceMissing(f"the source of module {module} cannot be found")
    return Path(origin).read_bytes()


def forget_sources() -> None:
    """Read sources afresh (they are otherwise read once a process)."""
    for cached in (
        source_digest,
        code_digest,
        library_versions,
        closure,
        _imports,
        _lazy_exports,
        _source,
        _is_module,
    ):
        cached.cache_clear()


@cache
def hardware() -> str:
    """The processor's name and its cores, as far as the platform says."""
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} cores"
