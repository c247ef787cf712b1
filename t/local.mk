# t/: TAP tests.  Shell tests end in .t; the others are programs built here.
TEST_EXTENSIONS = .t
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(T_LOG_DRIVER)
T_LOG_COMPILER = $(SHELL) $(top_srcdir)/t/lib/turn.sh
LOG_COMPILER = $(T_LOG_COMPILER)
EXTRA_DIST += t/lib/ci.sh t/lib/turn.sh t/quarantine
EXTRA_DIST += t/kernels/boot.sh t/kernels/get.sh t/kernels/guest.sh \
	t/kernels/matrix.sh t/kernels/mirror.sh t/kernels/try.sh
CLEANFILES += t/turn.lock
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	MANDOC='$(MANDOC)' SANITIZERS='$(SANITIZE_FLAGS)' \
	HARDENED='$(HARDEN_CFLAGS) $(HARDEN_LDFLAGS)'; \
	export top_srcdir top_builddir MANDOC SANITIZERS HARDENED;

# In this order they start.  First what takes longest; last what runs alone
# (t/lib/turn.sh), since what waits for its turn leaves a processor idle.
long_tests = t/live/inject.t t/live/accounting.t t/live/unwind_go.t \
	t/live/collection.t t/live/samples_bare.t t/live/harm_others.t \
	t/live/harm.t t/live/kill_others.t t/cli/page.t
alone_tests = t/live/callgraph.t t/live/limits.t \
	t/live/percpu_io.t t/live/percpu_stack.t t/live/percpu_time.t \
	t/live/pertask_stack.t t/live/poller.t t/live/samples_profile.t t/live/stress.t \
	t/live/timers.t
TESTS += $(long_tests)

# samples/
TESTS += t/live/truth.t
EXTRA_DIST += t/live/samples_bare.t t/live/samples_profile.t t/live/truth.t t/lib/truth.awk

# lib/
lib_tests = t/unit/hash t/unit/cpd_files t/unit/cpd_hostile t/unit/cpd_roundtrip t/fuzz/fuzz_reader \
	t/unit/lib_memory t/unit/lib_text
check_PROGRAMS += $(lib_tests)
TESTS += $(lib_tests) t/check/cpprofdata_manual.t
EXTRA_DIST += t/check/cpprofdata_manual.t t/fuzz/corpus/reader
base_libs = lib/libbase.a $(ZLIB_LIBS)
t_unit_cpd_files_SOURCES = t/unit/cpd_files.c t/lib/tap.h
t_unit_cpd_files_LDADD = $(base_libs)
t_unit_cpd_hostile_SOURCES = t/unit/cpd_hostile.c t/unit/cpd_random.h t/unit/cpd_log.h t/lib/draw.h t/lib/tap.h
t_unit_cpd_hostile_LDADD = $(base_libs)
t_unit_cpd_roundtrip_SOURCES = t/unit/cpd_roundtrip.c t/unit/cpd_random.h t/unit/cpd_log.h t/lib/draw.h t/lib/tap.h
t_unit_cpd_roundtrip_LDADD = $(base_libs)
t_fuzz_fuzz_reader_SOURCES = t/fuzz/fuzz_reader.c t/fuzz/replay.h t/lib/draw.h t/lib/tap.h
t_fuzz_fuzz_reader_LDADD = $(base_libs)
t_unit_hash_SOURCES = t/unit/hash.c t/lib/tap.h
t_unit_hash_LDADD = $(base_libs)
t_unit_lib_memory_SOURCES = t/unit/lib_memory.c t/lib/tap.h
t_unit_lib_memory_LDADD = $(base_libs)
t_unit_lib_text_SOURCES = t/unit/lib_text.c t/lib/tap.h
t_unit_lib_text_LDADD = $(base_libs)

# analyzer/: profiles and reports
check_PROGRAMS += t/unit/profile_test t/unit/profile_hand t/unit/report_test t/unit/info_test t/lib/make_big \
	t/unit/sym_addresses
