# Every job of the project is a target here: what it does, what it needs beyond Swift and the packages that it installs, and about
# how long it takes on two cores. "More" is added to the build before it, 3 min for debugging and 10 min for a release.
#
#   make render         renders three payloads and checks them against examples/BookDemo                                         3 min
#   make test           the tests, or those of FILTER; shares the debug build of `make render`                                   4 min more
#   make lint           style, what modules may import, and that they compile for old systems and for macOS                      1 min
#   make test-page      the page of `payloadgen preview`                                                      Chromium           3 min more
#   make test-editors   the language server with Neovim, Emacs and EDITS random edits                         release            1 min more
#   make fuzz           mutated inputs for every reader, or for READER, from SEED for SECONDS or INPUTS       release            1 min more
#   make faults         kills, full disks, locks, pipes, closed descriptors and links against the command     release            2 min more
#   make conformance    Liquid against the suites in $PAYLOADGEN_CASES, if it has any                         debug              1 min more
#   make differential   random templates against the reference, which LIQUID_REFERENCE names                  release, Ruby      1 min more
#   make test-crash     processes that share a store of analytics and are killed, with RECORDS records        release, debug     5 min more
#   make consumers      programs that import one product each, and packages that use this one in other ways                      4 min
#   make hostile        templates made to take much time or memory, at the default limits                     release            5 min more
#   make path           the files that one rendering enters against those that CONTRIBUTING.md names          debug              3 min more
#   make bench          allocations, instructions and memory against the stored thresholds                    release, valgrind  10 min more
#   make bench-growth   how the cost grows with the size of templates, texts, lists and batches               release            5 min more
#   make bench-peers    the same templates in other engines, and in the commands of PEERS                     release, engines   5 min more
#   make bench-pipeline a million users here, in Python, Ruby and Node, and beside simdjson                   release            10 min more
#   make test-spark     the Spark job of examples/cluster against one process; test-ray, test-topic: others   release, Java 17   10 min more
#   make build          the command as a release build                                                                           10 min
#   make install        the release build under $(PREFIX)/bin                                                 release
#   make dist           what a release holds for this machine, in .build/dist, and tests of it                                   15 min
#   make profile        measures how often batches run each block of code, by which releases are optimised                       20 min
#   make site           the pages of README.md and docs with a search, in .build/site                         Python             1 min
#   make docs           the same with the documentation of the libraries, in .build/site/reference            Python, debug      2 min more
#   make pictures       the pictures of docs/pictures, from the examples                                      Chromium, Python   3 min more
#   make pages          docs/rules, docs/configuration.md and the JSON Schemas, from the rules and formats    debug              1 min more
#   make format         formats the code
#   make clean          removes everything that is built

SWIFT ?= swift
PREFIX ?= /usr/local
SHELL := /bin/bash

# On Linux the standard library goes into the binary: it starts in half the time and runs where Swift is not installed. At a
# fixed address it starts with 40 % fewer page faults, as a hundred thousand pointers need no relocation. Without accessors by
# mangled names the code passes the conformances of generic arguments to the runtime, which otherwise searches a list of
# thousands for each type. Frame pointers, which only profilers need, would cost 5 % of the time.
ifeq ($(shell uname -s),Linux)
STATIC := --static-swift-stdlib --omit-frame-pointers -Xswiftc -Xclang-linker -Xswiftc -no-pie -Xlinker --strip-debug \
    -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
endif

# The compiler inlines and lays out what batches run by how often they run it (see Package.swift).
ifdef STATIC
PROFILED = PAYLOADGEN_PROFILE="$$(Packaging/profile-data .build/profiled)"
endif

# The reader of Swift in every build, so that all targets share one debug build and one release build.
WITH_CODE = --traits default,SwiftSources

# SwiftPM hands traits to the compiler in the order of a hash table, whose seed is random, and another order builds everything
# again. Tests run without this, as their hash tables are to differ.
STEADY = SWIFT_DETERMINISTIC_HASHING=1

BUILD_DEBUG = $(STEADY) $(SWIFT) build $(WITH_CODE)
TEST = $(SWIFT) test $(WITH_CODE) --disable-xctest --skip-build
BUILD_RELEASE = $(PROFILED) $(STEADY) $(SWIFT) build -c release $(STATIC) $(WITH_CODE)
RELEASE = .build/release/payloadgen
RENDER = .build/debug/payloadgen render --app examples/BookDemo --now 2026-11-20T09:00:00Z --format payload --pretty

# A build of everything without the plugins, see Package.swift.
export PAYLOADGEN_WITHOUT_PLUGINS = 1

STYLED = Sources Tests Plugins Benchmarks/Sources Package.swift

.PHONY: setup build render test test-page test-editors consumers pages pictures site test-crash test-spark test-ray test-topic lint \
    format conformance differential fuzz faults hostile path docs bench profile bench-growth bench-peers bench-pipeline dist install \
    clean help

help:
	@sed -n 's/^#   make/make/p' Makefile

setup:
	@SWIFT="$(SWIFT)" .ci/setup

build: setup
	$(BUILD_RELEASE) --product payloadgen

render: setup
	$(BUILD_DEBUG) --product payloadgen
	@echo
	$(RENDER) templates/match-game.campaign.yml --profile examples/profiles/ana.json
	@echo
	$(RENDER) templates/lab-progress.campaign.yml --profile examples/profiles/ana.json \
	    --trigger-properties examples/trigger/lab-progress.json
	@echo
	$(RENDER) templates/lab-register.campaign.yml --profile examples/profiles/yuki.json
	@echo
	@echo "3 payloads rendered, each checked against examples/BookDemo"

