# cpprof/: the command line and the shell; the only place that prints.
noinst_LIBRARIES += cpprof/libcli.a
cpprof_libcli_a_SOURCES = \
	cpprof/cmd/advise.c \
	cpprof/cmd/attach.c \
	cpprof/cmd/callgraph.c \
	cpprof/cmd/complete.c \
	cpprof/cmd/diff.c \
	cpprof/cmd/export.c \
	cpprof/cmd/file_command.c cpprof/cmd/file_command.h \
	cpprof/cmd/gate.c cpprof/cmd/gate.h \
	cpprof/cmd/help.c \
	cpprof/cmd/import.c \
	cpprof/cmd/info.c \
	cpprof/cmd/list.c \
	cpprof/cmd/merge.c \
	cpprof/cmd/symbolize.c \
	cpprof/cmd/report.c \
	cpprof/cmd/resources.c \
	cpprof/cmd/run.c \
	cpprof/cmd/table.c \
	cpprof/cmd/version.c \
	cpprof/collect/collect.c cpprof/collect/collect.h \
	cpprof/collect/pattern.c cpprof/collect/pattern.h \
	cpprof/collect/run_summary.c cpprof/collect/run_summary.h \
	cpprof/collect/status.c cpprof/collect/status.h \
	cpprof/collect/usual.c cpprof/collect/usual.h \
	cpprof/interrupt.c cpprof/interrupt.h \
	cpprof/message.c cpprof/message.h \
	cpprof/opt.c cpprof/opt.h \
	cpprof/output.c cpprof/output.h \
	cpprof/progress_line.c cpprof/progress_line.h \
	cpprof/session/asked.c cpprof/session/asked.h \
	cpprof/session/candidates.c cpprof/session/candidates.h \
	cpprof/session/exports.c cpprof/session/exports.h \
	cpprof/session/leaks.c \
	cpprof/session/pages.c \
	cpprof/session/percall.c \
	cpprof/session/questions.c cpprof/session/questions.h \
	cpprof/session/session.c cpprof/session/session.h \
	cpprof/session/session_cache.c cpprof/session/session_cache.h \
	cpprof/session/settings.c cpprof/session/settings.h \
	cpprof/session/summary.c cpprof/session/summary.h \
	cpprof/session/vocabulary.h \
	cpprof/session/why.c \
	cpprof/shell/call.c cpprof/shell/call.h cpprof/shell/call_setting.c \
	cpprof/shell/commands.c cpprof/shell/commands.h \
	cpprof/shell/complete.c cpprof/shell/complete.h \
	cpprof/shell/history.c cpprof/shell/history.h \
	cpprof/shell/line.c cpprof/shell/line.h \
	cpprof/shell/prompt.c cpprof/shell/prompt.h \
	cpprof/shell/row.c cpprof/shell/row.h \
	cpprof/shell/shell.c cpprof/shell/shell.h \
	cpprof/subcommand.c cpprof/subcommand.h
cpprof_libcli_a_CFLAGS = $(AM_CFLAGS) $(READLINE_CFLAGS)

bin_PROGRAMS += cpprof/cpprof
cpprof_cpprof_SOURCES = cpprof/main.c
cpprof_cpprof_LDADD = \
	cpprof/libcli.a \
	monitor/libmonitor.a analyzer/libanalyzer.a lib/libbase.a \
	$(UNWIND_LIBS) $(CAPSTONE_LIBS) $(DW_LIBS) $(READLINE_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS) $(IBERTY_LIBS) $(BPF_LIBS) -lm

# bash looks for it there when it is asked to complete `cpprof'
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = cpprof/cpprof.bash
# so do fish and zsh
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = cpprof/cpprof.fish
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = cpprof/_cpprof
