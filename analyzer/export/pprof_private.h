/*
 * pprof_private.h - a profile.proto while it is written.
 */
#ifndef CPPROF_EXPORT_PPROF_PRIVATE_H
#define CPPROF_EXPORT_PPROF_PRIVATE_H

#include "analyzer/export/stacks.h"
#include "lib/arena.h"
#include "lib/lists.h"
#include "lib/pprof_fields.h"
#include "lib/protobuf.h"
#include "lib/set.h"

struct pprof_module {    /* a mapping */
	uint64_t lo, hi; /* the addresses in use */
	uint64_t move;   /* from them to those in the profile */
	bool told;
};

struct pprof_location { /* number: its place, from 1 */
	uint64_t addr;
	uint32_t module;
	uint32_t lines; /* which of the lists of functions and lines */
};

/* Of a node of the file, its locations: nlocations from `first' on. */
struct pprof_node {
	uint32_t first;
	uint16_t nlocations;
	bool known;
};

struct pprof {
	const struct export *x;
	const struct dataset *data;
	struct kept *kept;
	struct stacks stacks;
	uint32_t first;             /* the resource that is shown first */
	uint32_t *column, ncolumns; /* of resources among a sample's values */
	struct strings strings;     /* that were written */
	struct pprof_module *modules;
	bool *functions; /* by number: which were written */
	struct pprof_node *nodes;
	VEC(uint32_t) node_locations; /* of all nodes, innermost first */
	SET_OF(struct pprof_location) locations;
	struct lists lines;
	VEC(uint32_t) stack; /* the locations of the sample at hand */
	struct bytes whole;  /* the profile */
	struct bytes sample, packed;
	bool failed; /* no memory */
};

/* Writes MESSAGE as a field of the profile. */
void pprof_message(
	struct pprof *p, unsigned field, const struct bytes *message);

/* The number of S, which is written where it is new. */
uint32_t pprof_string(struct pprof *p, const char *s);

/* Places the modules, and writes the program's own, which has to be first. */
void pprof_modules(struct pprof *p);

/*
 * Makes p->stack the locations of NODE and its callers, or of a loss, of a
 * thread (0: of no one); those that are new are written.
 */
void pprof_stack(struct pprof *p, uint32_t node, uint32_t thread);
void pprof_loss(struct pprof *p, uint32_t function, uint32_t thread);

void pprof_tables_free(struct pprof *p);

#endif
