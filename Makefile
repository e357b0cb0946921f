# The commands of this repository. `make help` lists them; the README uses these and nothing else.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

UV = $(shell command -v uv 2>/dev/null || echo .tools/bin/uv)
RUN = $(UV) run --no-sync
# Where `tools/setup` unpacks the GL libraries when it has no root.
export LD_LIBRARY_PATH := $(CURDIR)/.gl/lib$(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))
# Tests wait more than they compute; a file stays together, so that its fixtures are built once.
PYTEST = $(RUN) pytest --dist loadfile
MEMBERS = $(notdir $(wildcard packages/*))
DEMO_ROBOCASA = --robot robocasa --task-name StartCoffeeMachine --seed 0 --planner flash
DEMO_ROBOSMITH = "swing the pendulum up and keep it upright"
DEMO = --robot libero --suite libero_object_swap --task 2 --seed 0 --planner flash

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

.PHONY: setup
setup: ## Install uv (if missing), the GL libraries, and the whole workspace with simulator and agent runtimes
	@tools/setup

.PHONY: demo
demo: ## Solve a LIBERO-PRO task in the real simulator, without a model and without a key
	@tools/setup demo
	$(RUN) rpent run $(DEMO)

.PHONY: demo-robocasa
demo-robocasa: ## Solve a task in a real RoboCasa365 kitchen of placeholder assets, without a model and without a key
	@tools/setup demo-robocasa
	$(RUN) rpent run $(DEMO_ROBOCASA)

.PHONY: demo-robosmith
demo-robosmith: ## Train a policy from a sentence, from nothing to a film and a report, without a model and without a key
	@tools/setup demo-robosmith
	$(RUN) rpent smith run $(DEMO_ROBOSMITH)

.PHONY: test
test: setup lint test-quick test-sdk test-sim test-browser test-models test-wheels ## Run every check and every test, from nothing

.PHONY: lint
lint: ## Format check, lint, types, layers, generated docs
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy $(wildcard packages/*/src)
	$(RUN) lint-imports
	$(RUN) python tools/reference.py --check

.PHONY: test-quick
test-quick: ## Unit, contract and command-line tests (no simulator, no vendor binary, no browser)
	$(PYTEST) -n 3 -m "not sim and not sdk and not browser and not wheels and not models" packages tests

.PHONY: test-sdk
test-sdk: ## Tests that drive the vendors' agent runtimes against local model servers
	$(PYTEST) -n 2 -m "sdk and not sim and not browser and not wheels and not models" packages tests

.PHONY: test-sim
test-sim: ## Tests on the real simulators
	tools/robocasa-setup
	RPENT_STRICT_ROBOCASA=1 $(PYTEST) -n 2 -m "sim and not browser and not wheels and not models" packages tests

.PHONY: test-browser
test-browser: ## Tests of the dashboard in Chromium, some with the simulator; their screenshots go to build/screenshots
	tools/browser-setup
	RPENT_STRICT_BROWSER=1 RPENT_SCREENSHOTS=$(CURDIR)/build/screenshots $(PYTEST) -n 2 -m "browser and not wheels and not models" packages tests

.PHONY: test-models
test-models: ## Build environments with torch, transformers and LeRobot, and run the tests of real model classes
	tools/models-setup
	RPENT_STRICT_MODELS=1 $(PYTEST) -n 2 -m "models and not wheels" packages tests

.PHONY: test-wheels
test-wheels: ## Build the wheels and use them in fresh environments; each member alone
	$(PYTEST) -n 2 -m "wheels" packages tests
	tools/test-members $(MEMBERS)

.PHONY: fix
fix: ## Format and mend what ruff can mend
	$(RUN) ruff format .
	$(RUN) ruff check --fix .

.PHONY: docs
docs: ## Regenerate docs/reference from the code
	$(RUN) python tools/reference.py

.PHONY: bench
bench: ## Run the speed benchmarks (minutes); results go to benchmarks/results
	$(RUN) python benchmarks/rpc_round_trip.py
	$(RUN) python benchmarks/cli_startup.py
	$(RUN) python benchmarks/state_capture.py
	$(RUN) python benchmarks/env_speed.py
	$(RUN) python benchmarks/planner_overhead.py
	$(RUN) python benchmarks/policy_server.py

.PHONY: bench-dashboard
bench-dashboard: ## Watch a busy run in five browsers for ten minutes, and open a long one; results go to benchmarks/results
	tools/browser-setup
	$(RUN) python benchmarks/dashboard_load.py

.PHONY: bench-flash
bench-flash: ## Run flash over LIBERO and LIBERO-PRO (some five minutes); results go to benchmarks/results
	$(RUN) python benchmarks/flash_matrix.py --fresh

.PHONY: bench-robocasa
bench-robocasa: ## Sweep RoboCasa365's tasks, run flash in its kitchens, measure its control step (hours); results go to benchmarks/results
	tools/robocasa-setup
	$(RUN) python benchmarks/robocasa_speed.py
	$(RUN) python benchmarks/robocasa_flash.py
	$(RUN) python benchmarks/robocasa_sweep.py

.PHONY: bench-robosmith
bench-robosmith: ## Compare the workshop's trainings with the trainer's library called directly; results go to benchmarks/results
	tools/models-setup robosmith
	$(RUN) python benchmarks/smith_training.py

.PHONY: bench-bc
bench-bc: ## Train a policy from flash's runs and let it pick elsewhere (some half an hour); results go to benchmarks/results
	tools/models-setup torch
	$(RUN) python benchmarks/bc_policy.py

.PHONY: clean
clean: ## Remove what the other targets made
	rm -rf .venv .tools .gl dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
