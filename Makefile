# The two commands of the README, `make demo` and `make test`, need Python 3.11 to 3.13, git and make, and nothing else.
SHELL := /bin/bash
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell command -v $(name))))
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
SLOW := $(addprefix tests/chain/test_,$(addsuffix .py,engine eval kill report signals stages)) tests/cli/test_signals.py
QUICK := tests $(addprefix --ignore ,tests/matrix tests/bench $(SLOW))
LONG := tests/oracle tests/statements $(wildcard tests/taskgen/test_*_block.py) $(SLOW)
EXACT := tests/core tests/taskgen tests/certificates tests/policies

.PHONY: help demo test test-matrix lint format goodhart bench docs clean

help:  ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] <= (3, 13) else "Python 3.11 to 3.13 is needed, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip "setuptools>=77" wheel
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(READY)

demo: $(READY)  ## Score the reference policies on freshly generated tasks and show one task.
	$(BIN)/impossible-rubrics gate
	$(BIN)/impossible-rubrics sweep --n 60
	$(BIN)/impossible-rubrics sweep --draw balanced --n 60
	$(BIN)/impossible-rubrics tasks --n 1

test: $(READY)  ## Run the quick tests (under 10 minutes on 2 cores).
	$(BIN)/pytest $(QUICK) --numprocesses 2

test-matrix: $(READY)  ## Ground types, Python and verifiers versions, fresh installs (slow).
	for types in python gmpy; do \
		SYMPY_GROUND_TYPES=$$types $(BIN)/pytest $(EXACT) --numprocesses 2 --quiet || exit 1; \
	done
	ALL_SEEDS=1 ORACLE_TASKS=300 $(BIN)/pytest $(LONG) --numprocesses 2 --quiet
	$(BIN)/pytest tests/matrix

lint: $(READY)  ## ruff and mypy.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build/typed && mkdir -p build/typed
	cp -r impossible_rubrics_env build/typed/ && cp -r taskgen certificates reference_policies bindings build/typed/impossible_rubrics_env/
	MYPYPATH=build/typed $(BIN)/mypy --cache-dir build/typed/.mypy_cache --config-file pyproject.toml -p impossible_rubrics_env

format: $(READY)  ## Rewrite the code in the agreed format.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

goodhart: $(READY)  ## Train a small policy on a flawed and on the faithful rubric, and draw both curves.
	mkdir -p build
	$(BIN)/impossible-rubrics goodhart --plot build/goodhart.png

bench: $(READY)  ## Print the speed table (one core).
	$(BIN)/python tests/bench/bench.py

docs: $(READY)  ## Write the generated pages of docs/ again.
	$(BIN)/python -m impossible_rubrics_env.taskgen.frames > docs/frames.md
	$(BIN)/impossible-rubrics gallery > docs/gallery.md

clean:  ## Remove everything that was built.
	rm -rf $(VENV) .venvs build dist *.egg-info
