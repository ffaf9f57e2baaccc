# `make` lists the targets. Each one sets up what it needs, in .venv, on a machine that has only Python.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: help demo test quick check bench clean

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

demo: $(VENV)/run  ## evaluate the sample collection: a table, and why
	@$(BIN)/judged demo

test: $(VENV)/test  ## every test
	$(BIN)/python -m pytest -n auto --dist loadscope tests

quick: $(VENV)/test  ## the quick core of the tests
	$(BIN)/python -m pytest -n auto -m "not slow and not conformance" tests

check: $(VENV)/test  ## lint, formatting and strict types
	$(BIN)/ruff check src tests tools
	$(BIN)/ruff format --check src tests tools
	$(BIN)/mypy

bench: $(VENV)/test  ## speed, as ratios to other tools in the same run
	$(BIN)/python tools/bench.py

clean:  ## remove what the other targets made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/run: pyproject.toml | $(VENV)/pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/test: pyproject.toml | $(VENV)/pip
	$(BIN)/python -m pip install --quiet --editable . --group test --group peers --group check
	@touch $@ $(VENV)/run
