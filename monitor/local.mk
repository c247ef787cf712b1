# monitor/: the target, interval timers, unwinding -> cpprofdata.
noinst_LIBRARIES += monitor/libmonitor.a
monitor_libmonitor_a_SOURCES = \
	monitor/arch/arch.h \
	monitor/arch/preload.h \
	monitor/arch/x86_64/preload.h \
	monitor/arch/amount.h \
	monitor/arch/exceptions.h \
	monitor/arch/x86_64/exceptions.c \
	monitor/arch/x86_64/operand.c \
	monitor/arch/x86_64/registers.c monitor/arch/x86_64/registers.h \
	monitor/base/collection.c monitor/base/collection.h \
	monitor/base/limits.h \
	monitor/base/proc.c monitor/base/proc.h \
	monitor/base/result.h \
	monitor/contract/family.c monitor/contract/family.h \
	monitor/contract/timer.c monitor/contract/timer.h \
	monitor/inprocess/context_memory.h \
	monitor/inprocess/counting.h \
	monitor/inprocess/preload.c monitor/inprocess/preload.h \
	monitor/inprocess/preloadable.c monitor/inprocess/preloadable.h \
	monitor/interpreter/abi.h \
	monitor/interpreter/awaits.c monitor/interpreter/awaits.h \
	monitor/interpreter/frames.c monitor/interpreter/frames.h \
	monitor/interpreter/lines.c monitor/interpreter/lines.h \
	monitor/interpreter/python.c monitor/interpreter/python.h \
	monitor/interpreter/stopped.c monitor/interpreter/walk.h \
	monitor/launch/control.c monitor/launch/control.h \
	monitor/launch/program.c monitor/launch/program.h \
	monitor/launch/spawn.c monitor/launch/spawn.h \
	monitor/launch/group_signals.c monitor/launch/group_signals.h \
	monitor/perf/event_ids.c \
	monitor/perf/events.c monitor/perf/events.h \
	monitor/perf/events_private.h \
	monitor/perf/events_use.c \
	monitor/perf/grow.c \
	monitor/perf/machine.c \
	monitor/perf/ring.c monitor/perf/ring.h \
	monitor/perf/rings.c \
	monitor/perf/sample.c monitor/perf/sample.h \
	monitor/perf/source.h \
	monitor/probe/allocation.h \
	monitor/probe/allocators.c monitor/probe/allocators.h \
	monitor/probe/calls.h \
	monitor/probe/cost.c monitor/probe/cost.h \
	monitor/probe/files.c monitor/probe/files.h \
	monitor/probe/name.c \
	monitor/probe/patterns.c monitor/probe/patterns.h \
	monitor/probe/place.c monitor/probe/place.h \
	monitor/probe/probe.c monitor/probe/probe.h \
	monitor/probe/returns.c monitor/probe/returns.h \
	monitor/probe/strangers.c monitor/probe/strangers.h \
	monitor/probe/symbols.c monitor/probe/symbols.h \
	monitor/probe/usdt.c monitor/probe/usdt.h \
	monitor/resource/argument.c \
	monitor/resource/event.c \
	monitor/resource/newer_syscalls.h \
	monitor/resource/pmu.c monitor/resource/pmu.h \
	monitor/resource/resource.c monitor/resource/resource.h \
	monitor/resource/syscalls.c monitor/resource/syscalls.h \
	monitor/resource/table.c \
	monitor/resource/tracepoint.c monitor/resource/tracepoint.h \
	\
	monitor/run/attach.c monitor/run/attach.h \
	monitor/run/attach_check.c \
	monitor/run/choose.c monitor/run/choose.h \
	monitor/run/event_loop.c monitor/run/event_loop.h \
	monitor/run/monitor.c monitor/run/monitor.h \
	monitor/run/priority.c monitor/run/priority.h \
	monitor/run/run.h \
	monitor/run/search.c \
	monitor/run/setup.c monitor/run/setup.h \
	monitor/run/setup_timers.c \
	monitor/run/summary.c monitor/run/summary.h \
	monitor/sample/accounting.c monitor/sample/accounting.h \
	monitor/sample/arcs.c monitor/sample/arcs.h \
	monitor/sample/no_code.c monitor/sample/no_code.h \
	monitor/sample/sampler.c monitor/sample/sampler.h \
	monitor/sample/sideband.c monitor/sample/sideband.h \
	monitor/space/address_space.c monitor/space/address_space.h \
	monitor/space/jit_dump.c monitor/space/jit_dump.h \
	monitor/space/jit_map.c monitor/space/jit_map.h \
	monitor/space/module.c monitor/space/module.h \
	monitor/space/module_identity.c monitor/space/module_identity.h \
	monitor/space/objects.c monitor/space/objects.h \
	monitor/stack/left_goroutine.h \
	monitor/stack/live.c monitor/stack/live.h \
	monitor/stack/mixed.c monitor/stack/mixed.h \
	monitor/stack/previous.c monitor/stack/previous.h \
	monitor/stack/snapshot.h \
	monitor/stack/thread_stack.c monitor/stack/thread_stack.h \
	monitor/stack/unwinder.h \
	monitor/tasks/blocks.c monitor/tasks/blocks.h \
	monitor/tasks/proc_maps.c monitor/tasks/proc_maps.h \
	monitor/tasks/task_table.c monitor/tasks/task_table.h \
	monitor/tasks/task_table_private.h monitor/tasks/task_maps.c \
	monitor/timer/contexts/contexts.c monitor/timer/contexts/contexts.h \
	monitor/timer/percpu/abi.h \
	monitor/timer/percpu/decode.c monitor/timer/percpu/decode.h \
	monitor/timer/percpu/percpu.h \
	monitor/timer/percpu/programs.c \
	monitor/timer/pertask/breakpoint_timer.c \
	monitor/timer/pertask/pertask.h \
	monitor/timer/pertask/pertask_timer.c \
	monitor/timer/stop/blocked.c monitor/timer/stop/blocked.h \
	monitor/timer/stop/exceptions.c monitor/timer/stop/exceptions.h \
	monitor/timer/stop/give_up.c monitor/timer/stop/give_up.h \
	monitor/timer/stop/poller.c monitor/timer/stop/poller.h \
	monitor/timer/stop/poller_timer.c \
	monitor/timer/stop/stop.c monitor/timer/stop/stop.h \
	monitor/timer/stop/stop_timer.c monitor/timer/stop/stop_timer.h \
	monitor/timer/stop/thread_times.c monitor/timer/stop/thread_times.h \
	monitor/timer/stop/traced.c monitor/timer/stop/traced.h \
	monitor/timer/stop/tracee.c monitor/timer/stop/tracee.h \
	monitor/timer/stop/tracer.c monitor/timer/stop/tracer.h \
	monitor/timer/stop/tracer_join.c \
	monitor/unwind/callee.c monitor/unwind/callee.h \
	monitor/unwind/check.c \
	monitor/unwind/libunwind.c \
	monitor/unwind/lost_fp.c monitor/unwind/lost_fp.h \
	monitor/unwind/no_cfi.c \
	monitor/unwind/unwind.c monitor/unwind/unwind.h \
	monitor/unwind/unwinders.c \
	monitor/unwind/code/cfi.c monitor/unwind/code/cfi.h \
	monitor/unwind/code/code.c monitor/unwind/code/code.h \
	monitor/unwind/code/code_analysis.c \
	monitor/unwind/code/code_analysis.h \
	monitor/unwind/code/function_discovery.c \
	monitor/unwind/code/function_discovery.h \
	monitor/unwind/code/go_rows.c monitor/unwind/code/go_rows.h \
	monitor/unwind/code/return_address.c \
	monitor/unwind/code/return_address.h \
	monitor/unwind/code/row.h \
	monitor/unwind/code/rows.c monitor/unwind/code/rows.h \
	monitor/unwind/runtime/frame.c monitor/unwind/runtime/frame.h \
	monitor/unwind/runtime/goroutine.c monitor/unwind/runtime/goroutine.h \
	monitor/unwind/runtime/hand_made.c monitor/unwind/runtime/hand_made.h \
	monitor/unwind/runtime/hotspot.c monitor/unwind/runtime/hotspot.h \
	monitor/unwind/runtime/start.c monitor/unwind/runtime/start.h
