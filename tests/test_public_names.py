"""A public name is declared in its module's `__all__`; the stubs are written from there, and names load from them."""

from __future__ import annotations

import importlib
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from theory.lazy import homes, public_names
from theory.vocabulary import GLOSSARY

ROOT = Path(__file__).resolve().parents[1]
tool = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "stubs.py")))


@pytest.mark.parametrize("package", tool.PACKAGES)
def test_the_stubs_are_what_the_modules_declare(package):
    assert (ROOT / package / "__init__.pyi").read_text() == tool.stub(ROOT / package), "run: make stubs"


@pytest.mark.parametrize("package", ["theory", "verify"])
def test_every_public_name_loads(package):
    module = importlib.import_module(package)
    assert len(dir(module)) > 40
    for name in dir(module):
        assert getattr(module, name) is getattr(
            importlib.import_module(homes(package, module.__file__)[name]), name
        )


def test_every_symbol_of_the_glossary_is_public():
    theory = importlib.import_module("theory")
    assert [str(symbol) for symbol in GLOSSARY if getattr(theory, symbol.name, None) is not symbol] == []


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "invented"
    (folder / "room").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "room" / "__init__.py").write_text('__all__ = ["not_for_the_package"]\n')
    (folder / "room" / "one.py").write_text('__all__ = ["first"]\nfirst = second = 1\n')
    return folder


def test_a_stub_lists_what_modules_declare_and_nothing_else(package):
    assert tool.stub(package) == tool.HEADER + "from .room.one import first as first\n"
    (package / "__init__.pyi").write_text(tool.stub(package))
    assert homes("invented", str(package / "__init__.py")) == {"first": "invented.room.one"}


def test_a_name_that_two_modules_declare_is_refused(package):
    (package / "two.py").write_text('__all__ = ["first"]\n')
    with pytest.raises(ValueError, match="first is public in"):
        tool.stub(package)


def test_a_computed_list_is_refused(package):
    (package / "two.py").write_text("__all__ = [name for name in vars()]\n")
    with pytest.raises(ValueError, match="write its names as plain strings"):
        tool.stub(package)


def test_an_unknown_name_is_no_attribute():
    load, names, exported = public_names("theory", str(ROOT / "theory" / "__init__.py"))
    assert names() == exported
    with pytest.raises(AttributeError, match="module 'theory' has no attribute 'data_exponnt'"):
        load("data_exponnt")
