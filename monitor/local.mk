# monitor/: launch, interval timers, unwinding -> cpprofdata.
noinst_LIBRARIES += monitor/libmonitor.a
monitor_libmonitor_a_SOURCES = \
	monitor/allocators.c \
	monitor/allocators.h \
	monitor/arrange.c \
	monitor/aside.c \
	monitor/aside.h \
	monitor/attach.c \
	monitor/attach.h \
	monitor/attach_check.c \
	monitor/books.c \
	monitor/books.h \
	monitor/calls.c \
	monitor/calls.h \
	monitor/calls_files.c \
	monitor/calls_files.h \
	monitor/calls_name.c \
	monitor/calls_symbols.c \
	monitor/calls_symbols.h \
	monitor/calls_timer.c \
	monitor/calls_timer.h \
	monitor/cfi.c \
	monitor/cfi.h \
	monitor/cfi_check.c \
	monitor/cfi_check.h \
	monitor/cfi_eh_frame.c \
	monitor/cfi_eh_frame.h \
	monitor/choose.c \
	monitor/elf_image.c \
	monitor/elf_image.h \
	monitor/go_rows.c \
	monitor/go_rows.h \
	monitor/job.c \
	monitor/job.h \
	monitor/kernel_timer.c \
	monitor/launch.c \
	monitor/launch.h \
	monitor/live.c \
	monitor/live.h \
	monitor/jit_map.c monitor/jit_map.h \
	monitor/module.c \
	monitor/module.h \
	monitor/monitor.c \
	monitor/monitor.h \
	monitor/perf_events.c \
	monitor/perf_events.h \
	monitor/perf_private.h \
	monitor/perf_rings.c \
	monitor/perf_use.c \
	monitor/perf_timer.h \
	monitor/news.c \
	monitor/news.h \
	monitor/observe.c \
	monitor/pace.c \
	monitor/pace.h \
	monitor/pmu.c \
	monitor/pmu.h \
	monitor/proc.c \
	monitor/proc.h \
	monitor/program.c \
	monitor/program.h \
	monitor/record.c \
	monitor/resource.c \
	monitor/resource.h \
	monitor/resource_argument.c \
	monitor/resource_event.c \
	monitor/resource_table.c \
	monitor/ring.c \
	monitor/ring.h \
	monitor/row.c \
	monitor/row.h \
	monitor/run.h \
	monitor/sampler.c \
	monitor/sampler.h \
	monitor/stack_image.c \
	monitor/stack_image.h \
	monitor/scan.c \
	monitor/scan.h \
	monitor/scan_way.c \
	monitor/scan_way.h \
	monitor/snapshot.h \
	monitor/space.c \
	monitor/space.h \
	monitor/starts.c \
	monitor/starts.h \
	monitor/stop_timer.c \
	monitor/stop_timer.h \
	monitor/syscalls.c \
	monitor/syscalls.h \
	monitor/timer.h \
	monitor/tracee.c \
	monitor/tracee.h \
	monitor/tracer.c \
	monitor/tracer.h \
	monitor/trail.c \
	monitor/trail.h \
	monitor/quiet.c \
	monitor/quiet.h \
	monitor/unwind.c \
	monitor/unwind.h \
	monitor/unwind_bare.c \
	monitor/unwind_check.c \
	monitor/unwind_libunwind.c \
	monitor/watch.c \
	monitor/watch.h \
	monitor/watch_timer.c \
	monitor/wide.c \
	monitor/witness.c \
	monitor/witness.h \
	monitor/wide.h \
	monitor/wide_abi.h \
	monitor/wide_attach.c \
	monitor/wide_none.c \
	monitor/wide_private.h \
	monitor/wide_timer.c \
	monitor/wide_uprobes.c
monitor_libmonitor_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(UNWIND_CFLAGS) \
	$(CAPSTONE_CFLAGS) $(BPF_CFLAGS)

# The BPF programs, compiled for the kernel and put into the binary as bytes.
wide_parts = \
	monitor/wide_allocations.bpf.h \
	monitor/wide_calls.bpf.h \
	monitor/wide_core.bpf.h \
	monitor/wide_events.bpf.h \
	monitor/wide_functions.bpf.h \
	monitor/wide_kernel.h \
	monitor/wide_marks.bpf.h \
	monitor/wide_own.bpf.h \
	monitor/wide_processors.bpf.h \
	monitor/wide_stack.bpf.h \
	monitor/wide_tasks.bpf.h \
	monitor/wide_time.bpf.h
EXTRA_DIST += monitor/wide.bpf.c $(wide_parts)
if HAVE_BPF
CLEANFILES += monitor/wide.bpf.o monitor/wide_object.inc
BUILT_SOURCES = monitor/wide_object.inc
monitor/libmonitor_a-wide.$(OBJEXT): monitor/wide_object.inc

monitor/wide.bpf.o: monitor/wide.bpf.c monitor/wide_abi.h $(wide_parts)
	@$(MKDIR_P) monitor
	$(AM_V_GEN)$(CLANG) -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 \
		-Wall -Wextra -Wno-unused-parameter \
		-fdebug-prefix-map='$(abs_top_srcdir)'=. \
		$(BPF_CFLAGS) $(BPF_CPPFLAGS) -c -o $@ \
		'$(srcdir)/monitor/wide.bpf.c'

monitor/wide_object.inc: monitor/wide.bpf.o
	$(AM_V_GEN)od -An -v -tu1 monitor/wide.bpf.o | $(AWK) ' \
		BEGIN { print "static const unsigned char wide_object[] = {" } \
		{ gsub(/ +/, ","); print substr($$0, 2) "," } \
		END { print "};" }' > $@.tmp && mv $@.tmp $@
endif
