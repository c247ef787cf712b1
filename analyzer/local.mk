# analyzer/: cpprofdata -> sample tree -> profiles; names; reports.
noinst_LIBRARIES += analyzer/libanalyzer.a
analyzer_libanalyzer_a_SOURCES = \
	analyzer/dataset.h \
	analyzer/profile.h \
	analyzer/report.h \
	analyzer/symbolize.h \
	analyzer/tree.h
analyzer_libanalyzer_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(JANSSON_CFLAGS)
