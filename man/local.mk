# man: manual pages and bash completion, made by the program itself from its option tables.
#
# Which pages there are, the program knows; so they are no list here. Cross-compiled, the program does not run:
# then they are left out, and `phi3sat --manual` makes them where it runs.

bashcompletiondir = $(datarootdir)/bash-completion/completions
MAN_MAKER = ASAN_OPTIONS=detect_leaks=0 ./phi3sat$(EXEEXT)

%D%/pages.stamp: phi3sat$(EXEEXT)
	@$(MKDIR_P) %D%
	@rm -f %D%/*.1
	$(AM_V_GEN)for page in `$(MAN_MAKER) --manual --list`; do \
		$(MAN_MAKER) --manual $$page >%D%/$$page.1 || exit 1; \
	done
	@touch $@
%D%/phi3sat.bash: phi3sat$(EXEEXT)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(MAN_MAKER) --completion bash >$@.new && mv -f $@.new $@

if !CROSS_COMPILING
all-local: %D%/pages.stamp %D%/phi3sat.bash

install-data-local: %D%/pages.stamp %D%/phi3sat.bash
	$(MKDIR_P) '$(DESTDIR)$(mandir)/man1' '$(DESTDIR)$(bashcompletiondir)'
	$(INSTALL_DATA) %D%/*.1 '$(DESTDIR)$(mandir)/man1'
	$(INSTALL_DATA) %D%/phi3sat.bash '$(DESTDIR)$(bashcompletiondir)/phi3sat'

uninstall-local:
	for page in %D%/*.1; do rm -f "$(DESTDIR)$(mandir)/man1/$${page##*/}"; done
	rm -f '$(DESTDIR)$(bashcompletiondir)/phi3sat'
endif

clean-local:
	-rm -f %D%/*.1 %D%/pages.stamp %D%/phi3sat.bash

SHELL_TESTS += tests/cli/manual/pages.t tests/cli/manual/completion.t
