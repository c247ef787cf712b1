/*
 * dataset.h - a cpprofdata file in memory, ready to be profiled.
 *
 * Reads the file once and adds its samples up by (resource, node, thread), so
 * memory goes with the number of distinct stacks and not of samples.  All
 * pointers are lent until dataset_free(); the arrays are indexed by the ids of
 * the file (element 0 is the root, "none" or the pseudo entry).  Nothing in
 * here changes after dataset_open(), so several views may read it.
 *
 * Every node's address is resolved to functions: those of the file's symbol
 * records, and where it has none (it was cut) a function named
 * "module+0xaddr".  Functions are merged: (build id or path of the module,
 * name, bounds) is one function however many processes mapped it, as is
 * (module, name, place of the declaration), be it called or inlined; code
 * made by a JIT compiler is told by its name alone; an inlined
 * one whose place is not known is the function of its module and name where
 * there is just one.  Of an address, the innermost DATASET_FRAMES_MAX - 1
 * frames and the outermost are kept.
 */
#ifndef CPPROF_DATA_DATASET_H
#define CPPROF_DATA_DATASET_H

#include <stdbool.h>

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/cpprofdata/reader.h"
#include "lib/err.h"
#include "lib/progress.h"
#include "analyzer/data/aggregates.h"
#include "analyzer/data/lives.h"

/* Functions that are no code; the first numbers of dataset.functions. */
enum {
	FN_NONE,      /* never in a path */
	FN_ALL,       /* [all], the root above the first functions */
	FN_TRUNCATED, /* [truncated] */
	FN_NO_STACK,  /* [no user stack] */
	FN_LOST,      /* [lost], and after it the other losses by their kind */
	FN_ELIDED = FN_LOST + CPD_LOSS_KINDS, /* [elided]: a stack all of whose
						functions are */
	FN_OTHER, /* [other]: one that has none of those that `only` names */
	FN_IDLE,  /* [idle]: the waits of dataset_idle(), in one */
	FN_FIRST_REAL, /* functions of programs start here */
};

/* The function that a loss is shown as. */
static inline uint32_t dataset_loss(enum cpd_loss_kind kind)
{
	return FN_LOST + (uint32_t)kind;
}

static inline bool dataset_is_loss(uint32_t function)
{
	return function >= FN_LOST && function < FN_LOST + CPD_LOSS_KINDS;
}

struct function {
	const char *name;  /* demangled, not escaped */
	const char *shown; /* the same, with what tells it from others of its
			      name: "libc.so.6!f", "'a.c':f", "'a.c:12':f";
			      not escaped */
	const char *short_name; /* name, but short (name_style.h) as far as no
				   other name is shortened to the same */
	const char *brief;      /* as shown, but of the short name */
	const char *linkage;    /* "" where there is none */
	const char *module; /* base name of its file; "" for pseudo functions */
	uint32_t module_id;
	uint64_t lo, hi;
	enum cpd_function_source source;
	bool is_main;
	bool starts;      /* main or a thread, in a C library without names */
	bool interpreter; /* of a program that runs generated code, and not its
			     main */
	const char *file; /* that declares it; "": not known */
	uint32_t line;    /* likewise; 0 */
	bool more_calls;  /* than were counted by caller */
	uint32_t base;    /* what it is a clone of, or itself */
};

/* Whether it is code of a runtime's making: generated, or interpreted. */
static inline bool function_is_runtime(const struct function *f)
{
	return f->source == CPD_NAME_JIT || f->source == CPD_NAME_RUNTIME;
}

#define DATASET_FRAMES_MAX 64

/*
 * A flag in a location's `lost': the number is no function, but where a chain
 * of functions begins, the innermost first, with 0 at its end.
 * DATASET_LOST_MAX: the longest chain, with the 0.
 */
#define DATASET_LOST_CHAIN (1u << 31)
#define DATASET_LOST_MAX 16

