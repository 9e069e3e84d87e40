# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
# make        builds the command line program build/netra
# make demo   SmolLM2-135M answers PROMPT, on the GPU where there is one
# make test   builds and runs everything: g++, clang 19 with sanitizers, lints, packages

PROMPT ?= What is gravity?
export NETRA_PROMPT := $(value PROMPT)
JOBS ?= $(shell nproc)
GPU ?= /dev/nvidiactl
FUZZ_SECONDS ?= 600

.PHONY: program demo test fuzz clean packages

program: packages
	@test -f build/build.ninja || cmake --preset release -DNETRA_TESTS=OFF -DNETRA_BENCHMARKS=OFF
	@cmake --build build --target netra_program --parallel $(JOBS)

demo:
	@tools/setup/packages build weights
	@model=$$(tools/setup/demo_weights) && \
	{ test -f build/build.ninja || cmake --no-warn-unused-cli --preset release -DNETRA_TESTS=OFF -DNETRA_BENCHMARKS=OFF; } && \
	if test -e $(GPU); then \
	    cmake --build build --target netra_program --parallel $(JOBS) && build/netra run --stats -- "$$model" "$$NETRA_PROMPT"; \
	else \
	    cmake --build build --target smollm2 --parallel $(JOBS) && build/examples/smollm2 "$$model" "$$NETRA_PROMPT"; \
	fi && \
	printf '\nThe model is %s\n' "$$model"

test:
	@tools/setup/packages build weights test
	@model=$$(tools/setup/demo_weights) && \
	for preset in release asan-ubsan tsan; do \
	    cmake --preset $$preset -DNETRA_TESTS=ON -DNETRA_DEMO_GGUF="$$model" && \
	    cmake --build --preset $$preset --parallel $(JOBS) || exit 1; \
	done
	@mkdir -p build/everything
	@printf 'subdirs("%s" "%s" "%s")\n' $(CURDIR)/build $(CURDIR)/build-asan-ubsan $(CURDIR)/build-tsan >build/everything/CTestTestfile.cmake
	@ctest --test-dir build/everything --output-on-failure --parallel $(JOBS)

fuzz:
	@tools/setup/packages build test
	@cmake --preset asan-ubsan -DNETRA_TESTS=ON && cmake --build --preset asan-ubsan --target fuzz_targets --parallel $(JOBS)
	@cd build-asan-ubsan/tests/fuzz && for target in fuzz.*; do \
	    name=$${target#fuzz.}; test $$name != seeds || continue; \
	    ./$$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	        found/$$name seeds/$$name $$(find $(CURDIR)/tests/fuzz/corpus -mindepth 1 -name $$name 2>/dev/null) || exit 1; \
	done

packages:
	@tools/setup/packages build

clean:
	rm -rf build build-dev build-clang-19 build-asan-ubsan build-tsan
