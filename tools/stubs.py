"""Write the ``__init__.pyi`` of each package from the ``__all__`` of its modules; with ``--check``, only compare.

A module declares its public names where it defines them. Sources are read, not imported: torch need not be installed.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("theory", "empirics", "verify")
HEADER = (
    "# Written by tools/stubs.py from the __all__ of each module; change it there, then run: make stubs\n"
)


def declared(path: Path) -> list[str]:
    """The ``__all__`` of a file, empty where it has none; ValueError unless it is a list of plain strings."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            try:
                return list(ast.literal_eval(node.value))
            except ValueError:
                raise ValueError(f"{path}: __all__ is computed; write its names as plain strings") from None
    return []


def stub(package: Path) -> str:
    """The text of a package's stub; ValueError where two modules declare one name.

    The ``__init__.py`` of a room is a door of its own and declares nothing for the package.
    """
    home: dict[str, Path] = {}
    for path in sorted(package.rglob("*.py")):
        for name in declared(path) if path.name != "__init__.py" else ():
            if name in home:
                raise ValueError(f"{name} is public in {home[name]} and in {path}; rename one of them")
            home[name] = path
    lines = [
        f"from .{'.'.join(path.relative_to(package).with_suffix('').parts)} import {name} as {name}\n"
        for name, path in home.items()
    ]
    return "".join([HEADER, *sorted(lines)])


def main(arguments: list[str]) -> int:
    """0 where every stub is as it should be afterwards; 1 for ``--check`` on one that is not."""
    stale = []
    for package in PACKAGES:
        path = ROOT / package / "__init__.pyi"
        text = stub(path.parent)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path.relative_to(ROOT)))
            if "--check" not in arguments:
                path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{', '.join(stale)}: {'stale; run: make stubs' if '--check' in arguments else 'written'}")
    return int("--check" in arguments and bool(stale))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ValueError as problem:
        sys.exit(str(problem))
