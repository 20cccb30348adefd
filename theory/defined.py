"""Registration by definition: `Defined` holds every module-level object of a kind in the modules of a package.

Nothing is listed by hand. A registry imports the modules of its package when it is first looked at.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import ModuleType
from typing import Any, Generic, TypeVar

from theory.errors import MoelawsError

T = TypeVar("T")


def modules_of(package: str) -> Iterator[ModuleType]:
    """Every module in a package and in the packages below it, imported, in the order of their names."""
    root = importlib.import_module(package)
    for found in pkgutil.walk_packages(root.__path__, prefix=f"{package}."):
        yield importlib.import_module(found.name)


class Defined(Mapping[str, T], Generic[T]):
    """Every module-level ``kind`` in the modules of ``package``, by its ``name``, in the order of the modules.

    ValueError where two of them have one name.
    """

    def __init__(self, kind: type[T], package: str) -> None:
        self.kind, self.package = kind, package

    @cached_property
    def _found(self) -> dict[str, T]:
        found: dict[str, T] = {}
        for module in modules_of(self.package):
            for value in vars(module).values():
                if isinstance(value, self.kind):
                    name: str = value.name  # type: ignore[attr-defined]
                    if found.setdefault(name, value) is not value:
                        raise MoelawsError(
                            f"two {self.kind.__name__}s are named {name!r}, one of them in {module.__name__}; "
                            "rename one of them"
                        )
        return found

    def __getitem__(self, name: str) -> T:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.package)

    def __repr__(self) -> str:
        return f"Defined({self.kind.__name__}, {self.package!r})"