TESTS += t/unit/sym_addresses t/unit/profile_test t/unit/profile_hand t/unit/report_test t/unit/info_test
t_unit_sym_addresses_SOURCES = t/unit/sym_addresses.c t/lib/tap.h
t_unit_sym_addresses_LDADD = analyzer/libanalyzer.a lib/libbase.a $(ZLIB_LIBS)
t_unit_profile_test_SOURCES = t/unit/profile_test.c t/unit/oracle.h t/unit/planted.h t/lib/draw.h t/lib/tap.h
t_unit_profile_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(ZLIB_LIBS) -lm
t_unit_profile_hand_SOURCES = t/unit/profile_hand.c t/unit/planted.h t/lib/tap.h
t_unit_profile_hand_LDADD = $(t_unit_profile_test_LDADD)
t_unit_report_test_SOURCES = t/unit/report_test.c t/unit/report_data.h t/lib/temp_file.h t/lib/tap.h
t_unit_report_test_LDADD = analyzer/libanalyzer.a lib/libbase.a \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm
t_unit_info_test_SOURCES = t/unit/info_test.c t/unit/report_data.h t/lib/temp_file.h t/lib/tap.h
t_unit_info_test_LDADD = $(t_unit_report_test_LDADD)
t_lib_make_big_SOURCES = t/lib/make_big.c
t_lib_make_big_LDADD = analyzer/libanalyzer.a lib/libbase.a $(ZLIB_LIBS) -lm

check_PROGRAMS += t/unit/callgraph_test
TESTS += t/unit/callgraph_test
t_unit_callgraph_test_SOURCES = t/unit/callgraph_test.c t/lib/draw.h t/lib/tap.h
t_unit_callgraph_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(ZLIB_LIBS) -lm

check_PROGRAMS += t/unit/source_test
TESTS += t/unit/source_test
t_unit_source_test_SOURCES = t/unit/source_test.c t/lib/made_file.h t/lib/draw.h t/lib/temp_file.h t/lib/tap.h
t_unit_source_test_LDADD = $(t_lib_symdump_LDADD) -lm

check_PROGRAMS += t/unit/view_test
TESTS += t/unit/view_test
t_unit_view_test_SOURCES = t/unit/view_test.c t/lib/made_file.h t/lib/temp_file.h t/lib/tap.h
t_unit_view_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(ZLIB_LIBS) -lm

check_PROGRAMS += t/unit/progress_test
TESTS += t/unit/progress_test
t_unit_progress_test_SOURCES = t/unit/progress_test.c t/lib/made_file.h t/lib/draw.h t/lib/temp_file.h t/lib/tap.h
t_unit_progress_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm

check_PROGRAMS += t/unit/name_brief
TESTS += t/unit/name_brief
t_unit_name_brief_SOURCES = t/unit/name_brief.c t/lib/made_file.h t/lib/temp_file.h t/lib/tap.h
t_unit_name_brief_LDADD = analyzer/libanalyzer.a $(base_libs) \
	$(JANSSON_LIBS) $(IBERTY_LIBS) -lm

check_PROGRAMS += t/unit/name_style
TESTS += t/unit/name_style
t_unit_name_style_SOURCES = t/unit/name_style.c t/lib/tap.h
t_unit_name_style_LDADD = analyzer/libanalyzer.a $(base_libs) $(IBERTY_LIBS)
check_PROGRAMS += t/unit/diff_figure t/unit/diff_oracle t/unit/diff_trials
TESTS += t/unit/diff_figure t/unit/diff_oracle t/unit/diff_trials t/cli/advise.t t/cli/diff.t
EXTRA_DIST += t/cli/advise.t t/cli/diff.t
t_unit_diff_trials_SOURCES = t/unit/diff_trials.c t/lib/draw.h t/lib/made_file.h \
	t/lib/tap.h t/lib/temp_file.h
t_unit_diff_trials_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
t_unit_diff_oracle_SOURCES = t/unit/diff_oracle.c t/unit/oracle.h t/lib/draw.h t/lib/tap.h
t_unit_diff_oracle_LDADD = analyzer/libanalyzer.a lib/libbase.a \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm
t_unit_diff_figure_SOURCES = t/unit/diff_figure.c t/lib/draw.h t/lib/tap.h
t_unit_diff_figure_LDADD = analyzer/libanalyzer.a lib/libbase.a \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm

filter_tests = t/unit/filter_test t/unit/filter_words t/unit/dataset_tasks
check_PROGRAMS += $(filter_tests)
TESTS += $(filter_tests)
t_unit_filter_test_SOURCES = t/unit/filter_test.c t/unit/filter_oracle.h t/unit/filter_input.h \
	t/lib/made_file.h t/lib/draw.h t/lib/temp_file.h t/lib/tap.h
t_unit_filter_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
t_unit_filter_words_SOURCES = t/unit/filter_words.c t/unit/filter_input.h t/lib/made_file.h \
	t/lib/temp_file.h t/lib/tap.h