if HAVE_BPF
monitor_libmonitor_a_SOURCES += \
	monitor/timer/percpu/arcs.c \
	monitor/timer/percpu/attach_events.c \
	monitor/timer/percpu/can.c \
	monitor/timer/percpu/clocks.c \
	monitor/timer/percpu/links.c \
	monitor/timer/percpu/load.c \
	monitor/timer/percpu/percpu.c \
	monitor/timer/percpu/percpu_private.h \
	monitor/timer/percpu/percpu_timer.c \
	monitor/timer/percpu/uprobe_timer.c \
	monitor/timer/percpu/uprobes.c
else
monitor_libmonitor_a_SOURCES += monitor/timer/percpu/none.c
endif
monitor_libmonitor_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(UNWIND_CFLAGS) \
	$(BPF_CFLAGS)

# The names of the system calls, from the kernel's header for this processor and
# the list of those that are newer.
syscall_names = monitor/resource/syscall_names.h
BUILT_SOURCES += $(syscall_names)
CLEANFILES += $(syscall_names)
monitor/resource/libmonitor_a-syscalls.$(OBJEXT): $(syscall_names)

$(syscall_names): monitor/resource/newer_syscalls.h
	@$(MKDIR_P) monitor/resource
	$(AM_V_GEN)echo '#include <asm/unistd.h>' | \
		cat - '$(srcdir)/monitor/resource/newer_syscalls.h' | \
		$(CC) $(CPPFLAGS) -E -dM - | LC_ALL=C sort | \
		$(AWK) '/^#define __NR_[a-z0-9_]+ / { \
			name = substr($$2, 6); \
			if (name ~ /^(syscalls|arch_specific_syscall)$$/) next; \
			printf "[%s] = \"%s\",\n", $$2, name; n++ \
		} END { exit n < 100 }' >$@.tmp && mv $@.tmp $@

