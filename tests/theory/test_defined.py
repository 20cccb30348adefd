"""Registration by definition: what a package's modules define is found, and two of one name are refused."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from theory.defined import Defined, modules_of


@dataclass(frozen=True)
class Kind:
    name: str


MAKES = "from kinds import Kind\nthing = Kind('{}')\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a package of these files and make it importable; the modules may import `Kind` from ``kinds``."""

    def make(name: str, files: dict[str, str]) -> str:
        for file, text in {"__init__.py": "", **files}.items():
            path = tmp_path / name / file
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(text)
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setitem(sys.modules, "kinds", sys.modules[__name__])
        return name

    return make


def test_what_modules_define_is_found_in_rooms_too_and_once_where_it_is_imported(package):
    again = "from found_package.one import thing as again\n"
    files = {
        "one.py": MAKES.format("first") + "_hidden = Kind('private')\nnumber = 1\n",
        "room/__init__.py": "",
        "room/two.py": again + MAKES.format("second"),
    }
    name = package("found_package", files)
    assert list(Defined(Kind, name)) == ["first", "private", "second"]
    assert [m.__name__ for m in modules_of(name)] == [f"{name}.{m}" for m in ("one", "room", "room.two")]


def test_two_of_one_name_are_refused(package):
    name = package("twice_package", {"one.py": MAKES.format("same"), "two.py": MAKES.format("same")})
    with pytest.raises(ValueError, match=r"two Kinds are named 'same', one of them in twice_package\.two"):
        len(Defined(Kind, name))


def test_nothing_is_imported_before_the_first_look(package):
    name = package("broken_package", {"one.py": "raise RuntimeError('imported')\n"})
    registry = Defined(Kind, name)
    with pytest.raises(RuntimeError, match="imported"):
        list(registry)