t_unit_filter_words_LDADD = $(t_unit_filter_test_LDADD)
t_unit_dataset_tasks_SOURCES = t/unit/dataset_tasks.c t/lib/made_file.h t/lib/temp_file.h t/lib/tap.h
t_unit_dataset_tasks_LDADD = $(t_unit_filter_test_LDADD)

check_PROGRAMS += t/unit/session_cache_test
TESTS += t/unit/session_cache_test
t_unit_session_cache_test_SOURCES = t/unit/session_cache_test.c t/lib/made_file.h \
	t/lib/temp_file.h t/lib/tap.h
t_unit_session_cache_test_LDADD = cpprof/libcli.a analyzer/libanalyzer.a lib/libbase.a \
	$(CAPSTONE_LIBS) $(DW_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) $(IBERTY_LIBS) -lm

check_PROGRAMS += t/unit/percall_test t/unit/why_test
TESTS += t/unit/percall_test t/unit/why_test
t_unit_why_test_SOURCES = t/unit/why_test.c t/unit/oracle.h t/lib/draw.h t/lib/tap.h
t_unit_why_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
t_unit_percall_test_SOURCES = t/unit/percall_test.c t/unit/oracle.h t/lib/draw.h \
	t/lib/made_file.h t/lib/temp_file.h t/lib/tap.h
t_unit_percall_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm

TESTS += t/live/tutorial.t
EXTRA_DIST += t/live/tutorial.t
EXTRA_DIST += t/cli/page.t t/lib/page_clicks.js t/lib/page_colours.js \
	t/lib/page_deep.js t/lib/page_names.js t/lib/page_profiles.js \
	t/lib/page_small.js t/lib/page_tasks.js t/lib/page_user.js

TESTS += t/cli/completion.t t/cli/completion_shells.t
EXTRA_DIST += t/cli/completion.t t/cli/completion_shells.t
EXTRA_DIST += t/lib/lib.sh t/lib/golden.sh t/lib/lsan.supp

# monitor/: monitor_target does awkward things, monitor_count counts what it
# consumes, monitor_dump prints files, refuse forbids system calls.  The
# two that are profiled are built like the programs in samples/.
check_PROGRAMS += t/live/monitor_count t/lib/monitor_dump t/live/monitor_target t/lib/refuse \
	t/unit/ring t/unit/space
t_unit_ring_SOURCES = t/unit/ring.c t/lib/draw.h t/lib/tap.h
t_unit_ring_LDADD = monitor/libmonitor.a $(base_libs)
t_unit_space_SOURCES = t/unit/space.c t/lib/draw.h t/lib/tap.h
t_unit_space_LDADD = $(unwind_libs)
TESTS += t/unit/ring t/unit/space
t_live_monitor_count_SOURCES = t/live/monitor_count.c
t_live_monitor_count_CFLAGS = $(sample_cflags)
t_live_monitor_count_LDFLAGS = $(sample_ldflags)
t_lib_monitor_dump_SOURCES = t/lib/monitor_dump.c
t_lib_monitor_dump_LDADD = $(base_libs)
t_live_monitor_target_SOURCES = t/live/monitor_target.c t/live/monitor_target.h \
	t/live/target_setting.c t/live/target_tasks.c \
	t/live/target_tracers.c t/live/target_work.c
t_live_monitor_target_CFLAGS = $(sample_cflags)
t_live_monitor_target_LDFLAGS = $(sample_ldflags)
t_lib_refuse_SOURCES = t/lib/refuse.c
check_PROGRAMS += t/lib/inject
t_lib_inject_SOURCES = t/lib/inject.c
EXTRA_DIST += t/live/inject.t
TESTS += t/live/privileges.t t/live/run_detach.t t/live/signals.t
EXTRA_DIST += t/live/privileges.t t/live/run_detach.t t/live/signals.t t/live/stress.t
TESTS += t/live/kill.t
EXTRA_DIST += t/live/accounting.t t/live/harm.t t/live/kill.t \
	t/live/harm_others.t t/live/kill_others.t \
	t/live/limits.t

# the tree and the manual
TESTS += t/check/bpf_budget.t
EXTRA_DIST += t/check/bpf_budget.t t/lib/bpf_budget.c
if HAVE_BPF
check_PROGRAMS += t/lib/bpf_budget
t_lib_bpf_budget_SOURCES = t/lib/bpf_budget.c
t_lib_bpf_budget_LDADD = $(BPF_LIBS)
endif
TESTS += t/check/hardened.t t/check/manual.t t/check/structure.t
EXTRA_DIST += t/check/hardened.t t/check/manual.t t/check/structure.t

