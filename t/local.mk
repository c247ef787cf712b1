# t/: TAP tests.  Shell tests end in .t; the others are programs.  What a test
# needs is built before it runs, and nothing else; make test-programs builds all.
TEST_EXTENSIONS = .t
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(T_LOG_DRIVER)
T_LOG_COMPILER = $(SHELL) $(top_srcdir)/t/lib/run_test.sh
LOG_COMPILER = $(T_LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	MANDOC='$(MANDOC)' SANITIZERS='$(SANITIZE_FLAGS)' \
	HARDENED='$(HARDEN_CFLAGS) $(HARDEN_LDFLAGS)'; \
	export top_srcdir top_builddir MANDOC SANITIZERS HARDENED;

# They start in this order: first what takes longest.
long_tests = t/live/harm/inject.t t/live/timer/accounting.t t/live/percpu/percpu_time.t t/live/timer/crowds.t \
	t/live/attach/attach_reuse.t t/live/harm/signals.t t/live/attach/attach.t t/live/probe/calls.t t/live/harm/kill_others.t \
	t/live/harm/harm_others.t t/live/timer/timers.t t/live/timer/samples_profile.t t/live/harm/limits.t \
	t/live/timer/poller.t t/live/timer/collection.t t/live/timer/samples_bare.t t/live/unwind/unwind_go.t t/cli/page.t \
	t/cli/diff.t t/cli/export_large.t
live_tests = t/live/probe/allocated.t t/live/probe/arcs.t t/live/probe/contexts.t t/live/probe/events.t t/live/timer/exceptions.t t/live/timer/objects.t t/live/probe/freed.t t/live/probe/in_process.t t/live/run/callgraph.t t/live/run/chroot.t t/live/run/cli_run.t t/live/run/diff_trials.t \
	t/live/run/filesystems.t t/live/run/full.t t/live/harm/harm.t t/live/harm/kill.t t/live/run/list.t \
	t/live/unwind/main_tail.t t/live/names/debuginfod.t t/live/names/symbolize.t t/live/names/names.t t/live/names/python.t t/live/names/asyncio.t t/live/probe/percall.t t/live/percpu/clocks.t t/live/percpu/maps.t t/live/percpu/percpu_io.t \
	t/live/percpu/percpu_sideband.t t/live/percpu/percpu_stack.t t/live/timer/pertask_stack.t t/live/unwind/planted.t \
	t/live/harm/privileges.t t/live/probe/probe_call.t t/live/timer/proc_io.t t/live/run/real_programs.t \
	t/live/percpu/rings.t t/live/harm/run_detach.t t/live/run/run_output.t t/live/percpu/several.t t/live/run/status.t \
	t/live/timer/stop.t t/live/harm/stress.t t/live/names/sym_jit.t t/live/names/sym_tail.t t/live/timer/truth.t \
	t/live/run/tutorial.t t/live/unwind/unwind_cfi.t t/live/unwind/unwind_check.t t/live/unwind/unwind_files.t \
	t/live/unwind/unwind_no_cfi.t t/live/unwind/unwind_planted.t \
	t/live/unwind/unwind_threads.t t/live/unwind/unwind_waits.t t/live/run/usage.t t/live/run/users.t
cli_tests = t/cli/advise.t t/cli/cli.t t/cli/cli_filters.t t/cli/cli_shell.t t/cli/cli_summary.t \
	t/cli/cli_tty.t t/cli/cli_views.t t/cli/cli_why.t t/cli/completion.t \
	t/cli/completion_shells.t t/cli/export_pprof.t t/cli/export_samples.t t/cli/golden.t t/cli/paths.t \
	t/cli/runtime.t \
	t/cli/golden_code.t t/cli/golden_questions.t t/cli/hostile_names.t t/cli/import.t \
	t/cli/import_hostile.t t/cli/interrupt.t t/cli/merge.t t/cli/oracle.t \
	t/cli/paper_session.t t/cli/report_json.t t/cli/widths.t
symbol_tests = t/symbol/sym_called.t t/symbol/sym_debug.t t/symbol/sym_dwarf.t t/symbol/sym_go.t \
	t/symbol/sym_hostile.t t/symbol/sym_main.t t/symbol/sym_tables.t
check_tests = t/check/bench.t t/check/bpf_budget.t t/check/cpprofdata_manual.t t/check/hardened.t t/check/manual.t \
	t/check/structure.t
unit_tests = t/fuzz/fuzz_elf t/fuzz/fuzz_import t/fuzz/fuzz_reader t/fuzz/fuzz_ring \
	t/fuzz/fuzz_rows t/unit/analyzer/callgraph_test \
	t/unit/analyzer/dataset_tasks t/unit/analyzer/diff_figure \
	t/unit/analyzer/diff_oracle t/unit/analyzer/diff_trials \
	t/unit/analyzer/filter_test t/unit/analyzer/filter_words \
	t/unit/analyzer/info_test t/unit/analyzer/name_brief \
	t/unit/analyzer/name_style t/unit/analyzer/path_tree_test \
	t/unit/analyzer/percall_callers \
	t/unit/analyzer/percall_test t/unit/analyzer/profile_hand \
	t/unit/analyzer/profile_test t/unit/analyzer/progress_test \
	t/unit/analyzer/report_test t/unit/analyzer/source_test \
	t/unit/analyzer/sym_addresses t/unit/analyzer/sym_shrink \
	t/unit/analyzer/view_test t/unit/analyzer/why_test t/unit/cpprof/cli_line \
	t/unit/cpprof/cli_opt t/unit/cpprof/session_cache_test t/unit/lib/cpd_files \
	t/unit/lib/cpd_hostile t/unit/lib/cpd_roundtrip t/unit/lib/demangle \
	t/unit/lib/frame_rows t/unit/lib/hash t/unit/lib/lib_memory \
	t/unit/lib/lib_text t/unit/monitor/code_analysis t/unit/monitor/followed \
	t/unit/monitor/objects t/unit/monitor/operand t/unit/monitor/previous_stack t/unit/monitor/priority \
	t/unit/monitor/probe_name t/unit/monitor/proc t/unit/monitor/resource \
	t/unit/monitor/resource_event t/unit/monitor/ring \
	t/unit/monitor/short_rounds t/unit/monitor/task_table
shell_tests = $(long_tests) $(live_tests) $(cli_tests) $(symbol_tests) $(check_tests)
TESTS += $(shell_tests) $(unit_tests)
EXTRA_DIST += $(shell_tests)

# What shell tests run, beside samples/: tools, and programs that are profiled,
# which are built like samples/.
test_tools = t/lib/check_schema t/lib/inject t/lib/make_big t/lib/make_fixture t/lib/monitor_dump \
	t/lib/no_perf t/lib/profiles t/lib/pty t/lib/refuse t/lib/symdump t/lib/with_pid
test_targets = t/live/target/arcs t/live/target/attach_crowd t/live/target/attach_target t/live/target/exceptions t/live/target/memory t/live/target/monitor_count t/live/target/monitor_target \
	t/live/target/planted t/live/target/probes t/live/target/proc_io t/live/target/ring_target t/live/target/stack_target
test_programs = $(unit_tests) $(test_tools) $(test_targets)
EXTRA_PROGRAMS += $(test_programs)
CLEANFILES += $(test_programs)
.PHONY: test-programs just-test-programs
# Behind `all', whose make would write the same libraries at the same time.
test-programs: all
	@$(MAKE) $(AM_MAKEFLAGS) just-test-programs
just-test-programs: $(test_programs) $(bench_programs)

# Which of them a test runs.
t/cli/export_large.log: bench/clock$(EXEEXT)
t/cli/diff.log t/cli/report_json.log t/live/probe/arcs.log t/live/run/callgraph.log t/live/run/list.log t/live/probe/freed.log t/live/timer/objects.log: t/lib/check_schema$(EXEEXT)
t/live/harm/inject.log t/live/percpu/percpu_io.log: t/lib/inject$(EXEEXT)
t/cli/diff.log t/cli/export_large.log t/cli/interrupt.log t/cli/merge.log: t/lib/make_big$(EXEEXT)
t/cli/cli.log t/cli/cli_filters.log t/cli/cli_shell.log t/cli/cli_summary.log t/cli/cli_tty.log \
	t/cli/cli_views.log t/cli/cli_why.log t/cli/completion.log t/cli/completion_shells.log \
	t/cli/export_pprof.log t/cli/export_samples.log t/cli/golden_code.log \
	t/cli/golden_questions.log t/cli/import.log t/cli/merge.log t/cli/oracle.log \
	t/cli/advise.log t/cli/page.log t/cli/report_json.log t/live/run/cli_run.log \
	t/live/run/full.log t/live/harm/limits.log: t/lib/make_fixture$(EXEEXT)
$(shell_tests:.t=.log): t/lib/monitor_dump$(EXEEXT)
t/live/run/cli_run.log: t/lib/no_perf$(EXEEXT)
t/cli/page.log: t/lib/profiles$(EXEEXT)
t/cli/cli_summary.log t/cli/cli_tty.log t/cli/completion.log t/cli/diff.log t/cli/export_large.log \
	t/cli/golden_code.log t/cli/interrupt.log t/live/harm/harm.log t/live/harm/harm_others.log \
	t/live/run/cli_run.log t/live/run/status.log: t/lib/pty$(EXEEXT)
t/cli/cli.log t/cli/export_large.log t/live/attach/attach.log t/live/probe/calls.log t/live/run/filesystems.log \
	t/live/harm/harm_others.log t/live/harm/kill.log t/live/harm/kill_others.log t/live/harm/limits.log \
	t/live/percpu/percpu_io.log t/live/timer/poller.log t/live/harm/privileges.log t/live/harm/run_detach.log \
	t/live/names/symbolize.log t/live/timer/stop.log t/live/run/users.log: t/lib/refuse$(EXEEXT)
t/live/names/sym_jit.log t/symbol/sym_debug.log t/symbol/sym_dwarf.log t/symbol/sym_go.log \
	t/symbol/sym_hostile.log t/symbol/sym_main.log t/symbol/sym_tables.log: t/lib/symdump$(EXEEXT)
t/live/percpu/percpu_sideband.log: t/lib/with_pid$(EXEEXT)
t/live/probe/arcs.log: t/live/target/arcs$(EXEEXT)
t/live/attach/attach.log: t/live/target/attach_crowd$(EXEEXT)
t/live/attach/attach.log t/live/harm/inject.log: t/live/target/attach_target$(EXEEXT)
t/live/timer/accounting.log t/live/percpu/percpu_time.log t/live/percpu/several.log: t/live/target/monitor_count$(EXEEXT)
t/live/timer/accounting.log t/live/probe/calls.log t/live/harm/harm.log t/live/harm/harm_others.log t/live/harm/kill.log \
	t/live/harm/kill_others.log t/live/harm/limits.log t/live/percpu/percpu_sideband.log t/live/percpu/percpu_time.log \
	t/live/timer/poller.log t/live/harm/privileges.log t/live/percpu/rings.log t/live/harm/run_detach.log \
	t/live/harm/signals.log t/live/timer/stop.log: t/live/target/monitor_target$(EXEEXT)
t/live/timer/exceptions.log: t/live/target/exceptions$(EXEEXT)
t/live/timer/objects.log: t/live/target/memory$(EXEEXT)
t/live/unwind/planted.log: t/live/target/planted$(EXEEXT)
t/live/probe/events.log: t/live/target/probes$(EXEEXT)
t/live/timer/proc_io.log: t/live/target/proc_io$(EXEEXT)
t/live/percpu/rings.log t/live/harm/stress.log: t/live/target/ring_target$(EXEEXT)
t/live/percpu/percpu_stack.log t/live/timer/pertask_stack.log: t/live/target/stack_target$(EXEEXT)
t/check/bench.log: $(bench_programs)

# Each of these is linked with what it uses of all of cpprof.
LDADD = cpprof/libcli.a monitor/libmonitor.a analyzer/libanalyzer.a lib/libbase.a \
	$(UNWIND_LIBS) $(CAPSTONE_LIBS) $(DW_LIBS) $(BPF_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) \
	$(IBERTY_LIBS) -lm
t_fuzz_fuzz_elf_SOURCES = t/fuzz/fuzz_elf.c
t_fuzz_fuzz_elf_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
t_fuzz_fuzz_import_SOURCES = t/fuzz/fuzz_import.c
t_fuzz_fuzz_reader_SOURCES = t/fuzz/fuzz_reader.c
t_fuzz_fuzz_ring_SOURCES = t/fuzz/fuzz_ring.c
t_fuzz_fuzz_rows_SOURCES = t/fuzz/fuzz_rows.c
t_lib_check_schema_SOURCES = t/lib/check_schema.c
t_lib_check_schema_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
t_lib_inject_SOURCES = t/lib/inject.c
t_lib_inject_LDADD =
t_lib_make_big_SOURCES = t/lib/make_big.c
t_lib_make_fixture_SOURCES = t/lib/make_fixture.c
t_lib_monitor_dump_SOURCES = t/lib/monitor_dump.c
t_lib_no_perf_SOURCES = t/lib/no_perf.c
t_lib_no_perf_LDADD =
t_lib_profiles_SOURCES = t/lib/profiles.c
t_lib_pty_SOURCES = t/lib/pty.c
t_lib_pty_LDADD =
t_lib_refuse_SOURCES = t/lib/refuse.c
t_lib_refuse_LDADD =
t_lib_symdump_SOURCES = t/lib/symdump.c
t_lib_symdump_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
t_lib_with_pid_SOURCES = t/lib/with_pid.c
t_lib_with_pid_LDADD =
t_live_target_attach_crowd_SOURCES = t/live/target/attach_crowd.c
t_live_target_attach_crowd_CFLAGS = $(sample_cflags)
t_live_target_attach_crowd_LDFLAGS = $(sample_ldflags)
t_live_target_attach_crowd_LDADD =
t_live_target_attach_target_SOURCES = t/live/target/attach_target.c
t_live_target_attach_target_CFLAGS = $(sample_cflags)
t_live_target_attach_target_LDFLAGS = $(sample_ldflags)
t_live_target_attach_target_LDADD =
t_live_target_arcs_SOURCES = t/live/target/arcs.c
t_live_target_arcs_CFLAGS = $(sample_cflags)
t_live_target_arcs_LDFLAGS = $(sample_ldflags)
t_live_target_arcs_LDADD =
t_live_target_memory_SOURCES = t/live/target/memory.c
t_live_target_memory_CFLAGS = $(sample_cflags)
t_live_target_memory_LDFLAGS = $(sample_ldflags)
t_live_target_exceptions_SOURCES = t/live/target/exceptions.c
t_live_target_exceptions_CFLAGS = $(sample_cflags)
t_live_target_exceptions_LDFLAGS = $(sample_ldflags)
t_live_target_exceptions_LDADD = -lm
t_live_target_monitor_count_SOURCES = t/live/target/monitor_count.c
t_live_target_monitor_count_CFLAGS = $(sample_cflags)
t_live_target_monitor_count_LDFLAGS = $(sample_ldflags)
t_live_target_monitor_count_LDADD =
t_live_target_monitor_target_SOURCES = t/live/target/monitor_target.c t/live/target/monitor_target.h \
	t/live/target/target_setting.c t/live/target/target_tasks.c t/live/target/target_tracers.c t/live/target/target_work.c
t_live_target_monitor_target_CFLAGS = $(sample_cflags)
t_live_target_monitor_target_LDFLAGS = $(sample_ldflags)
t_live_target_monitor_target_LDADD =
t_live_target_planted_SOURCES = t/live/target/planted.c
t_live_target_planted_CFLAGS = $(sample_cflags)
t_live_target_planted_LDFLAGS = $(sample_ldflags)
t_live_target_planted_LDADD =
t_live_target_probes_SOURCES = t/live/target/probes.c
t_live_target_probes_CFLAGS = $(sample_cflags)
t_live_target_probes_LDFLAGS = $(sample_ldflags)
t_live_target_probes_LDADD =
t_live_target_proc_io_SOURCES = t/live/target/proc_io.c
t_live_target_proc_io_CFLAGS = $(sample_cflags)
t_live_target_proc_io_LDFLAGS = $(sample_ldflags)
t_live_target_proc_io_LDADD =
t_live_target_ring_target_SOURCES = t/live/target/ring_target.c
t_live_target_ring_target_CFLAGS = $(sample_cflags)
t_live_target_ring_target_LDFLAGS = $(sample_ldflags)
t_live_target_ring_target_LDADD =
t_live_target_stack_target_SOURCES = t/live/target/stack_target.c
t_live_target_stack_target_CFLAGS = $(sample_cflags)
t_live_target_stack_target_LDFLAGS = $(sample_ldflags)
t_live_target_stack_target_LDADD =
t_unit_analyzer_callgraph_test_SOURCES = t/unit/analyzer/callgraph_test.c
t_unit_analyzer_dataset_tasks_SOURCES = t/unit/analyzer/dataset_tasks.c
t_unit_analyzer_diff_figure_SOURCES = t/unit/analyzer/diff_figure.c
t_unit_analyzer_diff_oracle_SOURCES = t/unit/analyzer/diff_oracle.c
t_unit_analyzer_diff_trials_SOURCES = t/unit/analyzer/diff_trials.c
t_unit_analyzer_filter_test_SOURCES = t/unit/analyzer/filter_test.c
t_unit_analyzer_filter_words_SOURCES = t/unit/analyzer/filter_words.c
t_unit_analyzer_info_test_SOURCES = t/unit/analyzer/info_test.c
t_unit_analyzer_name_brief_SOURCES = t/unit/analyzer/name_brief.c
t_unit_analyzer_name_style_SOURCES = t/unit/analyzer/name_style.c
t_unit_analyzer_path_tree_test_SOURCES = t/unit/analyzer/path_tree_test.c
t_unit_analyzer_percall_callers_SOURCES = t/unit/analyzer/percall_callers.c
t_unit_analyzer_percall_test_SOURCES = t/unit/analyzer/percall_test.c
t_unit_analyzer_profile_hand_SOURCES = t/unit/analyzer/profile_hand.c
t_unit_analyzer_profile_test_SOURCES = t/unit/analyzer/profile_test.c
t_unit_analyzer_progress_test_SOURCES = t/unit/analyzer/progress_test.c
t_unit_analyzer_report_test_SOURCES = t/unit/analyzer/report_test.c
t_unit_analyzer_source_test_SOURCES = t/unit/analyzer/source_test.c
t_unit_analyzer_sym_addresses_SOURCES = t/unit/analyzer/sym_addresses.c
t_unit_analyzer_sym_shrink_SOURCES = t/unit/analyzer/sym_shrink.c
t_unit_analyzer_view_test_SOURCES = t/unit/analyzer/view_test.c
t_unit_analyzer_why_test_SOURCES = t/unit/analyzer/why_test.c
t_unit_cpprof_cli_line_SOURCES = t/unit/cpprof/cli_line.c
t_unit_cpprof_cli_opt_SOURCES = t/unit/cpprof/cli_opt.c
t_unit_cpprof_session_cache_test_SOURCES = t/unit/cpprof/session_cache_test.c
t_unit_lib_cpd_files_SOURCES = t/unit/lib/cpd_files.c
t_unit_lib_cpd_hostile_SOURCES = t/unit/lib/cpd_hostile.c
t_unit_lib_cpd_roundtrip_SOURCES = t/unit/lib/cpd_roundtrip.c
t_unit_lib_demangle_SOURCES = t/unit/lib/demangle.c
t_unit_lib_frame_rows_SOURCES = t/unit/lib/frame_rows.c
t_unit_lib_hash_SOURCES = t/unit/lib/hash.c
t_unit_lib_lib_memory_SOURCES = t/unit/lib/lib_memory.c
t_unit_lib_lib_text_SOURCES = t/unit/lib/lib_text.c
t_unit_monitor_code_analysis_SOURCES = t/unit/monitor/code_analysis.c
t_unit_monitor_followed_SOURCES = t/unit/monitor/followed.c monitor/inprocess/followed.c
t_unit_monitor_followed_LDADD =
t_unit_monitor_objects_SOURCES = t/unit/monitor/objects.c
t_unit_monitor_operand_SOURCES = t/unit/monitor/operand.c
t_unit_monitor_previous_stack_SOURCES = t/unit/monitor/previous_stack.c
t_unit_monitor_priority_SOURCES = t/unit/monitor/priority.c
t_unit_monitor_probe_name_SOURCES = t/unit/monitor/probe_name.c
t_unit_monitor_proc_SOURCES = t/unit/monitor/proc.c
t_unit_monitor_resource_SOURCES = t/unit/monitor/resource.c
t_unit_monitor_resource_event_SOURCES = t/unit/monitor/resource_event.c
t_unit_monitor_ring_SOURCES = t/unit/monitor/ring.c
t_unit_monitor_short_rounds_SOURCES = t/unit/monitor/short_rounds.c
t_unit_monitor_task_table_SOURCES = t/unit/monitor/task_table.c

EXTRA_DIST += t/fuzz/replay.h t/lib/draw.h t/lib/made_file.h t/lib/read_memory.h t/lib/tap.h t/lib/temp_file.h \
	t/unit/analyzer/filter_input.h t/unit/analyzer/filter_oracle.h \
	t/unit/analyzer/oracle.h t/unit/analyzer/planted.h \
	t/unit/analyzer/report_data.h t/unit/analyzer/stack_tree.h \
	t/unit/lib/cpd_log.h t/unit/lib/cpd_random.h
EXTRA_DIST += t/live/target/python_awaits.py t/live/target/python_calls.py t/live/target/python_compare.py t/live/target/python_waits.py t/live/target/contexts.c
EXTRA_DIST += t/lib/run_test.sh t/quarantine t/lib/truth.awk \
	t/lib/page_clicks.js t/lib/page_colours.js t/lib/page_deep.js t/lib/page_names.js \
	t/lib/page_profiles.js t/lib/page_small.js t/lib/page_tasks.js t/lib/page_time.js t/lib/page_user.js \
	t/lib/lib.sh t/lib/golden.sh t/lib/lsan.supp t/lib/profile.proto
EXTRA_DIST += t/lib/ci.sh t/kernels/boot.sh t/kernels/get.sh t/kernels/guest.sh \
	t/kernels/matrix.sh t/kernels/mirror.sh t/kernels/try.sh
if HAVE_BPF
test_tools += t/lib/bpf_budget
t/check/bpf_budget.log: t/lib/bpf_budget$(EXEEXT)
endif
t_lib_bpf_budget_SOURCES = t/lib/bpf_budget.c
t_lib_bpf_budget_LDADD = $(BPF_LIBS)
