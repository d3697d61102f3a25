# Tenon: two commands do everything on a fresh Debian 12 machine.
#   make demo   install what is missing, build, run the main example, say where the results are
#   make test   build and run the tests
# More: make help

BUILD ?= build/release
JOBS  ?= $(shell nproc 2>/dev/null || echo 2)
TENON  = $(BUILD)/bin/tenon
CTEST  = ctest --test-dir $(BUILD) -j$(JOBS) --output-on-failure

.PHONY: help demo test mpi test-mpi build setup asan tsan fuzz mutate scan coverage docs-check verify bench bench-build bench-foundation bench-beams
.PHONY: bench-parallel bench-parallel-claims bench-state-time bench-staggered bench-implicit bench-auto bench-peers bench-fe docs install clean gallery viewer-vendor viewer-vendor-check bench-live

help:
	@echo "make demo              set up, build, run the main example"
	@echo "make test              set up, build, run the tests"
	@echo "make build             build only (in $(BUILD))"
	@echo "make mpi               tenon_mpi and libtenon_mpi beside them: several processes, started by mpirun"
	@echo "make test-mpi          their tests on 1 to 4 processes"
	@echo "make asan              unit and library tests under address and undefined-behaviour sanitizers"
	@echo "make tsan              what runs on several threads under the thread sanitizer"
	@echo "make fuzz              fuzz model texts, meshes, expressions and results (SECONDS=60 for each)"
	@echo "make coverage          lines and branches that the quick tests run, per room"
	@echo "make scan              properties of random models over the whole input language (MODELS=1000, FIRST=0)"
	@echo "make mutate            break one line at a time and see whether the tests of its room notice (MUTANTS=540)"
	@echo "make verify            slow verification studies, a short run of fuzz among them"
	@echo "make bench             all benchmarks; bench-foundation, bench-implicit, bench-staggered, bench-beams,"
	@echo "                       bench-auto, bench-state-time, bench-parallel, bench-peers, bench-live, bench-fe: one of them;"
	@echo "                       bench-parallel-claims: what the papers on parallel finite elements say, counted"
	@echo "make docs-check        samples in README and docs against what the commands print, numbers included"
	@echo "make docs              regenerate the input reference and the JSON Schema"
	@echo "make gallery           pictures of the examples (docs/gallery)"
	@echo "make install PREFIX=/usr/local"

setup:
	@tools/setup.sh $(SETUP)

$(BUILD)/build.ninja: | setup
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release > $(BUILD).configure.log 2>&1 \
	  || { mkdir -p $(BUILD); cat $(BUILD).configure.log; exit 1; }

build: setup
	@mkdir -p $(BUILD)
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) $(if $(TARGET),--target $(TARGET))

# the demo needs the command only, not the tests
demo: TARGET = tenon_cli
demo: build
	@mkdir -p build/demo
	@tools/demo.sh $(TENON) build/demo

# tests of the viewer want a browser; without one they are skipped
test verify: SETUP = test
# two more than there are processors: some tests wait for pipes, clocks and the browser
test: build
	@ctest --test-dir $(BUILD) -j$(shell expr $(JOBS) + 2) --output-on-failure -LE 'slow|mpi'

# in the same folder, from the same objects
mpi test-mpi: SETUP = mpi
mpi: setup
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DTENON_MPI=ON > $(BUILD).configure.log 2>&1 \
	  || { cat $(BUILD).configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) --target tenon_mpi_cli

test-mpi: mpi
	@cmake --build $(BUILD) -j $(JOBS) --target tenon_cli same_results mpi_ranks
	@ctest --test-dir $(BUILD) --output-on-failure -L mpi

asan: setup
	@cmake -S . -B build/asan -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTENON_SANITIZE=ON > /dev/null
	@cmake --build build/asan -j $(JOBS)
	@ctest --test-dir build/asan -j$(JOBS) --output-on-failure -L 'unit|library'

# OpenBLAS is not compiled for it: one thread of its own, ours are what is looked at
tsan: setup
	@cmake -S . -B build/tsan -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTENON_SANITIZE_THREADS=ON > /dev/null
	@cmake --build build/tsan -j $(JOBS) --target threads_tests
	@OPENBLAS_NUM_THREADS=1 ctest --test-dir build/tsan --output-on-failure -L threads

# clang, libFuzzer and sanitizers over whatever reads files
SECONDS ?= 60
fuzz: SETUP = fuzz
fuzz: setup
	@mkdir -p build/fuzz
	@cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DTENON_FUZZ=ON \
	  -DTENON_TESTS=OFF > build/fuzz/configure.log || { cat build/fuzz/configure.log; exit 1; }
	@cmake --build build/fuzz -j $(JOBS) --target fuzz_model fuzz_mesh fuzz_expression fuzz_results \
	  > build/fuzz/build.log || { tail -30 build/fuzz/build.log; exit 1; }
	@tests/fuzz/run.sh build/fuzz . $(SECONDS)

