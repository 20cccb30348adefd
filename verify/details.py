"""What evidence has to show beside its finding: one small record a kind, which a report keeps as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any, ClassVar

NULLABLE = {"null": True}
"""The metadata of a field whose None is told as null and not left out."""


class Details(Mapping[str, Any]):
    """The details of one kind of evidence; subclasses are frozen dataclasses.

    Read as a mapping, a record is the JSON that a report keeps of it: its fields by name, without those that are None, and the
    name of the ``figure`` of `verify.reports.figures` that shows them, where there is one.
    """

    figure: ClassVar[str] = ""

    def __getitem__(self, name: str) -> Any:
        return self._record()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._record())

    def __len__(self) -> int:
        return len(self._record())

    def _record(self) -> dict[str, Any]:
        return ({"figure": self.figure} if self.figure else {}) | _fields_of(self)


def as_json(value: Any) -> Any:
    """JSON values of what evidence holds: a record becomes an object, None fields left out, a tuple a list.

    Anything else is returned as it is, so what JSON cannot hold stays for `json.dumps` to refuse.
    """
    if isinstance(value, Details):
        return value._record()
    if is_dataclass(value) and not isinstance(value, type):
        return _fields_of(value)
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, (list, tuple)) else value


def _fields_of(record: Any) -> dict[str, Any]:
    def told(each: Field[Any]) -> bool:
        return getattr(record, each.name) is not None or "null" in each.metadata

    return {each.name: as_json(getattr(record, each.name)) for each in fields(record) if told(each)}
