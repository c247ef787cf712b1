/* result.h - how a run, or its target's start, ended. */
#ifndef CPPROF_BASE_RESULT
#define CPPROF_BASE_RESULT

enum monitor_result {
	MONITOR_OK,
	MONITOR_NOT_FOUND,      /* the program; exit status 127 */
	MONITOR_NOT_EXECUTABLE, /* 126 */
	MONITOR_FAILED,         /* cpprof's own; 125 */
};

#endif
