"""A Python prompt with the theory's vocabulary, statements and laws loaded."""

from __future__ import annotations

import code
import importlib.util

BANNER = (
    "moelaws: the theory is loaded (beta, d, n, N, M, k, ...; data_exponent, risk_bound, JMSL, ...).\n"
    "Try data_exponent.explain(), MoETransformer(layers=4, d_model=512, d_ff=512, experts=8, active=2)."
    "active_parameters()"
)


def start() -> None:
    """Open IPython, or Python's own prompt where IPython is not installed."""
    namespace: dict[str, object] = {}
    exec("from theory import *", namespace)
    if importlib.util.find_spec("IPython"):
        from IPython import start_ipython  # type: ignore[import-not-found, unused-ignore]

        print(BANNER)
        start_ipython(argv=["--no-banner", "--no-confirm-exit"], user_ns=namespace)
        return
    code.interact(banner=BANNER, local=namespace, exitmsg="")
