# bench/: cpprof beside what else there is.  `make bench` measures for one
# to three hours, `make bench-quick` for less than two minutes.
bench_programs = bench/clock bench/load bench/pair bench/table
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
EXTRA_DIST += $(bench_scripts) bench/README

bench_clock_SOURCES = bench/clock.c
bench_clock_LDADD =
bench_load_SOURCES = bench/load.c
bench_load_CFLAGS = $(sample_cflags)
bench_load_LDFLAGS = $(sample_ldflags)
bench_load_LDADD =
bench_pair_SOURCES = bench/pair.c bench/results.c bench/results.h
bench_pair_LDADD = lib/libbase.a -lm
bench_table_SOURCES = bench/table.c bench/results.c bench/results.h
bench_table_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
bench_table_LDADD = lib/libbase.a $(JANSSON_LIBS) -lm

bench_scripts = bench/versus bench/accuracy.sh bench/compiled.sh \
	bench/costs.sh bench/growth.sh bench/memory.sh bench/peers.sh \
	bench/reader.sh bench/self_test.sh \
	bench/work.sh bench/workloads.sh \
	bench/callgrind.awk bench/distortion.awk bench/entries.awk \
	bench/gperftools.awk bench/summary.awk bench/uftrace.awk bench/whole.awk

.PHONY: bench bench-quick
bench bench-quick: all $(bench_programs) t/lib/make_big$(EXEEXT)
	@top_builddir='$(abs_top_builddir)' CC='$(CC)' $(SHELL) \
		'$(srcdir)/bench/versus' $(BENCH_FLAGS) \
		`test $@ = bench || echo --quick`

clean-local: clean-bench
.PHONY: clean-bench
clean-bench:
	-rm -rf bench-results
