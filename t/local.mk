# t/: TAP tests.  Shell tests end in .t; the others are programs built here.
TEST_EXTENSIONS = .t
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(T_LOG_DRIVER)
T_LOG_COMPILER = $(SHELL) $(top_srcdir)/t/turn.sh
LOG_COMPILER = $(T_LOG_COMPILER)
EXTRA_DIST += t/turn.sh
CLEANFILES += t/turn.lock
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	MANDOC='$(MANDOC)' SANITIZERS='$(SANITIZE_FLAGS)'; \
	export top_srcdir top_builddir MANDOC SANITIZERS;

# samples/
TESTS += t/samples_bare.t t/samples_profile.t t/truth.t
EXTRA_DIST += t/samples_bare.t t/samples_profile.t t/truth.t t/truth.awk

# lib/
lib_tests = t/cpd_files t/cpd_hostile t/cpd_roundtrip t/fuzz_reader \
	t/lib_memory t/lib_text
check_PROGRAMS += $(lib_tests)
TESTS += $(lib_tests) t/cpprofdata_manual.t
EXTRA_DIST += t/cpprofdata_manual.t t/corpus/reader
base_libs = lib/libbase.a $(ZLIB_LIBS)
t_cpd_files_SOURCES = t/cpd_files.c t/tap.h
t_cpd_files_LDADD = $(base_libs)
t_cpd_hostile_SOURCES = t/cpd_hostile.c t/cpd_random.h t/cpd_log.h t/tap.h
t_cpd_hostile_LDADD = $(base_libs)
t_cpd_roundtrip_SOURCES = t/cpd_roundtrip.c t/cpd_random.h t/cpd_log.h t/tap.h
t_cpd_roundtrip_LDADD = $(base_libs)
t_fuzz_reader_SOURCES = t/fuzz_reader.c t/replay.h t/tap.h
t_fuzz_reader_LDADD = $(base_libs)
t_lib_memory_SOURCES = t/lib_memory.c t/tap.h
t_lib_memory_LDADD = $(base_libs)
t_lib_text_SOURCES = t/lib_text.c t/tap.h
t_lib_text_LDADD = $(base_libs)

# analyzer/: profiles and reports
check_PROGRAMS += t/profile_test t/report_test t/info_test t/make_big
TESTS += t/profile_test t/report_test t/info_test
t_profile_test_SOURCES = t/profile_test.c t/oracle.h t/tap.h
t_profile_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(ZLIB_LIBS) -lm
t_report_test_SOURCES = t/report_test.c t/report_data.h t/temp_file.h t/tap.h
t_report_test_LDADD = analyzer/libanalyzer.a lib/libbase.a \
	$(JANSSON_LIBS) $(ZLIB_LIBS) -lm
t_info_test_SOURCES = t/info_test.c t/report_data.h t/temp_file.h t/tap.h
t_info_test_LDADD = $(t_report_test_LDADD)
t_make_big_SOURCES = t/make_big.c
t_make_big_LDADD = analyzer/libanalyzer.a lib/libbase.a $(ZLIB_LIBS) -lm

check_PROGRAMS += t/view_test
TESTS += t/view_test
t_view_test_SOURCES = t/view_test.c t/temp_file.h t/tap.h
t_view_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(ZLIB_LIBS) -lm

check_PROGRAMS += t/work_test
TESTS += t/work_test
t_work_test_SOURCES = t/work_test.c t/temp_file.h t/tap.h
t_work_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm

check_PROGRAMS += t/filter_test
TESTS += t/filter_test
t_filter_test_SOURCES = t/filter_test.c t/temp_file.h t/tap.h
t_filter_test_LDADD = analyzer/libanalyzer.a lib/libbase.a $(JANSSON_LIBS) \
	$(ZLIB_LIBS) -lm

TESTS += t/completion.t
EXTRA_DIST += t/completion.t
EXTRA_DIST += t/lib.sh t/lsan.supp

# monitor/: monitor_target does awkward things, monitor_count counts what it
# consumes, monitor_dump prints files, refuse forbids system calls.  The
# two that are profiled are built like the programs in samples/.
check_PROGRAMS += t/monitor_count t/monitor_dump t/monitor_target t/refuse \
	t/monitor_ring t/monitor_space
