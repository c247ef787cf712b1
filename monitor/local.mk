# monitor/: launch, interval timers, unwinding -> cpprofdata.
noinst_LIBRARIES += monitor/libmonitor.a
monitor_libmonitor_a_SOURCES = \
	monitor/monitor.h \
	monitor/resource.h
monitor_libmonitor_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(UNWIND_CFLAGS)
