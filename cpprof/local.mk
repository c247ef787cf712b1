# cpprof/: the command line and the shell; the only place that prints.
noinst_LIBRARIES += cpprof/libcli.a
cpprof_libcli_a_SOURCES = \
	cpprof/closing.c cpprof/closing.h \
	cpprof/cmd_attach.c \
	cpprof/cmd_export.c \
	cpprof/cmd_help.c \
	cpprof/cmd_info.c \
	cpprof/cmd_merge.c \
	cpprof/cmd_report.c \
	cpprof/cmd_resources.c \
	cpprof/cmd_run.c \
	cpprof/collect.c \
	cpprof/collect.h \
	cpprof/commands.c cpprof/commands.h \
	cpprof/complete.c \
	cpprof/exports.c cpprof/exports.h \
	cpprof/filter_opts.c cpprof/filter_opts.h \
	cpprof/history.c \
	cpprof/interrupt.c cpprof/interrupt.h \
	cpprof/line.c cpprof/line.h \
	cpprof/opt.c cpprof/opt.h \
	cpprof/output.c cpprof/output.h \
	cpprof/patience.c cpprof/patience.h \
	cpprof/pattern.c cpprof/pattern.h \
	cpprof/prompt.c cpprof/prompt.h \
	cpprof/say.c cpprof/say.h \
	cpprof/session.c cpprof/session.h \
	cpprof/shell.c cpprof/shell.h \
	cpprof/status.c cpprof/status.h \
	cpprof/subcommand.c cpprof/subcommand.h \
	cpprof/version.c
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