# Names: symdump prints what the symbolizer makes of addresses.
check_PROGRAMS += t/lib/symdump
t_lib_symdump_SOURCES = t/lib/symdump.c
t_lib_symdump_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
t_lib_symdump_LDADD = analyzer/libanalyzer.a lib/libbase.a \
	$(CAPSTONE_LIBS) $(DW_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) \
	$(JANSSON_LIBS)
TESTS += t/symbol/sym_hostile.t
EXTRA_DIST += t/symbol/sym_hostile.t
TESTS += t/symbol/sym_tables.t t/symbol/sym_main.t t/symbol/sym_dwarf.t t/live/sym_jit.t t/symbol/sym_go.t \
	t/live/names.t t/live/sym_tail.t t/symbol/sym_debug.t t/symbol/sym_called.t
EXTRA_DIST += t/symbol/sym_tables.t t/symbol/sym_main.t t/symbol/sym_dwarf.t t/live/sym_jit.t t/symbol/sym_go.t \
	t/live/names.t t/live/sym_tail.t t/symbol/sym_debug.t t/symbol/sym_called.t
check_PROGRAMS += t/fuzz/fuzz_elf t/unit/sym_shrink
TESTS += t/fuzz/fuzz_elf t/unit/sym_shrink
EXTRA_DIST += t/fuzz/corpus/elf
t_fuzz_fuzz_elf_SOURCES = t/fuzz/fuzz_elf.c t/fuzz/replay.h t/lib/draw.h t/lib/tap.h
t_fuzz_fuzz_elf_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
t_fuzz_fuzz_elf_LDADD = $(t_lib_symdump_LDADD)
t_unit_sym_shrink_SOURCES = t/unit/sym_shrink.c t/lib/tap.h
t_unit_sym_shrink_LDADD = $(t_lib_symdump_LDADD)
check_PROGRAMS += t/unit/demangle
TESTS += t/unit/demangle
t_unit_demangle_SOURCES = t/unit/demangle.c t/lib/tap.h
t_unit_demangle_LDADD = $(base_libs) $(IBERTY_LIBS)

# cpprof/
check_PROGRAMS += t/unit/cli_line t/unit/cli_opt t/lib/make_fixture t/lib/profiles t/lib/no_perf t/lib/pty
TESTS += t/unit/cli_line t/unit/cli_opt
t_unit_cli_line_SOURCES = t/unit/cli_line.c t/lib/tap.h
t_unit_cli_line_LDADD = cpprof/libcli.a lib/libbase.a
t_unit_cli_opt_SOURCES = t/unit/cli_opt.c t/lib/tap.h
t_unit_cli_opt_LDADD = cpprof/libcli.a lib/libbase.a
t_lib_profiles_SOURCES = t/lib/profiles.c
t_lib_profiles_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
t_lib_make_fixture_SOURCES = t/lib/make_fixture.c
t_lib_make_fixture_LDADD = lib/libbase.a $(ZLIB_LIBS)
t_lib_no_perf_SOURCES = t/lib/no_perf.c
t_lib_pty_SOURCES = t/lib/pty.c
check_PROGRAMS += t/unit/path_tree_test
TESTS += t/unit/path_tree_test
t_unit_path_tree_test_SOURCES = t/unit/path_tree_test.c t/lib/made_file.h t/lib/draw.h t/lib/temp_file.h t/lib/tap.h
t_unit_path_tree_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm
check_PROGRAMS += t/lib/check_schema
t_lib_check_schema_SOURCES = t/lib/check_schema.c
t_lib_check_schema_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
t_lib_check_schema_LDADD = $(JANSSON_LIBS)
TESTS += t/cli/report_json.t
EXTRA_DIST += t/cli/report_json.t
TESTS += t/cli/cli_summary.t
EXTRA_DIST += t/cli/cli_summary.t
TESTS += t/cli/cli.t t/cli/cli_shell.t t/cli/cli_filters.t t/cli/cli_views.t t/cli/cli_why.t t/cli/golden.t t/cli/golden_code.t t/cli/golden_questions.t t/cli/oracle.t t/cli/paper_session.t t/live/diff_trials.t t/live/cli_run.t t/cli/cli_tty.t \
	t/live/full.t t/cli/interrupt.t
