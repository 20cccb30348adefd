"""A certificate in a line: it belongs into report.json, and a page says only what there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def certificate_line(evidence: Mapping[str, Any]) -> str:
    """The kind and the length of a claim's certificate, and what reads it; empty where the evidence has none."""
    certificate = (evidence.get("details") or {}).get("certificate")
    if not certificate:
        return ""
    parts = [(name, len(certificate[name])) for name in ("steps", "relations") if name in certificate]
    length = "".join(f", {count} {name.removesuffix('s') if count == 1 else name}" for name, count in parts)
    return f"{certificate['kind']}{length}; read again by 'moelaws recheck'"
