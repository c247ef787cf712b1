/*
 * dataset_private.h - a dataset while it is being read.
 */
#ifndef CPPROF_DATA_DATASET_PRIVATE_H
#define CPPROF_DATA_DATASET_PRIVATE_H

#include "lib/arena.h"
#include "lib/set.h"
#include "analyzer/data/dataset.h"
#include "analyzer/data/lives.h"

/* An address record, its frames as the file has them. */
struct raw_addr {
	uint32_t module;
	uint64_t addr;
	uint32_t nframes;
	struct frame *frames; /* function: the file's id, until resolved */
	uint32_t target;      /* likewise */
	uint32_t ntails;
	struct cpd_tail *tails; /* likewise; then one for each function found,
				   via: where its chain begins */
};

/*
 * Owns what a dataset points to.  The vectors of things with ids begin with an
 * empty element, for id 0.
 */
struct dataset_private {
	const struct work *work; /* while the file is read */
	uint64_t records;        /* that work was asked for */
	struct arena arena;
	struct strings strings;
	VEC(struct cpd_resource) resources;
	VEC(struct books) books;
	VEC(struct cpd_process) processes;
	VEC(struct cpd_thread) threads;
	VEC(uint64_t) process_ends;
	VEC(uint64_t) thread_ends;
	VEC(struct cpd_module) modules;
	VEC(struct cpd_function) raw_functions;
	VEC(struct function) functions;
	VEC(struct raw_addr) raw_addrs;
	VEC(struct node) nodes;
	SET_OF(struct location) locations;
	VEC(uint32_t)
	sites;              /* by location: the raw_addr that tells which
			       function its call names, or 0 */
	VEC(uint32_t) lost; /* see dataset_lost() */
	aggregate_set aggregates;
	struct lives lives[LIVES_PAIRS];
	VEC(struct cpd_loss) losses;
	VEC(struct cpd_note) notes;
	bool imported;
};

/* What all code of MODULE without a name is called, be it at what addresses it
   may; NULL: it is a file's. */
static inline const char *dataset_generated(const struct cpd_module *module)
{
	return module->kind != CPD_MODULE_ANON          ? NULL
	       : strcmp(module->path, "[uprobes]") == 0 ? module->path
							: "[generated code]";
}

/*
 * The number of the location with LIKE's address, flags and lost; a new one is
 * a copy of LIKE.  0 when out of memory.
 */
uint32_t dataset_locate(
	struct dataset_private *impl, const struct location *like);

/* LOST is what left before NODE.  Sites are known.  -1 when out of memory. */
int dataset_lose(
	struct dataset_private *impl, struct node *node, uint32_t lost);

/*
 * dataset_lives.c: finds what differences the resources have, at each new one;
 * follows the blocks of a sample; and, when all is read, adds the differences
 * as further resources.  -1: no memory.
 */
void dataset_find_lives(struct dataset *data);
int dataset_follow_record(
	struct dataset_private *impl, int kind, const union cpd_record *record);
int dataset_follow(
	struct dataset_private *impl, const struct cpd_sample *sample);
int dataset_add_differences(struct dataset *data);

/*
 * To be called when all is read: makes data->functions of the raw functions and
 * gives every node its frames.  -1 when out of memory.
 */
int dataset_resolve(struct dataset *data);

/*
 * Fills in the functions that left by a tail call: a call names them, and
 * another function was found called.  The functions' bases are known.  -1 when
 * out of memory.
 */
int dataset_restore_tails(struct dataset_private *impl);

/* Python enters each function by code of its own ("python -X perf"): that is
   left out where the function is on the stack; -1: no memory. */
int dataset_leave_trampolines_out(struct dataset_private *impl);

/* Marks the functions of programs that run generated code. */
int dataset_find_interpreters(struct dataset_private *impl);

/*
 * Puts main where a tail call lost it; MODULE_KEYS gives for each module of the
 * file the first that is the same.  -1 when out of memory.
 */
int dataset_restore_main(
	struct dataset_private *impl, const uint32_t *module_keys);

/*
 * Fills in what no record tells of processes and threads: their ends, at the
 * exec that replaced them or, in a file with an end, there; and the programs of
 * forks.
 */
void dataset_complete_tasks(struct dataset *data);

/* Makes the groups, as the last step.  -1 when out of memory. */
int dataset_make_groups(struct dataset *data);

/*
 * Makes functions of the raw functions.  *FUNCTIONS, the caller's to free, has
 * by id of a raw function the number of the function that it became.
 * MODULE_KEYS: by id of a module, the first that is the same; MODULE_NAMES:
 * base names.  -1: no memory.
 */
int dataset_merge_functions(struct dataset_private *impl,
	const uint32_t *module_keys, const char *const *module_names,
	uint32_t **functions);

/*
 * Fills in how the functions are shown, once nodes have their frames and
 * functions their bases.  -1 when out of memory.
 */
int dataset_show_names(struct dataset_private *impl);

/*
 * dataset_brief.c: fills in the short names of the N functions USED.  -1 when
 * out of memory.
 */
int dataset_shorten_names(
	struct dataset_private *impl, const uint32_t *used, size_t n);

/*
 * dataset_own.c: takes cpprof's own object out of the stacks; nodes have their
 * frames.  -1 when out of memory.
 */
int dataset_leave_own_out(struct dataset_private *impl);

/* Fills in the functions' base.  -1 when out of memory. */
int dataset_fold_clones(struct dataset_private *impl);

#endif
