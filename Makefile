# Gavel. `make` alone lists what there is.

SHELL := bash
.SHELLFLAGS := -o pipefail -c
GO    ?= go
STACK  = bin/devstack

# Everything is compiled once: by make, by CI and in copies of the checkout alike.
export GOFLAGS ?= -trimpath

# Properties are tried with the same cases each time; RAPID_SEED=0 draws others.
export RAPID_SEED ?= 20

# A bar's last line is its figure, not the test runner's words; its status is the test's.
FIGURE = | grep -Ev '^(=== |--- |PASS|ok )'

.DEFAULT_GOAL := help

.PHONY: help
help: ## this list
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

##@ Everyday

.PHONY: build
build: ## build bin/gavel
	$(GO) build -o bin/gavel ./cmd/gavel

.PHONY: bin/gavel-duck
bin/gavel-duck: ## build the program that answers questions about raw tables: a module of its own, with C++ in it
	cd cmd/gavel-duck && $(GO) build -o ../../$@ .

.PHONY: bin/devstack
bin/devstack:
	@$(GO) build -o $@ ./devstack/cmd/devstack

.PHONY: dev
dev: build bin/devstack ## start the real parts, a server and a worker on loopback; prints addresses and tokens
	$(STACK) up postgres temporal s3 oidc gavel

.PHONY: demo
demo: build ## try Gavel with an institution that is made up; Ctrl-C ends it and leaves nothing
	@bin/gavel demo

.PHONY: dev-down
dev-down: bin/devstack ## stop exactly what `make dev` started
	$(STACK) down

.PHONY: dev-reset
dev-reset: bin/devstack ## stop it and wipe its data
	$(STACK) reset

.PHONY: check
check: ## before each commit: generated files, gofmt, vet with staticcheck and workflowcheck, tests
	@.ci/check

.PHONY: ci
ci: ## everything that must pass, at small sizes, on a clean checkout, as CI does it
	@.ci/run

.PHONY: proof
proof: ## what a release shows besides: benches, bars at full size, all views, fresh seeds; goes on where it was stopped, PROOF="part…" for some
	@.ci/proof $(PROOF)

##@ Pieces

.PHONY: generate
generate: ## write the generated files anew
	$(GO) tool -modfile=devstack/tools/templ/go.mod templ generate -path platform
	$(GO) tool -modfile=devstack/tools/templ/go.mod templ generate -path apps
	$(GO) tool -modfile=devstack/tools/templ/go.mod templ generate -path examples/hello

# What each application costs is told by the names of its files in the program's tests.
APPS = poolpatrol,airshed,gatepass,netra,reportagent
WITH_PARTS = $(STACK) exec --ephemeral --in-memory --parts postgres,temporal,s3,imap,mail,oidc --

# The pipes and faces that run things side by side; the rest computes, or is a caller of these.
RACY = act blob/... durable event idempotency mcp notify notify/hook operation outbox telemetry tool web

.PHONY: bin/suite
bin/suite:
	@$(GO) build -o $@ ./devstack/cmd/suite

.PHONY: test
test: bin/devstack bin/suite ## all tests against a fresh stack of the real parts; what failed runs once more alone
	$(WITH_PARTS) bin/suite -grouped program -groups $(APPS) ./...

.PHONY: cover
cover: bin/devstack ## how many statements of an application its tests come by, package by package; fails under 80 %; APP=gatepass
	$(WITH_PARTS) .ci/cover $(or $(APP),gatepass)

.PHONY: race
race: bin/devstack bin/suite ## the tests of what runs side by side, watched for races
	$(WITH_PARTS) bin/suite -race $(RACY:%=./platform/%)

.PHONY: shake
shake: bin/devstack bin/suite ## all tests, five times, beside something that burns both cores; SHAKES=1 for less
	$(WITH_PARTS) .ci/shake $(or $(SHAKES),5) -deadline 60m -grouped program -groups $(APPS) ./...

# The same bytes in every checkout, so that what it said to one is cached for all.
.PHONY: bin/lint
bin/lint:
	@cd devstack/tools/lint && CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -o ../../../$@ .

