# A fresh machine needs Python >= 3.11, make and a package index; every target brings its own environment (.venv).

PYTHON ?= python3
ARGS ?=
WIDTHS ?= 4 8
WORKERS ?= logical

VENV := .venv
RUN := $(VENV)/bin/python

# Files of tests go to a worker for each processor, eight at most, those that take long first (tests/conftest.py); each
# file stays whole, for what its tests share.
IN_PARALLEL := --numprocesses=$(WORKERS) --maxprocesses=8 --dist=loadfile --no-loadscope-reorder

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test test-packs check format-check lint types layers format bench fuzz docs clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-14s %s\n' "$$name" "$$what"; done
	@echo "PYTHON=... chooses the interpreter (now $(PYTHON)), ARGS=... goes to pytest, to the benchmark and to the fuzzers;"
	@echo "WORKERS=1 runs tests one after the other, WORKERS=0 in the same process (for a debugger: ARGS=--pdb)."

demo: $(VENV)/has-demo  ## ETS-VII reaches out and back: the ledger's verdict, figures and a film, in build/demo
	@mkdir -p build/demo
	@$(VENV)/bin/spacedyn run ets7_reach --html build/demo/ets7_reach.html --plots build/demo --out build/demo/ets7_reach.nc
	@echo "Open build/demo/ets7_reach.html in a browser. Another film: "
	@echo "  $(VENV)/bin/spacedyn run ets7_reach --set laws.0.trip=20 --html build/demo/faster.html"

test: $(VENV)/has-tests  ## all tests, doctests and the README's program
	$(RUN) -m pytest $(IN_PARALLEL) --durations=10 $(ARGS)

test-packs: $(VENV)/has-tests  ## what depends on packs, with packs of 4 and 8 lanes, but for the width of `make test`
	@native=$$($(RUN) -c 'from spacedyn.kernels.scalar.pack import LANES; print(LANES)'); \
	for lanes in $(WIDTHS); do \
		[ "$$lanes" = "$$native" ] || SPACEDYN_LANES=$$lanes $(RUN) -m pytest $(IN_PARALLEL) -m packs tests $(ARGS) || exit 1; \
	done

check: format-check lint types layers  ## form, lint, types, import layers (make -k check shows all findings)

format-check: $(VENV)/has-dev
	$(RUN) -m ruff format --check

lint: $(VENV)/has-dev
	$(RUN) -m ruff check

types: $(VENV)/has-dev
	$(RUN) -m mypy

layers: $(VENV)/has-dev
	$(RUN) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

format: $(VENV)/has-dev  ## put the code into form
	$(RUN) -m ruff check --select I --fix
	$(RUN) -m ruff format

bench: $(VENV)/has-peers  ## this project against Pinocchio and MuJoCo, one table
	@$(RUN) -m benchmarks $(ARGS)

fuzz: $(VENV)/has-tests  ## a million damaged files, 100 000 bad calls, kills and changed checkpoints, one table
	@PYTHONPATH=tests $(RUN) -m fuzz $(ARGS)

docs: $(VENV)/has-docs  ## the documentation, into docs/_build/html
	$(RUN) -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:  ## remove the environment, caches and what was built
	rm -rf $(VENV) build dist docs/_build docs/reference docs/made .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment -----------------------------------------------------------------------------------------------
# $(VENV)/has-a-b says that the package and its extras a and b are installed, as pyproject.toml now has them.

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit("make: Python 3.11 or newer is needed, $(PYTHON) is " + sys.version.split()[0] \
		+ "; choose another with PYTHON=/path/to/python3" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/has-demo: extras := [plots]
$(VENV)/has-dev: extras := [dev]
$(VENV)/has-peers: extras := [peers]
$(VENV)/has-tests: extras := [dev,docs,peers,plots,view]
$(VENV)/has-docs: extras := [docs,dev,peers,plots,view]

$(VENV)/has-demo $(VENV)/has-dev $(VENV)/has-peers $(VENV)/has-tests $(VENV)/has-docs: $(VENV)/made pyproject.toml
	@echo "installing spacedyn$(extras) into $(VENV) (once, a minute or two)"
	@$(RUN) -m pip install --quiet --editable '.$(extras)'
	@touch $@
