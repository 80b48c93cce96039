# Two commands do everything on a fresh machine with Python 3.11+ and make: `make run` and `make test`.
.DEFAULT_GOAL := help
.PHONY: help install run stop test check format bench bench-ingest eval lock clean

VENV    := .venv
PY      := $(VENV)/bin/python
BIN     := $(VENV)/bin
STAMP   := $(VENV)/.installed
PORT    ?= 2024
JOBS    ?= 2
VAULT   ?= 50
PYTHON  ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## install everything into .venv (pinned, with hashes)

$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "PocketMind needs Python 3.11 or newer on the PATH (or PYTHON=/path/to/python3)."; exit 2; }
	@echo "Installing into $(VENV) with $(PYTHON) ..."
	@test -x $(PY) || $(PYTHON) -m venv $(VENV) 2>/dev/null || $(PYTHON) -m virtualenv -q $(VENV) || { rm -rf $(VENV); \
	  echo "This Python can make no virtual environment. On Debian or Ubuntu: apt install python3-venv"; exit 2; }
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

run: $(STAMP) ## start PocketMind: embedded PostgreSQL, both graphs, a worker (PORT=2024)
	@$(BIN)/pocketmind run --port $(PORT)

stop: $(STAMP) ## stop the embedded PostgreSQL (it goes on running after `make run` ends)
	@$(BIN)/pocketmind db stop

test: $(STAMP) ## run every test on a PostgreSQL of its own
	@$(PY) -m pytest -n $(JOBS)

check: $(STAMP) ## formatting, lint, types and the direction of imports
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

format: $(STAMP) ## format and mend what can be mended
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format .

bench: $(STAMP) ## measure the speed of turns, commits and retrieval on this machine
	@$(PY) -m evaluation.bench

bench-ingest: $(STAMP) ## measure what notes and a whole vault cost on their way in (VAULT=50 megabytes)
	@$(PY) -m evaluation.ingest --vault $(VAULT)

eval: $(STAMP) ## measure the offline brain on its labelled sets
	@$(PY) -m evaluation.offline

lock: ## write requirements.lock again from pyproject.toml (needs uv)
	@uv pip compile pyproject.toml --extra dev --extra office --extra ocr --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --quiet --upgrade --custom-compile-command "make lock" -o requirements.lock

clean: ## remove the environment and caches (data stays)
	@rm -rf $(VENV) .langgraph_api .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