.PHONY: vet
vet: bin/lint ## vet, staticcheck and workflowcheck, together, out of Go's cache where nothing has changed
	$(GO) vet -trimpath -vettool=$(CURDIR)/bin/lint ./...

.PHONY: lint
lint: ## golangci-lint with the rules of .golangci.yml: what `make vet` does not look for
	@.ci/lint

.PHONY: example
example: bin/devstack bin/lint ## the smallest application, a module of its own: looked at, built and tested
	cd examples/hello && $(GO) vet -trimpath -vettool=$(CURDIR)/bin/lint ./...
	$(STACK) exec --ephemeral --in-memory --parts postgres,temporal -- env -C examples/hello $(GO) test -count=1 ./...

.PHONY: contract
contract: ## the API's document against the released one, webhooks and QR codes against other people's code
	cd devstack/tools/oasdiff && $(GO) test -count=1 ./... && $(GO) run . ../../../platform/api/testdata/openapi.released.json ../../../platform/api/testdata/openapi.json
	cd devstack/tools/svix && $(GO) test -count=1 ./...
	cd devstack/tools/zxing && $(GO) test -count=1 ./...

.PHONY: bin/release
bin/release:
	@cd devstack/tools/release && $(GO) build -buildvcs=false -o ../../../$@ .

.PHONY: release
release: bin/release ## what a release consists of, into dist/, of the commit that is checked out; KEY=file signs it, VERSION=v0.1.0 names it, PLATFORMS=linux/amd64 for less
	bin/release make -out dist $(if $(KEY),-key $(KEY)) $(if $(VERSION),-version $(VERSION)) $(if $(PLATFORMS),-platforms $(PLATFORMS))

.PHONY: regions
regions: ## write the outlines of states anew from their source, and hold them against it
	$(GO) generate ./apps/airshed/rule/region
	cd devstack/tools/regions && $(GO) test -count=1 ./...

.PHONY: browser
browser: bin/devstack ## pages in Chromium: axe, every view, live updates, promised times; screenshots in .dev/shots
	$(STACK) up postgres temporal oidc
	VIEWS=all TIMES=hard .ci/pages

.PHONY: docs-run
docs-run: ## type the commands of the README and the guides into a copy of this checkout, as a new user would; DOCS="README.md"
	@$(GO) run ./devstack/cmd/docrun $(DOCS)

.PHONY: parts
parts: bin/devstack ## start the real parts tests need (no server, no worker) and leave them running
	$(STACK) up postgres temporal s3 imap mail oidc

##@ Bars and benchmarks (each says how to make it smaller)

.PHONY: bench-skeleton
bench-skeleton: bin/devstack ## what a case costs against the bare engine; BENCH="-rounds 5 -cases 400"
	$(STACK) exec --ephemeral --parts postgres,temporal -- $(GO) run ./bench/skeleton $(BENCH)

.PHONY: bench-agent
bench-agent: bin/devstack ## an agent's case against the bare engine and LangGraph; BENCH="-rounds 5 -cases 200 -in-flight 1,8,32,64"
	$(STACK) exec --ephemeral --parts postgres,temporal -- $(GO) run ./bench/agent $(BENCH)

.PHONY: bar-verifier
bar-verifier: ## sentences with numbers: none of the true ones blocked, how many altered ones are caught
	$(GO) test ./platform/fact/verify -count=1 -v -run 'TestVerifierBar|TestTrueSentences' $(FIGURE)

.PHONY: bar-eval
bar-eval: ## how often an interval holds the truth, and how often a gate stops a change that is none or lets one pass that is, at 60 and 300 cases
	$(GO) test ./platform/eval/rule/stat ./platform/eval/rule/compare -count=1 -v -run 'HoldsTheTruth|TheGateIsWrong' $(FIGURE)

.PHONY: bench-eval
bench-eval: bin/devstack ## cases of an experiment answered in a second by a model that takes no time, beside a bare loop that keeps nothing; BENCH="-examples 2000"
	$(STACK) exec --ephemeral --parts postgres,temporal -- $(GO) test ./platform/eval/experiment -count=1 -v -timeout 30m \
	  -run '^TestExamplesInASecond$$' -args $(or $(BENCH),-examples 2000) $(FIGURE)

