/*
 * usdt.h - the probes that a program or library declares for tracers, as
 * SystemTap's <sys/sdt.h> writes them: an instruction that does nothing, and a
 * note that says where it is and where its arguments are.
 */
#ifndef CPPROF_PROBE_USDT_H
#define CPPROF_PROBE_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"

struct usdt_note {
	const char *provider, *name;
	const char *arguments; /* "-4@%edi 8@16(%rbp)" */
	uint64_t addr;         /* link-time */
	uint64_t offset;       /* of that in the file */
	/* Of a counter in the file's data that tracers raise so that the
	   program comes to the probe; 0: it does in any case. */
	uint64_t semaphore;
};

/*
 * Calls SEE for each note of FILE until it returns other than 0, which is then
 * returned.  A file that cannot be read, or is none of this machine, has none.
 */
int usdt_each(const char *file, int (*see)(void *arg, const struct usdt_note *),
	void *arg);

/*
 * Where argument N (from 1 on) of the note is (monitor/arch/amount.h); 0: it
 * has none, or its value is no whole number that a probe can read.
 */
uint64_t usdt_amount(const struct usdt_note *note, unsigned n);

typedef VEC(char *) usdt_names; /* "PROVIDER:NAME" */

struct usdt_point {
	uint64_t offset, addr, semaphore; /* as in the note */
	uint64_t amount; /* of the argument: monitor/arch/amount.h; 0: none */
};

typedef VEC(struct usdt_point) usdt_points;

/*
 * Adds each place of the probe TEXT, "PROVIDER:NAME[.argN]", in FILE to POINTS,
 * and the names of all its probes to SEEN.  -1 with the error: the argument is
 * no number.
 */
int usdt_find(const char *file, const char *text, usdt_points *points,
	usdt_names *seen, struct err *err);

/* -1 with the error that no file has TEXT, and the nearest of those SEEN. */
int usdt_unknown(const usdt_names *seen, const char *text, const char *file,
	bool libraries, struct err *err);

void usdt_names_free(usdt_names *names);

#endif
