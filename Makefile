# make help lists what there is.
GO ?= go

.PHONY: build check check-all demo bench soak generate clean help

## build      the commands, into bin
build:
	$(GO) build -o bin/ ./cmd/...

## check      all tests
check:
	sh scripts/check

## check-all  these, the race detector, staticcheck, other systems, benchmarks
check-all:
	sh scripts/check --all

## demo       a report of a bundled run, out/jac.html
demo:
	sh scripts/demo

## bench      measure the speed; figures go to docs/performance.md
bench:
	$(GO) run ./scripts/bench -o docs/performance.md

## soak       the long runs; TIME=1h for each fuzz target
TIME ?= 1m
soak:
	$(GO) run ./scripts/soak -fuzztime $(TIME) -o docs/soak.md

## generate   files that are made from the code
generate:
	$(GO) generate ./...

## clean      remove what the others made
clean:
	rm -rf bin out dist

help:
	@sed -n 's/^## /make /p' Makefile