# The counting object, which goes into the target: nothing of ours but these
# files, no library but libc, no flags that are for programs alone, and no names
# of its parts, which profiles would show.  Mcount is called where vectors have
# arguments.
counting_object = monitor/inprocess/libcpprof-count.so
counting_sources = monitor/inprocess/object.c monitor/inprocess/followed.c \
	monitor/inprocess/contexts.c monitor/inprocess/hooks.c monitor/inprocess/fold.c \
	monitor/inprocess/programs.c \
	monitor/inprocess/preloadable.c lib/sys/search_path.c
counting_headers = lib/sys/search_path.h monitor/arch/preload.h monitor/arch/x86_64/preload.h \
	monitor/inprocess/automaton.h monitor/inprocess/context_memory.h monitor/inprocess/fold.h \
	monitor/inprocess/counting.h monitor/inprocess/next.h \
	monitor/inprocess/object.h monitor/inprocess/preloadable.h
EXTRA_DIST += monitor/inprocess/object.c monitor/inprocess/followed.c monitor/inprocess/programs.c \
	monitor/inprocess/contexts.c monitor/inprocess/hooks.c monitor/inprocess/fold.c monitor/inprocess/fold.h \
	monitor/inprocess/automaton.h \
	monitor/inprocess/next.h monitor/inprocess/object.h
CLEANFILES += $(counting_object)
countingdir = $(pkglibdir)
counting_DATA = $(counting_object)
$(counting_object): $(counting_sources) $(counting_headers) monitor/local.mk
	@$(MKDIR_P) monitor/inprocess
	$(AM_V_CCLD)cd '$(srcdir)' && $(CC) -std=gnu11 -O2 -g0 -fPIC -shared \
		-fvisibility=hidden -fno-builtin -mgeneral-regs-only \
		$(COUNTING_CFLAGS) -U_FORTIFY_SOURCE \
		-D_GNU_SOURCE -I. $(WARN_CFLAGS) -Wl,-z,defs -Wl,-z,now -Wl,-s \
		-Wl,-soname,libcpprof-count.so \
		-o '$(abs_top_builddir)/$@' $(counting_sources) -ldl

# The BPF programs, compiled for the kernel and put into the binary as bytes.
percpu_object = monitor/timer/percpu/bpf/percpu.bpf.o
percpu_parts = \
	monitor/arch/amount.h \
	monitor/arch/arch.bpf.h \
	monitor/arch/x86_64/registers.bpf.h \
	monitor/timer/percpu/bpf/allocations.bpf.h \
	monitor/timer/percpu/bpf/maps.bpf.h \
	monitor/timer/percpu/bpf/syscalls.bpf.h \
	monitor/timer/percpu/bpf/blocks.bpf.h \
	monitor/timer/percpu/bpf/core.bpf.h \
	monitor/timer/percpu/bpf/events.bpf.h \
	monitor/timer/percpu/bpf/functions.bpf.h \
	monitor/timer/percpu/bpf/interpreters.bpf.h \
	monitor/timer/percpu/bpf/kernel_types.h \
	monitor/timer/percpu/bpf/own.bpf.h \
	monitor/timer/percpu/bpf/processors.bpf.h \
	monitor/timer/percpu/bpf/reports.bpf.h \
	monitor/timer/percpu/bpf/stack.bpf.h \
	monitor/timer/percpu/bpf/tasks.bpf.h \
	monitor/timer/percpu/bpf/time.bpf.h
EXTRA_DIST += monitor/timer/percpu/bpf/percpu.bpf.c $(percpu_parts)
if HAVE_BPF
CLEANFILES += $(percpu_object)
BUILT_SOURCES += $(percpu_object)
monitor/timer/percpu/libmonitor_a-load.$(OBJEXT): $(percpu_object)

$(percpu_object): monitor/timer/percpu/bpf/percpu.bpf.c \
		monitor/timer/percpu/abi.h monitor/probe/allocation.h \
		monitor/interpreter/abi.h monitor/interpreter/walk.h \
		monitor/inprocess/counting.h monitor/stack/left_goroutine.h \
		$(percpu_parts)
	@$(MKDIR_P) monitor/timer/percpu/bpf
	$(AM_V_GEN)$(CLANG) -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 \
		-Wall -Wextra -Wno-unused-parameter -I'$(srcdir)' \
		-fdebug-prefix-map='$(abs_top_srcdir)'=. \
		$(BPF_CFLAGS) $(BPF_CPPFLAGS) -c -o $@ \
		'$(srcdir)/monitor/timer/percpu/bpf/percpu.bpf.c'
endif
