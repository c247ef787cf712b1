/*
 * out.h - where the records about names go: to the file, or to the process that
 * writes it.
 *
 * Names are looked up in a child (symbolize.c).  What it finds travels through
 * a pipe, as messages of a kind, a length and the fields of a record; functions
 * are numbered as they come, and the parent gives them their ids in the file.
 */
#ifndef CPPROF_SYMBOL_OUT_H
#define CPPROF_SYMBOL_OUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/bytes.h"
#include "lib/cpprofdata/writer.h"
#include "lib/vec.h"

struct sym_out {
	struct cpd_writer *writer; /* also tells what there is to name */
	int fd;                    /* -1: the writer itself is written to */
	struct bytes waiting, body;
	uint32_t functions;         /* sent so far */
	const char *const *refused; /* by module: why its files are not to be
				       read any more; NULL: they are */
	const bool *plain;          /* ... its debug information is not */
};

enum sym_message {
	SYM_MESSAGE_FUNCTION,
	SYM_MESSAGE_ADDR,
	SYM_MESSAGE_NOTE,
	SYM_MESSAGE_MODULE, /* the one whose files are read from now on */
	SYM_MESSAGE_FETCH,  /* of that module: bytes that came by network */
};

/* As cpd_write_function() etc. */
uint32_t sym_out_function(
	struct sym_out *out, const struct cpd_function *function);
int sym_out_addr(struct sym_out *out, const struct cpd_addr *addr);
int sym_out_note(struct sym_out *out, const struct cpd_note *note);

/* Tells whose files are read from now on; sent at once. */
int sym_out_module(struct sym_out *out, uint32_t module);

/* Tells of BYTES of a file that came by network; sent at once. */
int sym_out_fetch(struct sym_out *out, uint64_t bytes);

/* Sends what waits. */
int sym_out_flush(struct sym_out *out);

/*
 * The other side: writes the records of whole messages at the start of DATA,
 * and tells how many bytes that were; -1: something that no child sends, or the
 * writer's error.
 */
struct sym_in {
	struct cpd_writer *writer;
	VEC(uint32_t) functions; /* ids in the file, by their number */
	VEC(struct cpd_frame) frames;
	VEC(struct cpd_tail) tails;
	size_t addrs;    /* written so far */
	uint32_t module; /* whose files are being read */
	uint64_t fetched;
	bool fetching;
};

ssize_t sym_in_take(struct sym_in *in, const void *data, size_t n);
void sym_in_fini(struct sym_in *in);

#endif
