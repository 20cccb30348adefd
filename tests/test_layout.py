"""Start-up stays light, and nothing in the tree needs what is outside it; which room imports which is in test_rooms."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run_python(code: str, *path: Path) -> str:
    environment = {"PYTHONPATH": ":".join(map(str, path)), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_theory_does_not_import_torch(tmp_path):
    (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')")
    run_python("from theory import *; data_exponent, JMSL, MoETransformer", tmp_path)
    run_python("from verify import *; PrintedTable, Homogeneous", tmp_path)


def test_the_command_line_starts_without_sympy_or_scipy():
    loaded = run_python(
        "import sys, verify.commands.app; print(' '.join(m for m in ('sympy', 'scipy', 'numpy') if m in sys.modules))"
    )
    assert loaded.strip() == ""


def test_star_import_brings_the_vocabulary():
    out = run_python("from theory import *; print(beta, data_exponent, JMSL.at(1).u > 0)")
    assert out.startswith("beta data_exponent: alpha_D = 2*beta/(2*beta + d)")


def test_every_check_has_a_docstring_and_is_exported():
    import verify
    from verify.checks.base import Check

    for path in (ROOT / "verify" / "checks").glob("*.py"):
        if path.stem in ("__init__", "base", "arguments", "table_verdict"):
            continue
        module = __import__(f"verify.checks.{path.stem}", fromlist=["x"])
        checks = [
            v
            for v in vars(module).values()
            if isinstance(v, type) and issubclass(v, Check) and v.__module__ == module.__name__
        ]
        assert checks, path
        for check in checks:
            assert check.__doc__
            assert getattr(verify, check.__name__) is check


def test_a_foreign_verify_package_is_named_at_start_up(tmp_path):
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / "__init__.py").write_text("")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.path.insert(0, sys.argv[1]); import moelaws; moelaws.main()",
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "another distribution shadows it" in done.stderr
    assert "Traceback" not in done.stderr
