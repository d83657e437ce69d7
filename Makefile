# A thin front of scripts/ and CMakePresets.json. `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := programs
.PHONY: programs release demo test check check-long setup asan tsan fuzz mutation soak headers cuda gpu-check docs site format lint env clean help

programs: ## compile build/release/bin/ganscale and ganscale-operator (the default)
	@scripts/setup.sh build
	@scripts/build.sh release ganscale ganscale-operator

release: ## also compile the tests and benchmarks
	@scripts/setup.sh build
	@scripts/build.sh release

demo: ## set up, compile, invent typefaces on all cores, write runs/demo/report.html and walk.webp; rerun to resume
	@scripts/demo.sh

test: ## set up, compile, run every test that needs no GPU
	@scripts/test.sh release

check: ## check what `make test` leaves out: formatting and limits, the CUDA build, the sanitizers
	@scripts/test.sh lint cuda asan tsan

check-long: ## before a release: run slow tests that seldom fail (docs/testing.md)
	@scripts/test.sh headers gpu asan-all tsan-all long kubernetes

setup: ## install everything that any target needs
	@scripts/setup.sh build test cuda

asan: ## run the tests of code that manages memory under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/test.sh asan

tsan: ## run the tests of code with threads, and the collective tests, under ThreadSanitizer
	@scripts/test.sh tsan

fuzz: ## fuzz every parser of files and messages, SECONDS_EACH=60 each (docs/testing.md)
	@scripts/fuzz.sh

mutation: ## plant COUNT=300 small mistakes into the code that decides, and report which the unit tests catch (docs/testing.md)
	@scripts/mutation.sh

soak: ## for MINUTES=60 each: train by each scheme, let trainings come and go under an operator; does memory, or what else, grow?
	@scripts/setup.sh test
	@scripts/build.sh release ganscale ganscale-operator
	@tests/cluster/build-tools.sh >/dev/null && tests/cluster/build-tools.sh --addons >/dev/null
	@. scripts/environment.sh; status=0; \
	"$$python_folder/bin/python3" tests/soak/training_soak.py --minutes $(or $(MINUTES),60) || status=1; \
	tests/soak/operator_soak.py --minutes $(or $(MINUTES),60) || status=1; exit $$status

cuda: ## compile build/cuda/bin/ganscale and ganscale-operator, with the CUDA kernels and NCCL, by nvcc from the Python wheels
	@scripts/setup.sh cuda
	@scripts/build.sh cuda ganscale ganscale-operator

gpu-check: ## on a machine with a GPU: build, run the GPU tests and benchmarks
	@scripts/gpu-check.sh

docs: release ## regenerate from code: docs/metrics*.md, configs/worker-schema.json, the charts' READMEs and dashboards
	@GANSCALE_UPDATE_DOCS=1 build/release/bin/telemetry_test --gtest_filter='MetricsReference.*'
	@GANSCALE_UPDATE_DOCS=1 build/release/bin/gan_training_reconcile_test --gtest_filter='MetricsReference.*'
	@/usr/bin/python3 scripts/chart-readme.py
	@scripts/setup.sh docs
	@$$(scripts/python-folder.sh docs)/bin/python scripts/make-dashboards.py
	@build/release/bin/ganscale config-schema > build/worker-schema.json && mv build/worker-schema.json configs/

site: ## build the documentation as a site with search: build/site/index.html
	@scripts/site.sh

format: ## format every C++ file with clang-format
	@scripts/setup.sh test
	@scripts/lint.sh --fix

lint: ## check formatting and the limits of docs/style.md
	@scripts/test.sh lint

headers: ## compile each header alone
	@scripts/test.sh headers

env: ## print commands that put cmake and ctest on your PATH, for eval
	@. scripts/environment.sh && echo "export PATH='$$python_folder/bin':\"\$$PATH\" CCACHE_BASEDIR='$$repository' CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS='$$CCACHE_SLOPPINESS'$${CCACHE_DIR:+ CCACHE_DIR='$$CCACHE_DIR'}$${CCACHE_READONLY:+ CCACHE_READONLY='$$CCACHE_READONLY'}$${CCACHE_TEMPDIR:+ CCACHE_TEMPDIR='$$CCACHE_TEMPDIR'}"

clean: ## remove build/ (runs/ and the cache folder stay)
	rm -rf build

help: ## print this list
	@grep -hE '^[a-z-]+:[^#]*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/' | expand -t 20