EXTRA_DIST += t/cli/cli.t t/cli/cli_shell.t t/cli/cli_filters.t t/cli/cli_views.t t/cli/cli_why.t t/cli/golden.t t/cli/golden_code.t t/cli/golden_questions.t t/cli/oracle.t t/cli/paper_session.t t/live/diff_trials.t t/live/cli_run.t t/cli/cli_tty.t \
	t/live/full.t t/cli/interrupt.t

# main, where a tail call took it away
TESTS += t/live/main_tail.t
EXTRA_DIST += t/live/main_tail.t

# Resources
check_PROGRAMS += t/unit/resource t/unit/resource_event
TESTS += t/unit/resource t/unit/resource_event
t_unit_resource_event_SOURCES = t/unit/resource_event.c t/lib/tap.h
t_unit_resource_event_LDADD = $(unwind_libs)
t_unit_resource_SOURCES = t/unit/resource.c t/lib/tap.h
t_unit_resource_LDADD = $(unwind_libs)

# per-CPU timers
TESTS += t/live/several.t
EXTRA_DIST += t/live/several.t

# calls=FUNC
check_PROGRAMS += t/unit/probe_name
TESTS += t/unit/probe_name t/live/probe_call.t t/live/percall.t
EXTRA_DIST += t/live/calls.t t/live/probe_call.t t/live/percall.t
t_unit_probe_name_SOURCES = t/unit/probe_name.c t/lib/tap.h
t_unit_probe_name_LDADD = monitor/libmonitor.a $(base_libs) $(IBERTY_LIBS)

# bytes-allocated
TESTS += t/live/allocated.t
EXTRA_DIST += t/live/allocated.t

# monitor/: unwinding
unwind_tests = t/unit/aside t/unit/priority t/unit/proc t/fuzz/fuzz_rows t/unit/frame_rows t/unit/previous_stack t/unit/steady \
	t/unit/code_analysis
check_PROGRAMS += $(unwind_tests)
TESTS += $(unwind_tests) t/live/unwind_check.t t/live/unwind_no_cfi.t t/live/unwind_cfi.t t/live/filesystems.t t/live/chroot.t t/live/unwind_files.t t/live/unwind_threads.t \
	t/live/unwind_moved.t t/live/unwind_planted.t
EXTRA_DIST += t/live/unwind_check.t t/live/unwind_no_cfi.t t/live/unwind_cfi.t t/live/filesystems.t t/live/chroot.t t/live/unwind_files.t t/live/unwind_threads.t t/live/unwind_moved.t t/live/unwind_planted.t t/live/unwind_go.t t/fuzz/corpus/rows
unwind_libs = monitor/libmonitor.a lib/libbase.a $(UNWIND_LIBS) \
	$(CAPSTONE_LIBS) $(DW_LIBS) $(ZLIB_LIBS)
t_unit_aside_SOURCES = t/unit/aside.c t/lib/tap.h
t_unit_aside_LDADD = $(unwind_libs)
t_unit_proc_SOURCES = t/unit/proc.c t/lib/tap.h
t_unit_proc_LDADD = $(unwind_libs)
t_unit_priority_SOURCES = t/unit/priority.c t/lib/tap.h
t_unit_priority_LDADD = $(unwind_libs)
t_fuzz_fuzz_rows_SOURCES = t/fuzz/fuzz_rows.c t/fuzz/replay.h t/lib/draw.h t/lib/tap.h
t_fuzz_fuzz_rows_LDADD = $(unwind_libs)
t_unit_frame_rows_SOURCES = t/unit/frame_rows.c t/lib/tap.h
t_unit_frame_rows_LDADD = $(unwind_libs)
t_unit_steady_SOURCES = t/unit/steady.c t/lib/tap.h
t_unit_steady_LDADD = $(unwind_libs)
t_unit_previous_stack_SOURCES = t/unit/previous_stack.c t/lib/draw.h t/lib/tap.h
t_unit_previous_stack_LDADD = $(unwind_libs)
t_unit_code_analysis_SOURCES = t/unit/code_analysis.c t/lib/tap.h
t_unit_code_analysis_LDADD = $(unwind_libs)

# Kernel timers with BPF
TESTS += t/live/percpu_sideband.t
EXTRA_DIST += t/live/poller.t t/live/timers.t t/live/percpu_io.t t/live/percpu_sideband.t \
	t/live/percpu_stack.t \
	t/live/pertask_stack.t \
	t/live/percpu_time.t
