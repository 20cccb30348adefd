"""Where a measured number comes from: the code, the version and the machine."""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path


@cache
def code_digest(kind: type) -> str:
    """SHA-256 of the source file that defines a class."""
    return hashlib.sha256(Path(inspect.getfile(kind)).read_bytes()).hexdigest()


@cache
def version() -> str:
    """The installed version of moelaws."""
    try:
        return installed_version("moelaws")
    except PackageNotFoundError:
        return "not installed"


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