.PHONY: bar-report
bar-report: ## a whole report: none of its true sentences blocked, how many false ones made of them are caught; BENCH="-mutants 2000"
	$(GO) test ./apps/reportagent/rule/report -count=1 -v -run TestReportBar -args $(or $(BENCH),-mutants 2000) $(FIGURE)

.PHONY: bench-report
bench-report: bin/devstack bin/gavel-duck ## a whole report worded by a scripted model; charts summed up as facts, and a raw table asked in SQL, beside bare DuckDB; BENCH="-charts 5000 -rows 20000000 -rounds 3"
	$(STACK) exec --ephemeral --in-memory --parts postgres,temporal,s3 -- $(GO) test ./apps/reportagent -count=1 -v -timeout 30m \
	  -run '^TestAReportIsWordedByAModel$$' -args $(if $(BENCH),,-whole-report) $(FIGURE) | grep -v level=INFO
	cd bench/report/bare && $(GO) build -o ../../../bin/bare-duck .
	$(GO) run ./bench/report $(BENCH)

.PHONY: bench-audit
bench-audit: bin/devstack ## what a record costs beside the row it records; BENCH="-rounds 7 -round 3s -entries 1000000"
	$(STACK) exec --ephemeral --parts postgres -- $(GO) run ./bench/audit $(BENCH)

.PHONY: bench-inbox
bench-inbox: bin/devstack build ## the first page of an inbox out of 100,000, with exact counts, beside its bare statements; BENCH="-requests 300 -open 100000"
	$(STACK) exec --ephemeral --parts postgres -- $(GO) run ./bench/inbox $(BENCH)

.PHONY: bench-poolpatrol
bench-poolpatrol: bin/devstack ## an audit of every van beside the bare reads, and of ten times as many; BENCH="-vans 1200 -rounds 7 -times 10"
	$(STACK) exec --ephemeral --parts postgres -- $(GO) run ./bench/poolpatrol $(BENCH)

.PHONY: bar-poolpatrol
bar-poolpatrol: bin/devstack ## random lives of vans, over the rules and on the engine with its worker killed: is any promise broken?; BENCH="-walks 5000 -engine 60"
	$(STACK) exec --ephemeral --parts postgres,temporal -- $(GO) run ./bench/poolwalk $(BENCH)

.PHONY: bar-demo
bar-demo: build ## the demonstration as a stranger meets it: seconds to the first page and to a decision of their own, checks clean shutdown; BENCH=-tour: in a browser as each role, too
	$(if $(findstring -tour,$(BENCH)),cd devstack/tools/browser && npm ci --silent --no-fund --no-audit)
	$(GO) run ./bench/demo $(BENCH)

.PHONY: pictures
pictures: build ## take the pictures of README and documents in a demonstration
	cd devstack/tools/browser && npm ci --silent --no-fund --no-audit
	$(GO) run ./bench/demo -pictures docs/pictures

.PHONY: bar-undo
bar-undo: ## Undo pressed in a browser at random moments of its window, in the demonstration: does what the page says happen?; BENCH="-tries 12 -seed 20"
	cd devstack/tools/browser && npm ci --silent --no-fund --no-audit
	$(GO) run ./bench/undo $(BENCH)

.PHONY: bar-new-app
bar-new-app: ## an application of one's own, written outside the checkout, built, tested, and a case of it decided and verified in a browser: minutes
	cd devstack/tools/browser && npm ci --silent --no-fund --no-audit
	$(GO) run ./bench/newapp $(BENCH)

.PHONY: bench-airshed
bench-airshed: bin/devstack ## a world day of fires against every station, beside PostGIS, and the full ensemble for those that surge; BENCH="-fires 200000 -stations 550 -surging 60"
	$(STACK) exec --ephemeral --parts postgres -- $(GO) run ./bench/airshed $(BENCH)

.PHONY: bar-airwatch
bar-airwatch: bin/devstack build ## one look at a data lake in November, as installed: how long, and how much memory the worker had; BENCH="-stations 550 -days 15 -fires 20000"
	$(STACK) exec --ephemeral --parts postgres,temporal,s3 -- $(GO) run ./bench/airwatch $(BENCH)