test: setup
	$(BUILD_DEBUG) --build-tests
	@set -o pipefail; $(TEST) $(FILTER:%=--filter %) 2>&1 | { grep -vE '^◇ .* started\.$$' || true; }

# PICTURES names a folder for pictures of the page; STORIES words in the names of stories.
test-page: setup
	$(BUILD_DEBUG) --product payloadgen
	Tests/Browser/run .build/debug/payloadgen $(PICTURES:%=--pictures %) $(STORIES)

# The latencies that are printed are those of CONFIGURATION.
EDITS ?= 1000
test-editors: setup
	$(BUILD_CONFIGURED) --product payloadgen
	Tests/Editors/setup || echo "test-editors: Neovim or Emacs cannot be installed" >&2
	Tests/Editors/run .build/$(CONFIGURATION)/payloadgen $(EDITS)

RECORDS ?= 100000

test-crash: setup
	$(BUILD_RELEASE) --product PendingStoreProcess
	$(BUILD_DEBUG) --build-tests
	@set -o pipefail; PAYLOADGEN_CRASH_RECORDS=$(RECORDS) PAYLOADGEN_PENDING_PROCESS=.build/release/PendingStoreProcess \
	    $(TEST) --filter CrashTests 2>&1 | grep -E '^test-crash:|✔ Test run|skipped|✘|error:'

consumers: setup
	SWIFT="$(SWIFT)" Tests/Consumers/run

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(STYLED)
	@! grep -rnE '^(public |package |internal |private |fileprivate |@_exported |@testable )*import Foundation' \
	    Sources/POSIXFiles Sources/DiagnosticSources Sources/LiquidTemplates \
	    || { echo "POSIXFiles, DiagnosticSources and LiquidTemplates do without Foundation" >&2; exit 1; }
	.ci/linux-only
	.ci/availability

format:
	$(SWIFT) format --in-place --parallel --recursive $(STYLED)

conformance: setup
	$(BUILD_DEBUG) --build-tests
	@set -o pipefail; $(TEST) --filter Conformance --filter BrazeCaseTests 2>&1 \
	    | grep -E '^conformance:|test cases|Test run|skipped|✘'

N ?= 10000
SEED ?= 1
SERVER = .build/release/liquid-server

differential: setup
	$(BUILD_RELEASE) --product liquid-server
	python3 -B Tests/Differential/differential.py $(SERVER) $(N) $(SEED)

# CONFIGURATION=debug uses what `make test` has built.
CONFIGURATION ?= release
BUILD_CONFIGURED = $(if $(filter release,$(CONFIGURATION)),$(BUILD_RELEASE),$(BUILD_DEBUG))

fuzz: setup
	$(BUILD_CONFIGURED) --product payloadgen-fuzz
	.build/$(CONFIGURATION)/payloadgen-fuzz search $(SECONDS:%=--seconds %) $(INPUTS:%=--inputs %) --seed $(SEED) $(READER:%=--reader %)

faults: setup
	$(BUILD_CONFIGURED) --product payloadgen
	python3 -B Tests/Faults/faults.py .build/$(CONFIGURATION)/payloadgen $(FAULTS)

# The first run records the files and fails, the second one compares them.
GENERATED = --filter SchemaFileTests --filter GeneratedPageTests --filter RuleExampleTests

pages: setup
	$(BUILD_DEBUG) --build-tests
	-RECORD_SNAPSHOTS=1 $(TEST) $(GENERATED) >/dev/null 2>&1
	$(TEST) $(GENERATED)

# RENDERER names another command than the debug build.
RENDERER ?= .build/debug/payloadgen

pictures: setup
	$(if $(filter .build/debug/payloadgen,$(RENDERER)),$(BUILD_DEBUG) --product payloadgen)
	Packaging/pictures $(RENDERER)

site:
	Packaging/site .build/site

# The products, after the modules whose types they show.
DOCUMENTED = DiagnosticSources JSONTexts LiquidTemplates BrazeLiquid AppDeclarations AppBundles \
    CampaignRendering PayloadKit PayloadLinting InAppMessages InAppScenarios ExtensionAnalytics

docs: setup
	$(STEADY) SWIFT="$(SWIFT)" Packaging/library .build/site $(DOCUMENTED)

hostile: build
	Benchmarks/hostile $(RELEASE)

path: setup
	$(BUILD_DEBUG) --enable-code-coverage --scratch-path .build/path --product liquid-server
	Benchmarks/path .build/path/debug/liquid-server "$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")"

bench: setup
	Benchmarks/run

profile: setup
	SWIFT="$(SWIFT)" Packaging/profile $(STATIC)

bench-peers: setup
	$(BUILD_RELEASE) --product liquid-server
	python3 -B Benchmarks/Peers/compare.py $(SERVER) $(PEERS)

bench-growth: build
	$(BUILD_RELEASE) --product liquid-server
	python3 -B Benchmarks/growth.py $(SERVER) $(RELEASE) .build/growth.svg

bench-pipeline: setup
	Benchmarks/pipeline

test-spark test-ray test-topic: test-%:
	examples/cluster/test $*

dist: setup
	Packaging/dist

install: build
	install -d "$(PREFIX)/bin"
	install -m 755 $(RELEASE) "$(PREFIX)/bin/payloadgen"

clean:
	rm -rf .build
