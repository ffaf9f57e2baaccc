# `make` lists the targets. Each one sets up what it needs, in .venv, on a machine that has only Python
# and, for the native core, a C++ compiler.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PAGE   := src/judged/page/web docs/interactive tests/page
BUILT  := pyproject.toml CMakeLists.txt $(wildcard src/native/*)

.PHONY: help demo test test-collections quick coverage external check docs docs-serve bench bench-scale simulate fuzz clean chromium axe java latex

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: $(VENV)/run  ## evaluate the sample collection: a table, and report.html
	@$(BIN)/judged demo

test: $(VENV)/test chromium axe java latex  ## every test; WITHOUT=java,tensors leaves out those that need them
	$(BIN)/python -m pytest -n auto --dist loadscope $(if $(WITHOUT),--without $(WITHOUT)) tests

test-collections: $(VENV)/test java  ## only the tests that read ../shared/data
	$(BIN)/python -m pytest -n auto --dist loadscope -m collections tests

QUICK := -n auto --hypothesis-profile quick -m "not slow and not conformance and not browser and not spark" tests
quick: $(VENV)/test  ## the quick core of the tests
	$(BIN)/python -m pytest $(QUICK)

coverage: $(VENV)/test  ## share of the Python lines that the quick tests run; make check fails below the floor in pyproject.toml
	$(BIN)/python -m pytest $(QUICK) --cov --cov-report=term:skip-covered

external: $(VENV)-external/made  ## trackers, and recipes of the docs inside MLflow, ragas, DeepEval, Haystack, LlamaIndex and Inspect, in an environment of their own
	$(VENV)-external/bin/python -m pytest tests/unit/integrations/test_recipes.py tests/unit/tables/test_trackers.py

check: coverage  ## the quick tests with their coverage, lint, formatting, strict types; builds the documentation and checks its links, spelling and completeness
	$(BIN)/ruff check src tests tools examples benchmarks fuzz simulations
	$(BIN)/ruff format --check src tests tools examples benchmarks fuzz simulations
	$(BIN)/mypy
	$(BIN)/deno lint $(PAGE)
	$(BIN)/deno fmt --check $(PAGE)
	$(BIN)/deno check $(PAGE)
	$(BIN)/python -m tools.site

docs: $(VENV)/docs  ## the documentation, into build/site, with every link checked; needs no network once .venv is there
	$(BIN)/python -m tools.site

docs-serve: $(VENV)/docs  ## the documentation on http://localhost:8000, which follows changes of docs/
	$(BIN)/python -m tools.site serve

chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-liberation; }; } >/dev/null 2>&1 \
	  || echo "There is no Chromium, and it cannot be installed here: tests that open the page in a browser are skipped."

# deno, which comes from PyPI, is the client of the npm registry.
axe: $(VENV)/test
	@[ -f $(VENV)/axe/node_modules/axe-core/axe.min.js ] \
	  || { mkdir -p $(VENV)/axe && cd $(VENV)/axe && echo '{"nodeModulesDir": "auto"}' > deno.json && ../bin/deno add --quiet npm:axe-core@4.14.0; } >/dev/null 2>&1 \
	  || echo "There is no axe-core, and it cannot be installed here: tests of accessibility are skipped."

java:
	@command -v java >/dev/null || [ -n "$$JAVA_HOME" ] \
	  || { [ "$$(id -u)" = 0 ] && { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq openjdk-17-jre-headless || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq default-jre-headless; }; } >/dev/null 2>&1 \
	  || echo "There is no Java, and it cannot be installed here: tests that start Spark are skipped."

latex:
	@kpsewhich booktabs.sty >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends texlive-latex-base texlive-latex-recommended; }; } >/dev/null 2>&1 \
	  || echo "There is no LaTeX, and it cannot be installed here: the test that compiles LaTeX tables is skipped."

BENCH ?=
bench: $(VENV)-bench/made  ## speed, as ratios to other tools in the same run; TREC_EVAL=… names the program, BENCH="csv json" some works
	$(VENV)-bench/bin/python benchmarks/run.py $(if $(BENCH),--only $(BENCH))

SCALE ?=
bench-scale: $(VENV)-scale/made java  ## runs of 5 to 200 million rows: out of core and on Spark, against SQL; SCALE="--rows 20" for less
	$(VENV)-scale/bin/python benchmarks/scale.py $(SCALE)

FUZZ_SECONDS ?= 60
SIMULATE ?= 1
simulate: $(VENV)/test  ## error rates of the statistics, into docs/explanations/error_rates.md (a quarter of an hour); SIMULATE=0.05 for a quick look
	$(BIN)/python -m simulations $(SIMULATE)

fuzz: $(VENV)-fuzz/made  ## the native core against the reference on hostile input, with sanitizers; FUZZ_SECONDS=60
	$(VENV)-fuzz/bin/python fuzz/run.py --seconds $(FUZZ_SECONDS)

clean:  ## remove what the other targets made
	rm -rf $(VENV) $(VENV)-external $(VENV)-bench $(VENV)-scale $(VENV)-fuzz build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/run: $(BUILT) | $(VENV)/pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/test: $(BUILT) | $(VENV)/pip
	$(BIN)/python -m pip install --quiet --editable . --group test --group peers --group tensors --group spark --group docs --group check
	@touch $@ $(VENV)/run $(VENV)/docs

$(VENV)/docs: $(BUILT) | $(VENV)/pip
	$(BIN)/python -m pip install --quiet --editable . --group docs
	@touch $@ $(VENV)/run

$(VENV)-%/made: $(BUILT) $(shell find src/judged -type f ! -name '*.pyc')
	$(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(VENV)-$*/bin/python -m pip install --quiet . --group $*
	@touch $@
