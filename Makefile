# transferd: `make demo` shows files arrive, `make test` checks everything, `make install` puts it into place.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=

# The test targets that run a second time under ThreadSanitizer; none when empty.
THREAD_TESTS ?= ModelTests|StoreTests|EngineTests|SpoolTests
# How many tests run at a time: with many more, their servers starve one another.
TESTS_AT_A_TIME ?= 4

programs := transferd transferctl
release := .build/release
binaries := $(DESTDIR)$(PREFIX)/bin
units := $(DESTDIR)$(PREFIX)/lib/systemd/system
users := $(DESTDIR)$(PREFIX)/lib/sysusers.d
directories := $(DESTDIR)$(PREFIX)/lib/tmpfiles.d
documents := $(DESTDIR)$(PREFIX)/share/doc/transferd
configuration := $(DESTDIR)/etc/transferd

.PHONY: deps build demo test thread-test torture bench install uninstall clean

# The programs, without need of Swift on the machine that runs them.
build: deps
	$(SWIFT) build -c release --static-swift-stdlib

# The Debian packages to build and test with; nothing happens when they are there.
deps:
	.ci/deps

# Throw-away servers, a daemon beside them, and files that arrive.
demo: build
	.ci/demo

test thread-test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH = $(TESTS_AT_A_TIME)
test: deps
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests
	.ci/check-units
	$(SWIFT) build --build-tests --explicit-target-dependency-import-check error
	$(if $(THREAD_TESTS),$(MAKE) --no-print-directory thread-test)
	$(SWIFT) test --explicit-target-dependency-import-check error

# ThreadSanitizer does not see by itself what Swift's Mutex orders: .ci/tsan-mutex.c tells it.
thread-test: deps
	mkdir -p .build/tsan
	clang -O1 -shared -fPIC -o .build/tsan/mutex.so .ci/tsan-mutex.c
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build/tsan
	LD_PRELOAD=$(CURDIR)/.build/tsan/mutex.so $(SWIFT) test --skip-build --sanitize=thread \
	    --scratch-path .build/tsan --filter '^($(THREAD_TESTS))\.'

# Kills the daemon again and again while large transfers run, and looks whether they come through whole.
torture: build
	.ci/torture

# Side by side with curl, lftp, aria2, rclone and OpenSSH: .ci/bench says how.
bench: build
	.ci/bench

# Installs what `make build` has made.
install:
	install -D -m 755 -t $(binaries) $(programs:%=$(release)/%)
	install -d $(units)
	sed -e 's,^\(Exec[A-Za-z]*=[-@:+!]*\)/[^ ]*/\(transfer[a-z]*\),\1$(PREFIX)/bin/\2,' \
	    -e 's,^Documentation=file:///usr/local/,Documentation=file://$(PREFIX)/,' \
	    systemd/transferd.service > $(units)/transferd.service
	install -D -m 644 systemd/transferd.sysusers $(users)/transferd.conf
	install -D -m 644 systemd/transferd.tmpfiles $(directories)/transferd.conf
	test -e $(configuration)/transferd.conf || \
	    install -D -m 644 config/transferd.conf $(configuration)/transferd.conf
	install -D -m 644 -t $(documents) README.md LICENSE docs/*.md
	@test -n "$(DESTDIR)" || echo "To start: systemd-sysusers && systemd-tmpfiles --create && systemctl daemon-reload &&" \
	    "systemctl enable --now transferd"

# The configuration and the state directory stay.
uninstall:
	rm -f $(programs:%=$(binaries)/%) $(units)/transferd.service
	rm -f $(users)/transferd.conf $(directories)/transferd.conf
	rm -rf $(documents)

clean:
	rm -rf .build
