/*
 * relay.h - records that a child process makes for the writer of its parent.
 *
 * The child is forked while the writer has nothing to flush.  There the writer
 * goes on with the numbers that it has, but sends its chunks through a pipe.
 * The parent checks them like those of a file, and writes the functions,
 * addresses and notes in them, or has them taken; other records are refused.
 */
#ifndef CPPROF_CPPROFDATA_RELAY_H
#define CPPROF_CPPROFDATA_RELAY_H

#include <sys/types.h>

#include "lib/cpprofdata/decode.h"
#include "lib/cpprofdata/writer.h"

/* In the child: what W writes goes to FD. */
void cpd_relay_send(struct cpd_writer *w, int fd);

struct cpd_relay {
	struct cpd_writer *writer;
	/* Takes each record instead of the writer: 0, or -1 as that; NULL: the
	   writer takes them. */
	int (*take)(void *arg, int kind, void *record);
	void *arg;
	struct cpd_decoder decoder; /* of the child at hand */
	size_t addrs;               /* address records written so far */
};

/* Of zeros, with a writer: for the next child.  Nothing fails. */
void cpd_relay_begin(struct cpd_relay *relay);

/*
 * Writes the records of the whole chunks at the start of DATA, and returns how
 * many bytes that were; -1: something that no child sends, or the writer's
 * error.
 */
ssize_t cpd_relay_take(struct cpd_relay *relay, const uint8_t *data, size_t n);
void cpd_relay_fini(struct cpd_relay *relay);

#endif
