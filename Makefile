# Two commands are all a newcomer needs: "make verify" and "make test".
# Each sets up what it uses in .venv, from constraints.txt, and nothing else.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile

.PHONY: verify test test-all lint stubs docs proofs bench wheel clean

verify: $(VENV)/.base
	$(BIN)/moelaws verify

# What a change can break, in minutes; PYTEST_ARGS=... adds options. tests/tiers.py says which test stands where.
test: $(VENV)/.dev
	$(PYTEST) -m "not thorough" $(PYTEST_ARGS)

# The rest: the whole report, the documentation, pages in a browser, kernels, the wheel.
test-all: $(VENV)/.all
	$(PYTEST) -m thorough $(PYTEST_ARGS)

lint: $(VENV)/.dev
	$(BIN)/python tools/stubs.py --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

stubs: $(VENV)/.base
	$(BIN)/python tools/stubs.py

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -b html -nW --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

# Compiles the theorems that Coq proves (Debian: apt-get install --no-install-recommends coq, 248 MB to download).
proofs: $(VENV)/.base
	$(BIN)/python tools/proofs.py $(PROOFS_ARGS)

bench: $(VENV)/.all
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/verification.py
	$(BIN)/python benchmarks/derivations.py
	$(BIN)/python benchmarks/pairs.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/checker.py
	$(BIN)/python benchmarks/moe_layer.py
	$(BIN)/python benchmarks/model.py
	$(BIN)/python benchmarks/dimension.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/routing.py
	$(BIN)/python benchmarks/constructive.py

wheel: $(VENV)/.dev
	rm -rf build dist
	$(BIN)/python -m build --quiet --wheel

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache moelaws-report docs/_build docs/reference docs/papers

$(VENV)/.base: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "moelaws needs Python 3.11 or newer with venv; none was found. Run: make PYTHON=/path/to/python3.11"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing moelaws and its libraries into $(VENV) (about 110 MB to download)"
	@$(INSTALL) -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	@echo "installing the development tools into $(VENV) (about 280 MB to download, 190 MB of it torch)"
	@$(INSTALL) -e ".[dev]"
	@touch $@

$(VENV)/.all: $(VENV)/.dev $(VENV)/.docs
	@echo "installing what the thorough tests need into $(VENV) (about 350 MB to download, 290 MB of it triton)"
	@$(INSTALL) -e ".[all]"
	@touch $@

$(VENV)/.docs: $(VENV)/.base
	@echo "installing the documentation tools into $(VENV) (about 20 MB to download)"
	@$(INSTALL) -e ".[docs]"
	@touch $@