/* What a view may show in place of functions. */
enum dataset_group {
	GROUP_FUNCTION, /* themselves */
	GROUP_MODULE,   /* where they are */
	GROUP_FILE,     /* the source that declares them, or if that is not
			   known their module */
	GROUP_THREAD,   /* by name, below it the functions */
	GROUP_PROCESS,
	GROUP_KINDS
};
extern const char *const dataset_group_names[GROUP_KINDS];

struct frame { /* of an address, innermost inlined call first */
	uint32_t function;
	uint32_t line;
	const char *file;
};

/* What a sample is at that is no code, outermost first: a system call, and what
   its memory is. */
enum object_kind { OBJECTS_NONE, OBJECTS_CALLS, OBJECTS_ALL };

/*
 * A place in code and what it means, shared by all nodes at one address before
 * which the same functions left by tail calls.
 */
struct location {
	uint64_t addr;
	uint32_t module;
	uint32_t lost;  /* what stood between the caller's frames and these and
			   left by a tail call: see dataset_lost() */
	uint16_t flags; /* CPD_NODE_EXACT */
	uint16_t nframes; /* 1 or more, but for the root's, which is 0 */
	enum object_kind
		object; /* what a sample is at that is no code, or none */
	const struct frame *frames;
};

struct node { /* there may be tens of millions: 8 bytes */
	uint32_t parent;
	uint32_t location;
};

/* What the books say of one resource. */
struct books {
	uint64_t total;  /* gticks; the kernel's count; 0 and */
	bool has_total;  /* false in a cut file */
	uint64_t doubt;  /* an estimated total may be wrong by as much, 95 % */
	uint64_t weight; /* of all samples */
	double squares;  /* of the samples' weights, added up */
	uint64_t hits, samples;
	uint64_t last, rest; /* ns: time of the last sample; without one, in
				spans of 20 intervals or more */
	uint64_t truncated;  /* samples with an incomplete stack */
	uint64_t read_later; /* samples whose outer frames were read later */
	uint64_t loss[CPD_LOSS_KINDS]; /* gticks */
	uint64_t lost_samples, probe_samples;
	uint64_t uncounted;  /* processes whose CPD_SETUID is not known */
	uint64_t unfollowed; /* weight of samples whose ends are not told */
};

struct dataset {
	const char *path;
	struct cpd_head head;
	struct cpd_usage usage; /* if has_usage */
	bool has_usage;
	struct cpd_end end; /* status -1 and zeros where there is none */
	struct cpd_result file;
	struct cpd_resource *resources; /* [1..nresources] */
	struct books *books;            /* likewise */
	uint32_t nresources;
	uint32_t nrecorded; /* of them those of the file; the others are */
	struct lives_pair lives[LIVES_PAIRS]; /* differences of two */
	struct cpd_process *processes;        /* name: the last one it had;
						 exe: a fork's is its parent's */
	uint32_t nprocesses;
	struct cpd_thread *threads;
	uint32_t nthreads;
	uint64_t *process_end; /* time by id; 0: not known */
	uint64_t *thread_end;  /* likewise */
	struct cpd_module *modules;
	uint32_t nmodules;
	struct function *functions;
	uint32_t nfunctions; /* highest number */
	/*
	 * Groups are functions too.  Their numbers follow the functions': from
	 * group_first to group_end - 1.  groups[] has the group of each
	 * function (MODULE, FILE) or thread (THREAD, PROCESS).  A pseudo
	 * function is its own group; thread 0 has none.
	 */
	uint32_t group_first[GROUP_KINDS], group_end[GROUP_KINDS];
	const uint32_t *groups[GROUP_KINDS];
	struct node *nodes;
	uint32_t nnodes;
	struct location *locations; /* [0] of the root alone */
	uint32_t nlocations;
	const uint32_t *lost; /* chains of tail calls */
	struct aggregate *aggregates;
	size_t naggregates;
	struct cpd_loss *losses;
	size_t nlosses;
	struct cpd_note *notes;
	size_t nnotes;
	bool imported; /* the samples are another tool's: its stacks are taken
			  as they are, and what it does not tell is not known */
	struct dataset_private *impl;
};