.PHONY: bar-airshed
bar-airshed: ## a made-up season whose truth is known: how often is the analysis right about whose smoke it was, and sure?; BENCH="-days 450 -fires 350"
	$(GO) run ./bench/airseason $(BENCH)

.PHONY: bar-verdict
bar-verdict: ## the second verdict of Airshed on a made-up season whose truth is known; BENCH="-seed 31 -difficulty wind -out DIR", then BENCH="-sum DIR/*.json"
	$(GO) run ./bench/airverdict $(BENCH)

.PHONY: bench-gate
bench-gate: bin/devstack build ## a queue at a gate: looks and scans with photos beside reads, a rush, the evacuation list; scans beside bare statements and PUTs; BENCH="-rate 100 -for 60s"
	$(STACK) exec --ephemeral --parts postgres,temporal,s3 -- $(GO) run ./bench/gate $(BENCH)

.PHONY: bar-partitions
bar-partitions: bin/devstack ## two gates and a server lose each other and meet again, at random: every event once, every clash a question, nobody both in and out; BENCH="-partitions 500"
	$(STACK) exec --ephemeral --in-memory --parts postgres -- $(GO) test ./apps/gatepass -count=1 -v -timeout 60m \
	  -run '^TestTwoGatesAndTheServerUnderRandomPartitions$$' -args $(or $(BENCH),-partitions 500) $(FIGURE)

.PHONY: bar-numbers
bar-numbers: bin/devstack ## 10,000 passes made by 50 clients on two servers, across a year's end: numbers without gap or repeat; BENCH="-passes 10000"
	$(STACK) exec --ephemeral --in-memory --parts postgres -- $(GO) test ./apps/gatepass -count=1 -v -timeout 60m \
	  -run '^TestNumbersHaveNoGapWhoeverAsks$$' -args $(or $(BENCH),-passes 10000) $(FIGURE)

.PHONY: bench-netra
bench-netra: bin/devstack ## signals brought in beside a bare COPY, and all districts scored beside the plain aggregate; BENCH="-signals 10000000 -districts 800 -days 30 -sustain 1m"
	$(STACK) exec --ephemeral --parts postgres -- $(GO) run ./bench/netra $(BENCH)

.PHONY: bar-pii
bar-pii: bin/devstack ## personal data of every kind sent to NE-NETRA by every road: is any of it in the database, the log, a bundle or a prompt afterwards?
	$(STACK) exec --ephemeral --in-memory --parts postgres,temporal -- $(GO) test -p 1 ./apps/netra/rest ./apps/netra -count=1 -v \
	  -run '^(TestAScanAfterARunFindsNothing|TestNoCaseNoBundleAndNoPromptHoldsPersonalData)$$' $(FIGURE)

.PHONY: bar-quick
bar-quick: bin/devstack ## what is promised in seconds, one by one, with nothing beside it
	$(STACK) exec --ephemeral --parts postgres,temporal,s3,mail,oidc -- .ci/quick

.PHONY: bar-jobs
bar-jobs: bin/devstack ## two people start the same job at once on two servers, 200 times; every kind of job, its worker killed at every step
	$(STACK) exec --ephemeral --in-memory --parts postgres,temporal -- $(GO) test -p 1 ./platform/job ./apps/airshed/store ./apps/airshed/casework/ingest \
	  ./apps/poolpatrol/store ./apps/poolpatrol -count=1 -v -run 'AtOnceAreGiven|TwoServersBegin|KilledAtEveryStep|CannotGoOn' $(FIGURE)

.PHONY: bar-told
bar-told: bin/devstack ## a case that waits asks nothing for a minute, and hears within 2 s that its act failed, was undone, or that nobody can say; BENCH="-idle 10s"
	$(STACK) exec --ephemeral --parts postgres,temporal -- $(GO) test -p 1 ./apps/airshed/casework/filing ./apps/poolpatrol/casework -count=1 -v \
	  -run '^(TestACaseThatWaitsAsksNothing|TestACaseHearsAtOnceHowItsFilingEnded)$$' -args $(or $(BENCH),-idle 60s) $(FIGURE)

