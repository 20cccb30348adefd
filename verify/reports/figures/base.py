"""What a figure is, and how the one that details name is found."""

from __future__ import annotations

import math
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Annotated, Any, ClassVar, TypeVar

from annotated_types import Len
from markupsafe import Markup
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

T = TypeVar("T")
Values = Mapping[str, Any]
Number = Annotated[str, AfterValidator(lambda text: _number(text))]
"""A text that is a finite number; `Limit` may be infinite too."""
Limit = Annotated[str, AfterValidator(lambda text: _number(text, infinite=True))]
Pair = Annotated[list[T], Len(2, 2)]


def _number(text: str, *, infinite: bool = False) -> str:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value) or (math.isinf(value) and not infinite):
        raise PydanticCustomError("form", "expected a number")
    return text


@dataclass(frozen=True)
class Drawn:
    """What goes into a figure's template; ``holds_formulas`` where the formulas of the claim stand in it, so not above it too."""

    context: Values
    holds_formulas: bool = False


@dataclass(frozen=True)
class Erratum:
    """A printed number that does not follow: where it stands, what is printed, what was recomputed, and the unit of both."""

    place: str
    printed: str
    recomputed: str
    unit: str = ""


class Figure(ABC):
    """How one kind of `verify.details.Details` is shown, on a card by ``templates/figure-NAME.html`` and in Markdown.

    ``name`` is what the details give as their ``figure``. A figure reads the entry of report.json and nothing else;
    ``shape``, a TypedDict, says what of the details it reads, and a report that holds anything else there is refused.
    """

    name: ClassVar[str]
    shape: ClassVar[Any]

    @abstractmethod
    def drawn(self, entry: Values, *, cells_shown: int, formulas_shown: int) -> Drawn:
        """The values for the template: at most ``cells_shown`` rows of a table."""

    def errata(self, entry: Values) -> Iterator[Erratum]:
        """The printed numbers that the evidence of a refuted claim corrects, none where it corrects no number."""
        yield from ()

    def thumbnail(self, entry: Values) -> Markup:
        """The one strip that shows best what is wrong, empty where there is none."""
        return Markup("")

    def markdown(self, details: Values, escape: Callable[[str], str]) -> Iterator[str]:
        """Lines of Markdown, none where the finding says it all; ``escape`` makes text show as text."""
        yield from ()


def figure_of(details: Values) -> Figure | None:
    """The figure that these details name; None where they name none."""
    name = details.get("figure")
    return _figures().get(name) if isinstance(name, str) else None


@cache
def _figures() -> dict[str, Figure]:
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
    return {kind.name: kind() for kind in Figure.__subclasses__()}
