"""Every test of routing that asks for ``route`` runs on each implementation there is."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from empirics.routing import Routing
from empirics.routing import route as route_by_any


@pytest.fixture(params=["reference"])
def route(request: pytest.FixtureRequest) -> Callable[..., Routing]:
    return functools.partial(route_by_any, implementation=request.param)