t_monitor_ring_SOURCES = t/monitor_ring.c t/tap.h
t_monitor_ring_LDADD = monitor/libmonitor.a $(base_libs)
t_monitor_space_SOURCES = t/monitor_space.c t/tap.h
t_monitor_space_LDADD = $(unwind_libs)
TESTS += t/monitor_ring t/monitor_space
t_monitor_count_SOURCES = t/monitor_count.c
t_monitor_count_CFLAGS = $(sample_cflags)
t_monitor_count_LDFLAGS = $(sample_ldflags)
t_monitor_dump_SOURCES = t/monitor_dump.c
t_monitor_dump_LDADD = $(base_libs)
t_monitor_target_SOURCES = t/monitor_target.c
t_monitor_target_CFLAGS = $(sample_cflags)
t_monitor_target_LDFLAGS = $(sample_ldflags)
t_refuse_SOURCES = t/refuse.c
TESTS += t/privileges.t t/run_detach.t
EXTRA_DIST += t/privileges.t t/run_detach.t
TESTS += t/monitor_books.t t/monitor_harm.t t/monitor_kill.t t/monitor_limits.t \
	t/monitor_harm_others.t t/monitor_kill_others.t
EXTRA_DIST += t/monitor_books.t t/monitor_harm.t t/monitor_kill.t \
	t/monitor_harm_others.t t/monitor_kill_others.t \
	t/monitor_limits.t

# the tree and the manual
TESTS += t/manual.t t/structure.t
EXTRA_DIST += t/manual.t t/structure.t

# Names: symdump prints what the symbolizer makes of addresses.
check_PROGRAMS += t/symdump
t_symdump_SOURCES = t/symdump.c
t_symdump_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
t_symdump_LDADD = analyzer/libanalyzer.a lib/libbase.a \
	$(CAPSTONE_LIBS) $(DW_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) \
	$(JANSSON_LIBS)
TESTS += t/sym_tables.t t/sym_main.t t/sym_dwarf.t t/sym_jit.t t/sym_go.t \
	t/sym_tail.t t/sym_debug.t t/sym_called.t
EXTRA_DIST += t/sym_tables.t t/sym_main.t t/sym_dwarf.t t/sym_jit.t t/sym_go.t \
	t/sym_tail.t t/sym_debug.t t/sym_called.t
check_PROGRAMS += t/fuzz_elf t/sym_shrink
TESTS += t/fuzz_elf t/sym_shrink
EXTRA_DIST += t/corpus/elf
t_fuzz_elf_SOURCES = t/fuzz_elf.c t/replay.h t/tap.h
t_fuzz_elf_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
t_fuzz_elf_LDADD = $(t_symdump_LDADD)
t_sym_shrink_SOURCES = t/sym_shrink.c t/tap.h
t_sym_shrink_LDADD = $(t_symdump_LDADD)
check_PROGRAMS += t/demangle
TESTS += t/demangle
t_demangle_SOURCES = t/demangle.c t/tap.h
t_demangle_LDADD = $(base_libs) $(IBERTY_LIBS)

# cpprof/
check_PROGRAMS += t/cli_line t/cli_opt t/make_fixture t/no_perf t/pty
TESTS += t/cli_line t/cli_opt
t_cli_line_SOURCES = t/cli_line.c t/tap.h
t_cli_line_LDADD = cpprof/libcli.a lib/libbase.a
t_cli_opt_SOURCES = t/cli_opt.c t/tap.h
t_cli_opt_LDADD = cpprof/libcli.a lib/libbase.a
t_make_fixture_SOURCES = t/make_fixture.c
t_make_fixture_LDADD = lib/libbase.a $(ZLIB_LIBS)
t_no_perf_SOURCES = t/no_perf.c
t_pty_SOURCES = t/pty.c
TESTS += t/cli.t t/cli_shell.t t/cli_filters.t t/cli_run.t t/cli_tty.t \
	t/full.t t/interrupt.t
EXTRA_DIST += t/cli.t t/cli_shell.t t/cli_filters.t t/cli_run.t t/cli_tty.t \
	t/full.t t/interrupt.t

# main, where a tail call took it away
TESTS += t/main_tail.t
EXTRA_DIST += t/main_tail.t

# Resources
check_PROGRAMS += t/resource t/resource_event
TESTS += t/resource t/resource_event
t_resource_event_SOURCES = t/resource_event.c t/tap.h
t_resource_event_LDADD = $(unwind_libs)
t_resource_SOURCES = t/resource.c t/tap.h
t_resource_LDADD = $(unwind_libs)

