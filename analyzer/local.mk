# analyzer/: cpprofdata -> sample tree -> profiles; names; reports.
noinst_LIBRARIES += analyzer/libanalyzer.a
analyzer_libanalyzer_a_SOURCES = \
	analyzer/data/aggregates.c analyzer/data/aggregates.h \
	analyzer/data/lives.c analyzer/data/lives.h \
	analyzer/data/dataset.c analyzer/data/dataset.h \
	analyzer/data/dataset_brief.c \
	analyzer/data/dataset_clones.c \
	analyzer/data/dataset_find.c \
	analyzer/data/dataset_functions.c \
	analyzer/data/dataset_groups.c \
	analyzer/data/dataset_idle.c \
	analyzer/data/dataset_lives.c \
	analyzer/data/dataset_locations.c \
	analyzer/data/dataset_main.c \
	analyzer/data/dataset_own.c \
	analyzer/data/dataset_part.c \
	analyzer/data/dataset_private.h \
	analyzer/data/dataset_resolve.c \
	analyzer/data/dataset_runtime.c \
	analyzer/data/dataset_tail.c \
	analyzer/data/dataset_tasks.c \
	analyzer/diff/diff.c analyzer/diff/diff.h \
	analyzer/diff/diff_figure.c \
	analyzer/diff/diff_names.c \
	analyzer/diff/diff_private.h \
	analyzer/diff/student.c analyzer/diff/student.h \
	analyzer/export/export.c analyzer/export/export.h \
	analyzer/export/find_leaks.c analyzer/export/find_leaks.h \
	analyzer/export/firefox.c analyzer/export/firefox_private.h \
	analyzer/export/firefox_tables.c \
	analyzer/export/folded.c \
	analyzer/export/gzip.c analyzer/export/gzip.h \
	analyzer/export/html.c \
	analyzer/export/over_time.c analyzer/export/over_time.h \
	analyzer/export/perf_script.c \
	analyzer/export/pprof.c analyzer/export/pprof_private.h \
	analyzer/export/pprof_tables.c \
	analyzer/export/samples.c analyzer/export/samples.h \
	analyzer/export/stacks.c analyzer/export/stacks.h \
	analyzer/filter/filter.c analyzer/filter/filter.h \
	analyzer/filter/filter_match.c \
	analyzer/filter/filter_private.h \
	analyzer/filter/filter_window.c \
	analyzer/import/build.c analyzer/import/build.h \
	analyzer/import/build_private.h \
	analyzer/import/folded.c \
	analyzer/import/import.c analyzer/import/import.h \
	analyzer/import/lines.c analyzer/import/lines.h \
	analyzer/import/perf.c \
	analyzer/import/perf_line.c analyzer/import/perf_line.h \
	analyzer/import/places.c \
	analyzer/import/pprof.c analyzer/import/pprof_private.h \
	analyzer/import/pprof_tables.c \
	analyzer/name/name_parse.c \
	analyzer/name/name_squeeze.c \
	analyzer/name/name_style.c analyzer/name/name_style.h \
	analyzer/name/name_style_private.h \
	analyzer/name/name_type.c \
	analyzer/name/pattern.c analyzer/name/pattern.h \
	analyzer/profile/function_figures.c analyzer/profile/function_figures.h \
	analyzer/profile/path_walk.c analyzer/profile/path_walk.h \
	analyzer/profile/paths.c analyzer/profile/paths.h \
	analyzer/profile/profile.c analyzer/profile/profile.h \
	analyzer/profile/profile_down.c \
	analyzer/profile/profile_parts.c analyzer/profile/profile_parts.h \
	analyzer/profile/profile_private.h \
	analyzer/profile/profile_up.c \
	analyzer/questions/advice.c analyzer/questions/advice.h \
	analyzer/questions/advice_library.c \
	analyzer/questions/advice_list.c \
	analyzer/questions/advice_private.h \
	analyzer/questions/advice_processes.c \
	analyzer/questions/advice_run.c \
	analyzer/questions/advice_waits.c \
	analyzer/questions/callgraph.c analyzer/questions/callgraph.h \
	analyzer/questions/cycles.c analyzer/questions/cycles.h \
	analyzer/questions/leaks.c analyzer/questions/leaks.h \
	analyzer/questions/pages.c analyzer/questions/pages.h \
	analyzer/questions/percall.c analyzer/questions/percall.h \
	analyzer/questions/spread.c analyzer/questions/spread.h \
	analyzer/questions/why.c analyzer/questions/why.h \
	analyzer/report/csv_values.c analyzer/report/csv_values.h \
	analyzer/report/data.c \
	analyzer/report/diff.h \
	analyzer/report/diff_json.c \
	analyzer/report/diff_text.c \
	analyzer/report/function_table.c \
	analyzer/report/json_values.c analyzer/report/json_values.h \
	analyzer/report/layout.c analyzer/report/layout.h \
	analyzer/report/paper.c \
	analyzer/report/path_line.c \
	analyzer/report/path_table.c \
	analyzer/report/path_text.c analyzer/report/path_text.h \
	analyzer/report/path_tree.c analyzer/report/path_tree.h \
	analyzer/report/report.c analyzer/report/report.h \
	analyzer/report/report_private.h \
	analyzer/report/rows.c analyzer/report/rows.h \
	analyzer/report/task_runs.c \
	analyzer/report/tasks.c \
	analyzer/report/tasks_text.c \
	analyzer/report/text.c \
	analyzer/report/words.c \
	analyzer/report/questions/advice_claim.c \
	analyzer/report/questions/advice_text.c \
	analyzer/report/questions/callgraph_data.c \
	analyzer/report/questions/callgraph_text.c \
	analyzer/report/questions/figures.c \
	analyzer/report/questions/leaks.c \
	analyzer/report/questions/pages.c \
	analyzer/report/questions/lines_data.c \
	analyzer/report/questions/lines_text.c \
	analyzer/report/questions/percall.c \
	analyzer/report/questions/questions.c \
	analyzer/report/questions/questions.h \
	analyzer/report/questions/questions_private.h \
	analyzer/report/questions/text_lines.c \
	analyzer/report/questions/text_lines.h \
	analyzer/report/questions/why.c \
	analyzer/report/run/facts.c \
	analyzer/report/run/filters.c \
	analyzer/report/run/filters_data.c \
	analyzer/report/run/idle.c \
	analyzer/report/run/leads.c \
	analyzer/report/run/nameless.c \
	analyzer/report/run/info.c \
	analyzer/report/run/info_data.c \
	analyzer/report/run/info_facts.c analyzer/report/run/info_facts.h \
	analyzer/report/run/runtime.c \
	analyzer/report/run/summary.c \
	analyzer/report/run/summary_data.c \
	analyzer/report/run/summary_facts.c analyzer/report/run/summary_facts.h \
	analyzer/source/binary.c analyzer/source/binary.h \
	analyzer/source/code.c analyzer/source/code.h \
	analyzer/source/late_places.c analyzer/source/late_places.h \
	analyzer/source/lines.c analyzer/source/lines.h \
	analyzer/source/listing.c analyzer/source/listing.h \
	analyzer/source/stacks.c analyzer/source/stacks.h \
	analyzer/source/text.c analyzer/source/text.h \
	analyzer/symbol/table/addresses.c analyzer/symbol/table/addresses.h \
	analyzer/symbol/exports.c analyzer/symbol/exports.h \
	analyzer/symbol/file.c analyzer/symbol/file.h \
	analyzer/symbol/guard.c analyzer/symbol/guard.h \
	analyzer/symbol/limit.c analyzer/symbol/limit.h \
	analyzer/symbol/namer.c \
	analyzer/symbol/lookup.c analyzer/symbol/lookup.h \
	analyzer/symbol/notes.c analyzer/symbol/notes.h \
	analyzer/symbol/task.h \
	analyzer/symbol/table/span.c analyzer/symbol/table/span.h \
	analyzer/symbol/symbolize.c analyzer/symbol/symbolize.h \
	analyzer/symbol/dwarf/dwarf.c analyzer/symbol/dwarf/dwarf.h \
	analyzer/symbol/dwarf/scopes.c analyzer/symbol/dwarf/scopes.h \
	analyzer/symbol/dwarf/units.c analyzer/symbol/dwarf/units.h \
	analyzer/symbol/jit/choices.c \
	analyzer/symbol/jit/jit.c analyzer/symbol/jit/jit.h \
	analyzer/symbol/jit/jitdump.c \
	analyzer/symbol/table/call.c analyzer/symbol/table/call.h \
	analyzer/symbol/table/called.c \
	analyzer/symbol/table/flow.c \
	analyzer/symbol/table/plt.c \
	analyzer/symbol/table/start.c \
	analyzer/symbol/table/table.c analyzer/symbol/table/table.h \
	analyzer/symbol/table/tails.c analyzer/symbol/table/tails.h \
	analyzer/tree/tree.c analyzer/tree/tree.h \
	analyzer/tree/tree_filter.c \
	analyzer/tree/tree_frames.h \
	analyzer/tree/tree_grow.c analyzer/tree/tree_grow.h \
	analyzer/tree/tree_new.c \
	analyzer/tree/tree_private.h \
	analyzer/tree/tree_prune.c
analyzer_libanalyzer_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(JANSSON_CFLAGS)

# The page of `export --format=html', put into the binary as bytes.
page = analyzer/export/page
page_parts = $(page)/page.html $(page)/page.css $(page)/model.js $(page)/view.js
EXTRA_DIST += $(page_parts)
BUILT_SOURCES += $(page)/whole.html
CLEANFILES += $(page)/whole.html
analyzer/export/libanalyzer_a-html.$(OBJEXT): $(page)/whole.html

$(page)/whole.html: $(page_parts)
	@$(MKDIR_P) $(page)
	$(AM_V_GEN)sed -e '/^@style@$$/{' -e 'r $(srcdir)/$(page)/page.css' \
		-e 'd' -e '}' -e '/^@script@$$/{' \
		-e 'r $(srcdir)/$(page)/model.js' \
		-e 'r $(srcdir)/$(page)/view.js' -e 'd' -e '}' \
		'$(srcdir)/$(page)/page.html' >$@.tmp && mv $@.tmp $@
