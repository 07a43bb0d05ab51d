# The workbook.  `make` alone lists what there is to make.
SHELL := /bin/bash
ifeq ($(origin CC),default)
CC := cc
endif
BUILD ?= build
PREFIX ?= /usr/local
VERSION := $(shell cat checker/VERSION)
IS_CLANG := $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n 1)),1,0)

# A part is a folder of suites; SUITES narrows them down while one is being written.
PARTS := $(notdir $(wildcard checker/suites/*))
SUITES ?= *

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wno-override-init -Werror
ifeq ($(IS_CLANG),1)
WARNINGS += -Wno-initializer-overrides -Wno-gnu-zero-variadic-macro-arguments
endif
CFLAGS ?= -O1 -g
OURS = -std=c11 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -Ichecker -Ichecker/stage -Isteps \
	-DWORKBOOK_CC='"$(CC)"' -DWORKBOOK_CC_IS_CLANG=$(IS_CLANG) -DWORKBOOK_VERSION='"$(VERSION)"' \
	-DWORKBOOK_SQLITE='"$(shell pkg-config --modversion sqlite3 2>/dev/null)"'
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
ifdef SANITIZE
OURS += $(SANITIZERS) -fno-sanitize=alignment # Criterion puts a test's data where it falls
endif

# Of the puppet's symbols only those marked so are there for the learner's code.
PUPPETS = $(OURS) -Ichecker/puppet -fvisibility=hidden -rdynamic

# The files of a part begin with its name; all others serve every part.
part_files = $(wildcard checker/$(1)/$(2)_*.c)
shared_files = $(filter-out $(foreach part,$(PARTS),$(call part_files,$(1),$(part))),$(wildcard checker/$(1)/*.c))
objects = $(patsubst checker/%.c,$(BUILD)/%.o,$(1))

CORE := $(call objects,$(wildcard checker/*.c checker/report/*.c))
STAGE := $(call objects,$(call shared_files,stage) checker/base.c checker/finding.c)
PUPPET := $(call shared_files,puppet) checker/base.c
SUITE_LIBRARIES = $(shell pkg-config --libs criterion libcjson sqlite3) -lhttp_parser -lpthread
HAND_LIBRARIES = $(shell pkg-config --libs libcjson sqlite3) -ldl
PUPPET_LIBRARIES = $(HAND_LIBRARIES) $(shell pkg-config --libs libcurl)
# The libgit2 that Criterion is linked with, by its name alone: checker/stage/git/libgit2.c.
GIT := $(shell readelf -d "$$($(CC) -print-file-name=libcriterion.so 2>/dev/null)" 2>/dev/null | \
	sed -n 's/.*NEEDED.*\[\(libgit2[^]]*\)\]/\1/p')
PROGRAMS := $(BUILD)/checker $(BUILD)/hand $(GIT:%=$(BUILD)/%) $(foreach part,$(PARTS),$(BUILD)/suite-$(part) $(BUILD)/puppet-$(part) \
	$(BUILD)/puppet-$(part)-plain)

QUIETLY = echo 'building $(BUILD)/ ...' && $(MAKE) --no-print-directory -s -j$(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help packages demo all start test check bench lint fmt soak install clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: ## install what is missing, build, judge the reference solution
	@checker/packages.sh build
	@$(QUIETLY) all
	$(BUILD)/checker 8 solution/worker.c

all: $(PROGRAMS) ## build the checker into build/

start: ## install what is missing, build, and copy the starters to where you are, unless they are there
	@checker/packages.sh build
	@$(QUIETLY) all
	@for part in $(PARTS); do \
		if [ -e $$part.c ]; then echo "$$part.c is there already: nothing was changed"; \
		else cp steps/$$part/$$part.c $$part.c && echo "$$part.c: begin with $(BUILD)/checker \
$$($(BUILD)/checker --list | awk -v file=$$part.c: '$$1 == file { here = 1 } here && $$1 + 0 { print $$1; exit }') $$part.c"; fi; done

test: ## install what is missing, build, and run every test script
	@checker/packages.sh build test lint
	@$(QUIETLY) all $(BUILD)/tests/mutate
	@checker/tests/all.sh $(BUILD)

check: all $(BUILD)/tests/mutate ## every fixture, mutant and hostile case does what it should: hours
	@mkdir -p $(BUILD)/kept
	@export KEPT=$(BUILD)/kept failed=0; for script in referee messages mutants walks experiment hostile; do checker/tests/$$script.sh $(BUILD) || failed=1; done; exit $$failed

bench: all $(PARTS:%=$(BUILD)/floor-%) ## times of the checker beside their floor
	@checker/tests/bench.sh $(BUILD)

lint: ## format, clang-tidy, shellcheck, include directions, lengths, clauses
	@checker/packages.sh lint
	@checker/tests/lint.sh

fmt: ## format every C file that is ours
	@checker/tests/lint.sh --fix

soak: all ## the solution and the fixtures again and again, under load and in odd surroundings: hours
	@checker/packages.sh build test soak
	@checker/tests/soak.sh $(BUILD)

install: all ## install into PREFIX (/usr/local)
	install -d $(DESTDIR)$(PREFIX)/{bin,lib/workbook,share/workbook}
	install $(BUILD)/checker $(DESTDIR)$(PREFIX)/bin/
	install $(filter-out $(BUILD)/checker,$(PROGRAMS)) $(DESTDIR)$(PREFIX)/lib/workbook/
	cp -r steps $(DESTDIR)$(PREFIX)/share/workbook/
	for kept in $(wildcard fixtures/*/experiment.json); do \
		install -D -m 644 $$kept $(DESTDIR)$(PREFIX)/share/workbook/$$kept || exit 1; done

clean: ## remove build/
	rm -rf $(BUILD)

$(BUILD)/checker: $(CORE)
	$(CC) $(OURS) $^ -o $@ $(shell pkg-config --libs libcjson libmd)

$(GIT:%=$(BUILD)/%): checker/stage/git/libgit2.c | $(BUILD)
	$(CC) $(OURS) -fno-sanitize=all -shared -fPIC $< -Wl,-soname,$(GIT) -o $@

# A puppet without learner code, and without what only that needs.
$(BUILD)/hand: $(PUPPET) | $(BUILD)
	$(CC) $(PUPPETS) $(filter %.c,$^) -o $@ $(HAND_LIBRARIES)

# Criterion hands a test over by address, so that a suite may not move (ASLR).
define part_rules
$(BUILD)/suite-$(1): $(STAGE) $(call objects,$(call part_files,stage,$(1)) $(wildcard $(SUITES:%=checker/suites/$(1)/%.c)))
	$$(CC) $$(OURS) -no-pie $$^ -o $$@ $$(SUITE_LIBRARIES) \
		-Wl,--disable-new-dtags,-rpath,'$$$$ORIGIN'

$(BUILD)/puppet-$(1): $(PUPPET) $(call part_files,puppet,$(1)) | $(BUILD)
	$$(CC) $$(PUPPETS) $$(SANITIZERS) $$(filter %.c,$$^) -o $$@ $$(PUPPET_LIBRARIES)

$(BUILD)/puppet-$(1)-plain: $(PUPPET) $(call part_files,puppet,$(1)) | $(BUILD)
	$$(CC) $$(PUPPETS) -fno-sanitize=all $$(filter %.c,$$^) -o $$@ $$(PUPPET_LIBRARIES)
endef
$(foreach part,$(PARTS),$(eval $(call part_rules,$(part))))
$(BUILD)/hand $(foreach part,$(PARTS),$(BUILD)/puppet-$(part) $(BUILD)/puppet-$(part)-plain): \
	$(wildcard checker/puppet/*.h steps/*.h steps/*/*.h) checker/base.h Makefile

# As many empty Criterion tests as a full run of the part has checks: half of the floor, docs/design.md.
$(BUILD)/floor-%: $(wildcard checker/suites/*/*.c) checker/tests/floor.sh | $(BUILD)
	checker/tests/floor.sh $* > $@.c
	$(CC) $(OURS) -no-pie $@.c -o $@ $(SUITE_LIBRARIES)

# The unit tests of the checker itself: each of them a program, which says nothing to a checker.
$(BUILD)/tests/test_%: checker/tests/test_%.c $(filter-out $(BUILD)/main.o $(BUILD)/stage/hook.o,$(CORE) $(STAGE))
	@mkdir -p $(@D)
	$(CC) $(OURS) -no-pie $(sort $(filter-out %.h,$^)) -o $@ $(SUITE_LIBRARIES) \
		$(shell pkg-config --libs libcurl libmd)

$(BUILD)/tests/mutate: checker/tests/mutate.c checker/tests/tokens.c $(BUILD)/base.o
	@mkdir -p $(@D)
	$(CC) $(OURS) $^ -o $@

$(patsubst checker/tests/%.c,$(BUILD)/tests/%,$(wildcard checker/tests/test_server_*.c)): \
	checker/tests/server_client.c

$(BUILD)/%.o: checker/%.c
	@mkdir -p $(@D)
	$(CC) $(OURS) -MMD -MP -c $< -o $@

$(BUILD):
	@mkdir -p $@

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