# calls=FUNC
check_PROGRAMS += t/calls_name
TESTS += t/calls_name t/calls.t
EXTRA_DIST += t/calls.t
t_calls_name_SOURCES = t/calls_name.c t/tap.h
t_calls_name_LDADD = monitor/libmonitor.a $(base_libs) $(IBERTY_LIBS)

# bytes-allocated
TESTS += t/allocated.t
EXTRA_DIST += t/allocated.t

# monitor/: unwinding
unwind_tests = t/aside t/fuzz_rows t/stack_image t/unwind_rows t/unwind_trail \
	t/unwind_scan
check_PROGRAMS += $(unwind_tests)
TESTS += $(unwind_tests) t/unwind_check.t t/unwind_bare.t t/unwind_files.t t/unwind_go.t
EXTRA_DIST += t/unwind_check.t t/unwind_bare.t t/unwind_files.t t/unwind_go.t t/corpus/rows
unwind_libs = monitor/libmonitor.a lib/libbase.a $(UNWIND_LIBS) \
	$(CAPSTONE_LIBS) $(DW_LIBS) $(ZLIB_LIBS)
t_aside_SOURCES = t/aside.c t/tap.h
t_aside_LDADD = $(unwind_libs)
t_fuzz_rows_SOURCES = t/fuzz_rows.c t/tap.h
t_fuzz_rows_LDADD = $(unwind_libs)
t_stack_image_SOURCES = t/stack_image.c t/tap.h
t_stack_image_LDADD = monitor/libmonitor.a
t_unwind_rows_SOURCES = t/unwind_rows.c t/tap.h
t_unwind_rows_LDADD = $(unwind_libs)
t_unwind_trail_SOURCES = t/unwind_trail.c t/tap.h
t_unwind_trail_LDADD = $(unwind_libs)
t_unwind_scan_SOURCES = t/unwind_scan.c t/tap.h
t_unwind_scan_LDADD = $(unwind_libs)

# Kernel timers with BPF
TESTS += t/looks.t t/timers.t t/wide_holes.t t/wide_io.t t/wide_news.t \
	t/wide_stack.t \
	t/wide_time.t
EXTRA_DIST += t/looks.t t/timers.t t/wide_holes.t t/wide_io.t t/wide_news.t \
	t/wide_stack.t \
	t/wide_time.t
check_PROGRAMS += t/with_pid
t_with_pid_SOURCES = t/with_pid.c
check_PROGRAMS += t/hole_target t/stack_target
t_hole_target_SOURCES = t/hole_target.c
t_hole_target_CFLAGS = $(sample_cflags)
t_hole_target_LDFLAGS = $(sample_ldflags)
t_stack_target_SOURCES = t/stack_target.c
t_stack_target_CFLAGS = $(sample_cflags)
t_stack_target_LDFLAGS = $(sample_ldflags)
# programs of the distribution
TESTS += t/real_programs.t
EXTRA_DIST += t/real_programs.t

# Stop timers
TESTS += t/stop.t
EXTRA_DIST += t/stop.t
TESTS += t/crowds.t t/proc_io.t
EXTRA_DIST += t/crowds.t t/proc_io.t
check_PROGRAMS += t/proc_io
t_proc_io_SOURCES = t/proc_io.c
t_proc_io_CFLAGS = $(sample_cflags)
t_proc_io_LDFLAGS = $(sample_ldflags)

# bench/, without its figures
TESTS += t/bench.t
EXTRA_DIST += t/bench.t
# More of a run
TESTS += t/run_output.t
EXTRA_DIST += t/run_output.t


# attach
check_PROGRAMS += t/attach_crowd t/attach_target
t_attach_crowd_SOURCES = t/attach_crowd.c
t_attach_crowd_CFLAGS = $(sample_cflags)
t_attach_crowd_LDFLAGS = $(sample_ldflags)
t_attach_target_SOURCES = t/attach_target.c
t_attach_target_CFLAGS = $(sample_cflags)
t_attach_target_LDFLAGS = $(sample_ldflags)
TESTS += t/attach.t
EXTRA_DIST += t/attach.t
TESTS += t/merge.t
EXTRA_DIST += t/merge.t
TESTS += t/pace.t
EXTRA_DIST += t/pace.t
TESTS += t/status.t
EXTRA_DIST += t/status.t
