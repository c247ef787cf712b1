/*
 * perf_line.h - the two kinds of lines that `perf script' prints of a sample.
 *
 *     comm pid/tid [cpu] sec.usec: period event: ...
 *             7f00deadbeef symbol+0x12 (/path/of/file)
 *             7f00deadbeef symbol (inlined)
 *
 * Of the first all but comm and a number may be missing.  Both take a line
 * apart where it lies; names are good as long as it.
 */
#ifndef CPPROF_IMPORT_PERF_LINE_H
#define CPPROF_IMPORT_PERF_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event {
	const char *comm;
	int32_t pid, tid; /* pid -1: not told */
	bool has_time, has_period;
	uint64_t time; /* ns */
	uint64_t period;
	const char *event; /* "" where none is named */
	char *rest;        /* what follows the event */
};

/* False: it is no such line, or TIMED and without a time; it is as it was. */
bool perf_event_line(char *line, bool timed, struct perf_event *event);

/*
 * A line about another record (PERF_RECORD_MMAP2 ...), as --show-mmap-events
 * and the like have it between the samples.  Further lines of it are indented.
 */
bool perf_record_line(const char *line, bool timed);

struct perf_frame {
	const char *symbol; /* "[unknown]" where perf knew none */
	const char *dso;    /* "" where there is none */
	uint64_t addr;
	uint64_t offset; /* in the symbol; UINT64_MAX: not told */
	bool inlined;
};

/* False: it does not begin with an address; it is as it was. */
bool perf_frame_line(char *line, struct perf_frame *frame);

/* A line about the frame above it, which is no frame, as -F +srcline has it. */
bool perf_is_srcline(const char *line);

struct perf_srcline {
	const char *file; /* NULL: not known */
	uint32_t line;
	bool inlined; /* perf says there that the frame is */
};

/* What such a line says; it is taken apart where it lies. */
void perf_srcline_read(char *line, struct perf_srcline *source);

/*
 * Methods that a Java compiler inlined, which perf-map-agent's unfoldall joins
 * with "->", the outermost first: "La/A;.f->Lb/B;::g".  SYMBOL is such a name
 * of DSO, a process's map of generated code: the last "->" in it; else NULL.
 */
char *perf_java_inlined(char *symbol, const char *dso);

#endif
