"""Start-up of the ``moelaws`` command: find our own ``verify`` package, then hand over to it.

Another distribution also installs a module called ``verify``; if it shadows
ours, that is said in one line instead of ending in a puzzling ImportError.
"""

import sys
from pathlib import Path


def main() -> None:
    """Run the command line; returns only through SystemExit."""
    try:
        import verify

        foreign = Path(verify.__file__ or "").resolve().parent != Path(__file__).resolve().parent / "verify"
    except ImportError:
        foreign = True
        verify = None  # type: ignore[assignment]
    if foreign:
        found = getattr(verify, "__file__", None) or "none at all"
        sys.exit(
            f"moelaws: expected its own package 'verify' beside {Path(__file__).resolve()}, but Python found "
            f"{found}; another distribution shadows it. Install moelaws in an environment of its own."
        )
    from verify.commands.app import run

    run()


if __name__ == "__main__":
    main()
