# `make help` lists the targets. Each sets up only what it needs, in .venv; nothing is global.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
IMPL ?= reference
ARGS ?=

.PHONY: help setup conformance test lint corpus-check clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 18

$(VENV)/.conformance: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[conformance]'
	@touch $@

$(VENV)/.dev: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.conformance

setup: $(VENV)/.dev ## the environment for development

conformance: $(VENV)/.conformance ## run the suite: IMPL=name or IMPL="command", ARGS for pytest
	@$(BIN)/toolcode conformance --impl "$(IMPL)" $(ARGS)

lint: $(VENV)/.dev ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

test: $(VENV)/.dev ## everything that CI runs
	@$(BIN)/python -m pytest -n 2 -q tests

clean: ## remove what the targets made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
