# cpprof/: the command line and the shell; the only place that prints.
noinst_LIBRARIES += cpprof/libcli.a
cpprof_libcli_a_SOURCES = \
	cpprof/cmd_advise.c \
	cpprof/cmd_attach.c \
	cpprof/cmd_callgraph.c \
	cpprof/cmd_diff.c \
	cpprof/cmd_export.c \
	cpprof/cmd_help.c \
	cpprof/cmd_import.c \
	cpprof/cmd_info.c \
	cpprof/cmd_list.c \
	cpprof/cmd_merge.c \
	cpprof/cmd_report.c \
	cpprof/cmd_resources.c \
	cpprof/cmd_run.c \
	cpprof/collect.c cpprof/collect.h \
	cpprof/exports.c cpprof/exports.h \
	cpprof/file_opts.c cpprof/file_opts.h \
	cpprof/filter_opts.c cpprof/filter_opts.h \
	cpprof/gate.c cpprof/gate.h \
	cpprof/interrupt.c cpprof/interrupt.h \
	cpprof/message.c cpprof/message.h \
	cpprof/opt.c cpprof/opt.h \
	cpprof/output.c cpprof/output.h \
	cpprof/pattern.c cpprof/pattern.h \
	cpprof/percall.c cpprof/percall.h \
	cpprof/progress_line.c cpprof/progress_line.h \
	cpprof/questions.c cpprof/questions.h \
	cpprof/run_summary.c cpprof/run_summary.h \
	cpprof/session.c cpprof/session.h \
	cpprof/session_write.c \
	cpprof/status.c cpprof/status.h \
	cpprof/subcommand.c cpprof/subcommand.h \
	cpprof/summary.c cpprof/summary.h \
	cpprof/version.c \
	cpprof/why.c cpprof/why.h \
	cpprof/shell/call.c cpprof/shell/call.h \
	cpprof/shell/commands.c cpprof/shell/commands.h \
	cpprof/shell/complete.c cpprof/shell/complete.h \
	cpprof/shell/history.c cpprof/shell/history.h \
	cpprof/shell/line.c cpprof/shell/line.h \
	cpprof/shell/prompt.c cpprof/shell/prompt.h \
	cpprof/shell/settings.c cpprof/shell/settings.h \
	cpprof/shell/row.c cpprof/shell/row.h \
	cpprof/shell/shell.c cpprof/shell/shell.h
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