# of the quick tests, those of the viewer aside; the build is Debug, which changes no line
coverage: setup
	@mkdir -p build/coverage
	@cmake -S . -B build/coverage -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTENON_COVERAGE=ON > build/coverage/configure.log
	@cmake --build build/coverage -j $(JOBS) > build/coverage/build.log || { tail -30 build/coverage/build.log; exit 1; }
	@find build/coverage -name '*.gcda' -delete
	@ctest --test-dir build/coverage -j$(JOBS) -LE 'slow|source|mpi' > build/coverage/tests.log || grep -E 'Failed|Timeout' build/coverage/tests.log | sort -u
	@tools/coverage.sh build/coverage .

# models that fail are shrunk and left in build/scan
MODELS ?= 1000
FIRST  ?= 0
scan: TARGET = verify_scan
scan: build
	@mkdir -p build/scan
	@cd build/scan && OPENBLAS_NUM_THREADS=1 $(abspath $(BUILD))/tests/verify_scan $(MODELS) $(FIRST)

# how many wrong lines the tests notice; goes on where it was stopped (rm -r build/mutate: from the beginning)
MUTANTS ?= 540
mutate: setup
	@mkdir -p build/mutate
	@JOBS=$(JOBS) tests/mutate/run.sh build/mutate . $(MUTANTS)

verify: build
	@$(CTEST) -L slow; status=$$?; cat build/release/tests/verify_tolerances_*.md; exit $$status
	@$(MAKE) --no-print-directory tsan
	@$(MAKE) --no-print-directory fuzz SECONDS=20

bench: bench-foundation bench-implicit bench-staggered bench-beams bench-auto bench-state-time bench-parallel bench-live bench-fe bench-peers

bench-build: setup
	@mkdir -p build/bench build/bench-build
	@cmake -S . -B build/bench-build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTENON_BENCH=ON -DTENON_TESTS=OFF > build/bench-build/configure.log
	@cmake --build build/bench-build -j $(JOBS) > build/bench-build/build.log || { cat build/bench-build/build.log; exit 1; }

bench-foundation: bench-build
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_foundation build/bench/foundation.json
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_solvers build/bench/solvers.json

bench-beams: bench-build
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_beams build/bench/beams.json

bench-staggered: bench-build
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_staggered build/bench/staggered.json

bench-implicit: bench-build
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_implicit build/bench/implicit.json build/bench

# the examples, chains of 40 links, and further models where there are some
CASES ?= $(wildcard ../shared/cases)
bench-auto: bench-build
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_auto build/bench/auto.json examples bench/models $(CASES)

bench-state-time: bench-build
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_state_time build/bench/state_time.json

# with MPI where mpirun is there
bench-parallel: bench-build
	@if command -v mpirun > /dev/null; then cmake -S . -B build/bench-build -DTENON_MPI=ON > build/bench-build/configure.log && \
	  cmake --build build/bench-build -j $(JOBS) --target tenon_mpi_cli > build/bench-build/build.log; fi
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_parallel build/bench/parallel.json \
	  $$(test -x build/bench-build/bin/tenon_mpi && echo build/bench-build/bin/tenon_mpi build/bench)
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_parallel_claims build/bench/parallel_claims.json build/bench

# the part of it that counts and looks at no clock, half a minute
bench-parallel-claims: bench-build
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_parallel_claims build/bench/parallel_claims.json

bench-live: bench-build
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_live build/bench/live.json

bench-fe: bench-build
	@mkdir -p build/bench/fe
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_fe build/bench/fe.json build/bench-build/bin/tenon build/bench/fe

bench-peers: bench-build
	@build/bench-build/bin/bench_random_states 3000 > build/bench/random_states.txt
	@bench/peers/run.sh build/bench
	@bench/peers/calculix.sh build/bench build/bench-build/bin/tenon
	@OPENBLAS_NUM_THREADS=1 build/bench-build/bin/bench_chains build/bench

# pictures of the examples; needs Chromium
gallery: SETUP = test
gallery: TARGET = tenon_cli
gallery: build
	@docs/gallery/make.sh $(TENON)

# third-party code of the viewer from the versions in package-lock.json; needs npm and the network
viewer-vendor:
	@viewer/vendor/make.sh

# the same once more, which must give the same bytes
viewer-vendor-check:
	@mkdir -p build && viewer/vendor/make.sh build/third-party.js
	@cmp build/third-party.js viewer/vendor/third-party.js && echo "third-party.js is what package-lock.json says"

docs: build
	@$(TENON) reference > docs/input/reference.md
	@$(TENON) schema > docs/input/tenon.schema.json
	@echo "wrote docs/input/reference.md and docs/input/tenon.schema.json"

docs-check: build
	@sh tests/scripts/doc_snippets.sh $(BUILD) .
	@sh tests/scripts/doc_links.sh $(BUILD) .
	@sh tests/scripts/generated_docs.sh $(BUILD) .

install: build
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)

clean:
	rm -rf build