/* Where node NUMBER is. */
static inline const struct location *dataset_location(
	const struct dataset *data, uint32_t number)
{
	return &data->locations[data->nodes[number].location];
}

/* The node that NODE is where no more than the objects SHOWN are. */
static inline uint32_t dataset_shown(
	const struct dataset *data, uint32_t node, enum object_kind shown)
{
	while (dataset_location(data, node)->object > shown &&
		data->nodes[node].parent)
		node = data->nodes[node].parent;
	return node;
}

/*
 * *NODE becomes the node of code in whose frames a sample there was.  Returns
 * what it was, if it was at objects, else 0.
 */
static inline uint32_t dataset_leaf(const struct dataset *data, uint32_t *node)
{
	uint32_t leaf = *node;

	*node = dataset_shown(data, leaf, OBJECTS_NONE);
	return *node == leaf ? 0 : leaf;
}

/* The address that a location's frames were looked up at. */
static inline uint64_t location_address(const struct location *at)
{
	return at->addr - !(at->flags & CPD_NODE_EXACT);
}

/*
 * The functions that left by tail calls between the frames of a node's caller
 * and its own, AT: number K, from 0, the innermost first.  0: there is no
 * further one.
 */
static inline uint32_t dataset_lost(
	const struct dataset *data, const struct location *at, uint32_t k)
{
	if (!(at->lost & DATASET_LOST_CHAIN))
		return k ? 0 : at->lost;
	return data->lost[(at->lost & ~DATASET_LOST_CHAIN) + k];
}

/*
 * NULL on error.  PATH "-" is standard input.  WORK (may be NULL) is asked
 * while the file is read.
 */
struct dataset *dataset_open(
	const char *path, const struct work *work, struct err *err);
void dataset_free(struct dataset *data);

/* The resource of that name; 0: the file has none. */
static inline uint32_t dataset_named(
	const struct dataset *data, const char *name)
{
	return cpd_resource_named(data->resources, data->nresources, name);
}

/* The resource of that name, also without what it is of ("calls"), or an error
   that lists the file's resources. */
uint32_t dataset_resource(
	const struct dataset *data, const char *name, struct err *err);

/*
 * The functions that NAME ("f", "module!f", a pseudo function) stands for, in
 * ascending order; a linkage name will do too.  *FOUND is the caller's to
 * free.  -1 and the nearest names in the error when there is none.
 */
int dataset_find(const struct dataset *data, const char *name, uint32_t **found,
	size_t *n, struct err *err);

/* What each function has of a resource. */
struct dataset_weights {
	const uint64_t *of; /* by function */
	uint64_t all;       /* of the run */
};

/*
 * As dataset_find(), where NAME may also be a part of the name of one function,
 * in any letter case if that leaves one.  Of several one that has a weight is
 * meant, WEIGHTS (may be NULL), and not the stub "f@plt" that calls another.
 * An error lists the candidates.
 */
int dataset_find_part(const struct dataset *data, const char *name,
	const struct dataset_weights *weights, uint32_t **found, size_t *n,
	struct err *err);

/* Whether NAME is a part of a function's name, or one. */
bool dataset_is_part(const struct dataset *data, const char *name);

/*
 * The same for a NAME that may also be a glob or a regular expression (see
 * analyzer/name/pattern.h): the functions whose name fits or, if the pattern
 * has a '!', whose "module!name" does.  A name that is a function's is no
 * pattern, and no pattern stands for what is no function of a program.
 */
int dataset_find_all(const struct dataset *data, const char *name,
	uint32_t **found, size_t *n, struct err *err);

