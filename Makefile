# Everything a person does with this repository, one word each. `make` alone lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo run build test bench fuzz asan tsan format profile tidy clean

help: ## show this list
	@echo "Slipstream: one generation for all who ask the same thing at the same time."
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "First time here? make demo"

demo: build ## install what is missing, build, show the effect against a built-in model stub
	@build/release/slipstream demo

run: build ## a gateway before the stub, or UPSTREAM=http://host:port; LISTEN, ADMIN, WORKERS, MODEL
	@tools/run.sh

build: ## the optimized program: build/release/slipstream
	@tools/install-packages.sh build
	@tools/build.sh release slipstream

test: ## every test; FAST=1 for the release tests only
	@tools/install-packages.sh build test
	@tools/run-tests.sh

asan: ## unit tests under the address and undefined behaviour sanitizers
	@tools/install-packages.sh build test
	@tools/run-tests.sh asan

tsan: ## concurrent tests under the thread sanitizer
	@tools/install-packages.sh build test
	@tools/run-tests.sh tsan

fuzz: ## every fuzz target, FUZZ_SECONDS each (60 unless told)
	@tools/install-packages.sh build test
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-60} tools/run-tests.sh fuzz

bench: ## micro-benchmarks, then the comparison with nginx, HAProxy and Varnish
	@tools/install-packages.sh build bench
	@tools/run-benches.sh

format: ## clang-format over all C++ files
	@tools/install-packages.sh lint
	@find src tests bench -name node_modules -prune -o \( -name '*.h' -o -name '*.cc' \) -print0 \
	  | xargs -0 -r clang-format-19 -i

profile: ## record cmake/release.profdata anew, by which release builds are laid out
	@tools/install-packages.sh build test bench
	@tools/make-profile.sh

tidy: ## clang-tidy over src
	@tools/install-packages.sh build lint
	@tools/run-tidy.sh

clean: ## remove everything that was built
	rm -rf build
