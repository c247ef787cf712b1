# cpprof/: the command line and the shell; the only place that prints.
bin_PROGRAMS += cpprof/cpprof
cpprof_cpprof_SOURCES = \
	cpprof/main.c
cpprof_cpprof_CFLAGS = $(AM_CFLAGS) $(READLINE_CFLAGS)
cpprof_cpprof_LDADD = \
	monitor/libmonitor.a analyzer/libanalyzer.a lib/libbase.a \
	$(UNWIND_LIBS) $(DW_LIBS) $(READLINE_LIBS) $(JANSSON_LIBS) \
	$(ZLIB_LIBS) $(IBERTY_LIBS) -lm
