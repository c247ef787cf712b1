# analyzer/: cpprofdata -> sample tree -> profiles; names; reports.
noinst_LIBRARIES += analyzer/libanalyzer.a
analyzer_libanalyzer_a_SOURCES = \
	analyzer/dataset.h \
	analyzer/demangle.c analyzer/demangle.h \
	analyzer/profile.h \
	analyzer/report.h \
	analyzer/sym_dwarf.c analyzer/sym_dwarf.h \
	analyzer/sym_fde.c analyzer/sym_fde.h \
	analyzer/sym_file.c analyzer/sym_file.h \
	analyzer/sym_ids.c analyzer/sym_ids.h \
	analyzer/sym_image.c analyzer/sym_image.h \
	analyzer/sym_plt.c \
	analyzer/sym_span.c analyzer/sym_span.h \
	analyzer/sym_start.c \
	analyzer/sym_table.c analyzer/sym_table.h \
	analyzer/symbolize.c analyzer/symbolize.h \
	analyzer/tree.h
analyzer_libanalyzer_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(JANSSON_CFLAGS)