check_PROGRAMS += t/lib/with_pid
t_lib_with_pid_SOURCES = t/lib/with_pid.c
check_PROGRAMS += t/fuzz/fuzz_ring
TESTS += t/fuzz/fuzz_ring
EXTRA_DIST += t/fuzz/corpus/ring
t_fuzz_fuzz_ring_SOURCES = t/fuzz/fuzz_ring.c t/fuzz/replay.h t/lib/draw.h t/lib/tap.h
t_fuzz_fuzz_ring_LDADD = $(unwind_libs) $(BPF_LIBS)
check_PROGRAMS += t/live/ring_target
TESTS += t/live/rings.t
EXTRA_DIST += t/live/rings.t
t_live_ring_target_SOURCES = t/live/ring_target.c
t_live_ring_target_CFLAGS = $(sample_cflags)
t_live_ring_target_LDFLAGS = $(sample_ldflags)
check_PROGRAMS += t/live/stack_target
t_live_stack_target_SOURCES = t/live/stack_target.c
t_live_stack_target_CFLAGS = $(sample_cflags)
t_live_stack_target_LDFLAGS = $(sample_ldflags)
# callgraph and list
TESTS += t/live/list.t
EXTRA_DIST += t/live/callgraph.t t/live/list.t
# programs of the distribution
TESTS += t/live/real_programs.t
EXTRA_DIST += t/live/real_programs.t

# Stop timers
TESTS += t/live/stop.t
EXTRA_DIST += t/live/stop.t
TESTS += t/live/crowds.t t/live/proc_io.t t/live/planted.t
EXTRA_DIST += t/live/crowds.t t/live/proc_io.t t/live/planted.t
check_PROGRAMS += t/live/proc_io t/live/planted
t_live_planted_SOURCES = t/live/planted.c
t_live_planted_CFLAGS = $(sample_cflags)
t_live_planted_LDFLAGS = $(sample_ldflags)
t_live_proc_io_SOURCES = t/live/proc_io.c
t_live_proc_io_CFLAGS = $(sample_cflags)
t_live_proc_io_LDFLAGS = $(sample_ldflags)

# bench/, without its figures
TESTS += t/check/bench.t
EXTRA_DIST += t/check/bench.t
# More of a run
TESTS += t/live/run_output.t t/live/usage.t t/live/users.t
EXTRA_DIST += t/live/run_output.t t/live/usage.t t/live/users.t


# attach
check_PROGRAMS += t/live/attach_crowd t/live/attach_target
t_live_attach_crowd_SOURCES = t/live/attach_crowd.c
t_live_attach_crowd_CFLAGS = $(sample_cflags)
t_live_attach_crowd_LDFLAGS = $(sample_ldflags)
t_live_attach_target_SOURCES = t/live/attach_target.c
t_live_attach_target_CFLAGS = $(sample_cflags)
t_live_attach_target_LDFLAGS = $(sample_ldflags)
EXTRA_DIST += t/live/attach.t t/live/attach_reuse.t
TESTS += t/live/attach.t t/live/calls.t
TESTS += t/live/attach_reuse.t
TESTS += t/cli/merge.t
EXTRA_DIST += t/cli/merge.t
EXTRA_DIST += t/live/collection.t
TESTS += t/live/status.t
EXTRA_DIST += t/live/status.t
# exports
TESTS += t/cli/export_pprof.t
EXTRA_DIST += t/cli/export_pprof.t t/lib/profile.proto
# import
TESTS += t/cli/import.t t/cli/import_hostile.t t/cli/hostile_names.t
EXTRA_DIST += t/cli/import.t t/cli/import_hostile.t t/cli/hostile_names.t t/fuzz/corpus/import
check_PROGRAMS += t/fuzz/fuzz_import
TESTS += t/fuzz/fuzz_import
t_fuzz_fuzz_import_SOURCES = t/fuzz/fuzz_import.c t/fuzz/replay.h t/lib/draw.h t/lib/temp_file.h t/lib/tap.h
t_fuzz_fuzz_import_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) $(ZLIB_LIBS) -lm
TESTS += t/cli/export_samples.t t/cli/export_large.t
EXTRA_DIST += t/cli/export_samples.t t/cli/export_large.t
check_PROGRAMS += t/unit/points
TESTS += t/unit/points
t_unit_points_SOURCES = t/unit/points.c t/lib/draw.h t/lib/tap.h
t_unit_points_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) $(ZLIB_LIBS) -lm

TESTS += $(alone_tests)
