# monitor/: launch, interval timers, unwinding -> cpprofdata.
noinst_LIBRARIES += monitor/libmonitor.a
monitor_libmonitor_a_SOURCES = \
	monitor/books.c \
	monitor/books.h \
	monitor/cfi.c \
	monitor/cfi.h \
	monitor/choose.c \
	monitor/elf_image.c \
	monitor/elf_image.h \
	monitor/job.c \
	monitor/job.h \
	monitor/kernel_timer.c \
	monitor/launch.c \
	monitor/launch.h \
	monitor/live.c \
	monitor/live.h \
	monitor/module.c \
	monitor/module.h \
	monitor/monitor.c \
	monitor/monitor.h \
	monitor/perf_events.c \
	monitor/perf_events.h \
	monitor/perf_timer.h \
	monitor/resource.c \
	monitor/resource.h \
	monitor/resource_argument.c \
	monitor/ring.c \
	monitor/ring.h \
	monitor/row.c \
	monitor/row.h \
	monitor/sampler.c \
	monitor/sampler.h \
	monitor/scan.c \
	monitor/scan.h \
	monitor/snapshot.h \
	monitor/space.c \
	monitor/space.h \
	monitor/syscalls.c \
	monitor/syscalls.h \
	monitor/timer.h \
	monitor/trail.c \
	monitor/trail.h \
	monitor/unwind.c \
	monitor/unwind.h \
	monitor/unwind_bare.c \
	monitor/unwind_check.c \
	monitor/unwind_libunwind.c
monitor_libmonitor_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(UNWIND_CFLAGS) \
	$(CAPSTONE_CFLAGS)