.PHONY: bar-letters
bar-letters: bin/devstack ## every mail of 200 cases is read: does one tell of anybody but its recipient?
	$(STACK) exec --ephemeral --parts postgres,temporal,mail -- $(GO) test ./program -run '^TestNoMailTellsOfAnotherRider$$' -count=1 -v -timeout 20m -args -letter-cases 200

.PHONY: bar-tamper
bar-tamper: bin/devstack ## everything in a bundle and in the log, altered or left out: is each change named, and no true bundle refused?
	$(STACK) exec --ephemeral --parts postgres,s3,temporal -- $(GO) test -count=1 -v -run 'Tamper|EveryAttack' \
	  ./platform/agent ./platform/audit ./platform/bundle $(FIGURE) | awk -f .ci/tamper.awk

.PHONY: bar-verify
bar-verify: bin/devstack build ## strangers send files of every size and density to the public page: memory, answers, true bundles and a signed-in page meanwhile; BENCH="-small -patient"
	$(STACK) exec --ephemeral --parts postgres -- $(GO) run ./bench/verify $(BENCH)

.PHONY: bar-authz
bar-authz: bin/devstack ## every role, nobody and every kind of token against every route and act, and the table kept by hand
	$(STACK) exec --ephemeral --parts postgres -- $(GO) test ./program -count=1 -v -run TestWhoMayDoWhat $(FIGURE)

.PHONY: bar-decisions
bar-decisions: build ## two hundred people decide 20,000 proposals on two servers, badly, while the engine is killed: what is lost, what is done twice; BENCH="-cases 50 -in-flight 20 -engine-kills 1 -server-kills 0"
	$(GO) run ./bench/decisions $(BENCH)

.PHONY: bar-gates
bar-gates: bin/devstack ## random agents, decisions and crashes: no act without its approval, and who removes a check is found out; BENCH="-runs 10000 -engine 300 -within 2000"
	$(STACK) exec --ephemeral --parts postgres,temporal -- $(GO) run ./bench/gates $(BENCH)

.PHONY: bar-crash
bar-crash: ## workers, engine, PostgreSQL and model killed while agents work: what is lost, what is done twice; BENCH="-runs 500 -kills 60"
	$(GO) run ./bench/crash $(BENCH)

.PHONY: bar-mail
bar-mail: ## 2,000 letters with the mail server killed, slow, refusing and hanging up, and the senders killed: what is lost, what arrives twice; BENCH="-mails 200"
	$(GO) run ./bench/mail $(BENCH)

.PHONY: bar-restore
bar-restore: ## a base backup in the middle of 50 cases, 200 effects more, everything killed and restored, with the engine and without: what is done twice; BENCH="-cases 6 -more 12"
	$(GO) run ./bench/restore $(BENCH)

.PHONY: bar-release
bar-release: bin/release ## two releases of one commit, in two folders, the second with a build cache of its own: how many of their files differ?; BENCH="-platforms linux/amd64"
	bin/release compare $(or $(BENCH),-cache .dev/release-cache)

.PHONY: fuzz
fuzz: ## everything that reads input from outside, two minutes each; FUZZ=10s IN=platform/notify for less
	@for p in $$(grep -rl --include=*_test.go '^func Fuzz' $(or $(IN),apps program platform) | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -ho '^func Fuzz[A-Za-z]*' $$p/*_test.go | cut -c6-); do \
	    echo "$$p $$f"; $(GO) test ./$$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(or $(FUZZ),2m) || exit 1; \
	  done; done

.PHONY: bar-history
bar-history: bin/devstack ## what the engine keeps of a run of 200 turns with five kilobytes each
	$(STACK) exec --ephemeral --parts postgres,temporal -- $(GO) test ./platform/agent -count=1 -v -run TestAHistoryHoldsDigestsOnly -args -turns 200 $(FIGURE)

.PHONY: bar-runpage
bar-runpage: bin/devstack ## the page of a run of 20,000 steps, in Chromium: how long until it is painted
	cd devstack/tools/browser && npm ci --silent --no-fund --no-audit
	TIMES=$(or $(TIMES),hard) $(STACK) exec --ephemeral --parts postgres -- $(GO) test -tags browser ./platform/console -count=1 -v -run TestALongRunPaintsInTime $(FIGURE) | grep -v ' level=INFO '