/* The name of a thread; where it has none, that of its process. */
const char *dataset_thread_name(const struct dataset *data, uint32_t thread);

/* Whether it passes for all threads at once, also for those that do not run. */
bool dataset_is_waiting(const struct cpd_resource *resource);

/*
 * Counts processes, and threads: an exec, which has a new entry in the tables,
 * continues both.
 */
uint32_t dataset_processes(const struct dataset *data);
uint32_t dataset_threads_run(const struct dataset *data);

/* us in which it was collected from a process that ran already, or all of the
   run; *FROM: ns, when that began. */
uint64_t dataset_collected(const struct dataset *data, uint64_t *from);

/* The first note of a KEY; NULL: there is none. */
const char *dataset_noted(const struct dataset *data, const char *key);

/* The last part of the path of a process's program; "" where unknown. */
const char *dataset_program(const struct cpd_process *process);

/* What people call that program: by the link to it that was started, or as
   before, or by the kernel's name for the process. */
const char *dataset_called(const struct cpd_process *process);

/* Whether MODULE, the name of one, is that of a process's program. */
bool dataset_runs(const struct cpd_process *process, const char *module);

/* Whether F is in a shared library, of an installed header, or of the C++,
   Rust, Go, Python, Java or node library. */
bool dataset_is_librarys(const struct function *f);

/* Whether F is no function of anybody's, but a stub of a Java machine, or its
   interpreter. */
bool dataset_is_stub(const struct function *f);

/*
 * By node, whether who waits there has nothing to do; free(); NULL: no memory.
 * *SHARE: what such waits have of blocked.
 */
bool *dataset_idle(const struct dataset *data, double *share);

/* *SHARE: what of RESOURCE asyncio's event loops have where they wait, and it
   is not known for whom; -1: no memory. */
int dataset_in_loops(
	const struct dataset *data, uint32_t resource, double *share);

/* Whether who waits in F does so for a lock, or of his own will, whatever that
   is made of. */
bool dataset_tells_wait(const struct function *f);

/* Where they have more, they are what there is to be seen. */
#define IDLE_MOST 0.99

/* Whether MODULE, a file's name, is the C library's. */
bool dataset_is_libc(const char *module);

/* One more than the highest number of a function or group. */
static inline size_t dataset_numbers(const struct dataset *data)
{
	return (size_t)data->group_end[GROUP_KINDS - 1];
}

/* The group of that name; FN_NONE: there is none. */
uint32_t dataset_find_group(
	const struct dataset *data, enum dataset_group kind, const char *name);

/*
 * Replaces the clones (f.cold, f.part.0) among the N FUNCTIONS by what they are
 * clones of.  Sorts them and drops duplicates; returns how many are left.
 */
size_t dataset_bases(const struct dataset *data, uint32_t *functions, size_t n);

/*
 * How the total of a resource differs from *USED, the kernel's figure of the
 * processes (cpd_usage_differs()): below -1, above 1; 0: it does not, or
 * there is no such figure.
 */
int dataset_differs(
	const struct dataset *data, uint32_t resource, uint64_t *used);

/*
 * us of the kernel's and of all CPU time, without what it did for probes and
 * stops.  False where that is not known, or too little to tell.
 */
bool dataset_kernel_time(
	const struct dataset *data, uint64_t *kernel, uint64_t *cpu);

/* What the kernel did in most of its time, as far as the file tells, and so
   where that is seen. */
enum kernel_work {
	KERNEL_UNKNOWN,
	KERNEL_CALLS,   /* system calls, which the samples of cpu are in */
	KERNEL_COUNTED, /* perhaps calls, which the file has by their number */
	KERNEL_FAULTS   /* page faults, which the file has */
};
enum kernel_work dataset_kernel_work(const struct dataset *data);

/*
 * The root where the user names none: "main" if one thread of one program ran
 * and its main is known, else "[all]".
 */
const char *dataset_default_root(const struct dataset *data);

#endif
