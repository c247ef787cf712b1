# analyzer/: cpprofdata -> sample tree -> profiles; names; reports.
noinst_LIBRARIES += analyzer/libanalyzer.a
analyzer_libanalyzer_a_SOURCES = \
	analyzer/dataset.c analyzer/dataset.h analyzer/dataset_private.h \
	analyzer/dataset_cells.c analyzer/dataset_clones.c analyzer/dataset_ends.c \
	analyzer/dataset_find.c \
	analyzer/dataset_main.c analyzer/dataset_resolve.c \
	analyzer/dataset_tail.c \
	analyzer/filter.c analyzer/filter.h analyzer/filter_match.c \
	analyzer/filter_private.h \
	analyzer/hash.h \
	analyzer/path_walk.c analyzer/path_walk.h \
	analyzer/profile.c analyzer/profile.h analyzer/profile_private.h \
	analyzer/profile_down.c analyzer/profile_up.c \
	analyzer/report.c analyzer/report.h analyzer/report_private.h \
	analyzer/report_csv.c analyzer/report_folded.c \
	analyzer/report_info.c analyzer/report_json.c analyzer/report_tasks.c \
	analyzer/report_text.c \
	analyzer/sym_call.c analyzer/sym_call.h analyzer/sym_called.c \
	analyzer/sym_tails.c analyzer/sym_tails.h \
	analyzer/sym_dwarf.c analyzer/sym_dwarf.h \
	analyzer/sym_exports.c analyzer/sym_exports.h \
	analyzer/sym_fde.c analyzer/sym_fde.h \
	analyzer/sym_file.c analyzer/sym_file.h \
	analyzer/sym_go.c analyzer/sym_go.h \
	analyzer/sym_guard.c analyzer/sym_guard.h \
	analyzer/sym_ids.c analyzer/sym_ids.h \
	analyzer/sym_notes.c analyzer/sym_notes.h \
	analyzer/sym_jit.c analyzer/sym_jit.h analyzer/sym_jitdump.c \
	analyzer/sym_image.c analyzer/sym_image.h \
	analyzer/sym_plt.c \
	analyzer/sym_span.c analyzer/sym_span.h \
	analyzer/sym_start.c \
	analyzer/sym_table.c analyzer/sym_table.h \
	analyzer/sym_units.c analyzer/sym_units.h \
	analyzer/symbolize.c analyzer/symbolize.h \
	analyzer/tree.c analyzer/tree.h analyzer/tree_grow.c analyzer/tree_grow.h \
	analyzer/tree_filter.c analyzer/tree_private.h
analyzer_libanalyzer_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(JANSSON_CFLAGS) \
	$(CAPSTONE_CFLAGS)
