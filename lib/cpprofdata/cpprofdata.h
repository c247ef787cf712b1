/*
 * cpprofdata.h - the records of a cpprofdata file.
 *
 * The monitor writes these records through lib/cpprofdata/writer.h and the
 * analyzer reads them through lib/cpprofdata/reader.h; the two meet nowhere
 * else.  man/cpprofdata.5 is the specification of the bytes; here is what the
 * records say.
 *
 * Numbers (`id`) are given by the writer, per kind, counting from 1, and are
 * announced before they are used.  Times are nanoseconds of CLOCK_MONOTONIC.
 * Strings and arrays in a record handed to the writer are copied; those in a
 * record handed out by the reader are lent until the handler returns, except
 * where the reader says more.
 */
#ifndef CPPROF_CPPROFDATA_H
#define CPPROF_CPPROFDATA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CPD_MAGIC                                                              \
	"\x89"                                                                 \
	"cpprof\n"          /* 8 bytes without the NUL */
#define CPD_VERSION_MAJOR 1 /* a reader refuses any other */
#define CPD_VERSION_MINOR 0 /* a reader skips chunk types it does not know */

/* One to a file, first. */
struct cpd_head {
	uint64_t start_unix; /* ns since 1970, at the exec or the attach */
	uint64_t start;      /* the same moment, monotonic */
	uint32_t argc;       /* the command line that was profiled */
	const char *const *argv;
	const char *cwd;
	const char *host;
	const char *kernel;  /* uname: release */
	const char *machine; /* uname: machine */
	const char *version; /* of the cpprof that wrote it */
	uint32_t ncpu;
	uint32_t uid;
};

enum cpd_unit { /* how gticks are to be written; text.h has the same */
	CPD_COUNT,
	CPD_BYTES,
	CPD_USEC,
};

enum {
	CPD_RESOURCE_CLOCK = 1 << 0,     /* sampled by a clock, not counted */
	CPD_RESOURCE_ESTIMATE = 1 << 1,  /* its total is an estimate */
	CPD_RESOURCE_USER_ONLY = 1 << 2, /* kernel mode hidden from this user */
	CPD_RESOURCE_RANDOM = 1 << 3, /* the interval varies around the mean */
	CPD_RESOURCE_EVENTS = 1 << 5, /* a sample's hits passed in one event,
					 at its stack; at an interval of 1 every
					 event has one */
	CPD_RESOURCE_OWN_COUNT = 1 << 4,  /* its total is not the kernel's count
					     but the sampling timer's own */
	CPD_RESOURCE_DIFFERENCE = 1 << 7, /* in no file: readers make it of two
					     others (analyzer/data/lives.h) */
	CPD_RESOURCE_OF_CALLS = 1 << 8,   /* the system calls say what it was
					     consumed for */
	CPD_RESOURCE_AT_MEMORY = 1 << 9,  /* its events are at a page each */
	CPD_RESOURCE_EACH = 1 << 10, /* each event is counted, none sampled:
					it has no interval */
	CPD_RESOURCE_NO_PROBES = 1 << 11, /* what the run's own probes took is
					     in no sample */
	CPD_RESOURCE_APART = 1 << 6, /* "blocked": without the time in line for
					a processor after a wait */
};

/* What readers call a resource "blocked" that has that time, too: it is another
   one.  Earlier versions of cpprof counted so. */
#define CPD_BLOCKED_IN_LINE "blocked+runqueue"

/* A resource of this run; all are written before the first sample. */
struct cpd_resource {
	uint32_t id;
	const char *name;  /* "pagefaults", as on the command line */
	const char *title; /* "Page Faults", as in a report's first line */
	const char *gtick; /* "fault": what one gtick is, in words; "us" */
	enum cpd_unit unit;
	uint64_t interval; /* gticks */
	const char *timer; /* "kernel, per-task", for people */
	uint32_t flags;
};

/* The first of N resources that has that name; 0: none. */
static inline uint32_t cpd_resource_named(
	const struct cpd_resource *all, uint32_t n, const char *name)
{
	for (uint32_t i = 1; i <= n; i++)
		if (!strcmp(all[i].name, name))
			return i;
	return 0;
}

enum { CPD_PROCESS_EXEC = 1 << 0 }; /* began with an exec, not with a fork */

/*
 * A process from its fork (or exec, or the attach) to its next exec or its end.
 * An exec makes a new one; its parent is the one that called exec.
 */
struct cpd_process {
	uint32_t id;
	uint32_t parent; /* 0: none that was profiled */
	int32_t pid;
	uint64_t time;
	const char *name; /* comm */
	const char *exe;  /* path, "" where unknown */
	uint32_t flags;
	const char *host;   /* it ran on; "" or NULL: the head's */
	const char *called; /* name of the link to its program by which it was
			       started; "" or NULL: none */
	const char *args;   /* what follows the name on its command line, with
			       blanks between; "" or NULL: not known */
};

struct cpd_thread {
	uint32_t id;
	uint32_t process;
	int32_t tid;
	uint64_t time;
	const char *name;
};

/* A thread, or with thread 0 a process, got a name, or ended. */
struct cpd_rename {
	uint32_t process;
	uint32_t thread;
	uint64_t time;
	const char *name;
};

struct cpd_exit {
	uint32_t process;
	uint32_t thread;
	uint64_t time;
};

enum cpd_module_kind {
	CPD_MODULE_ELF,
	CPD_MODULE_VDSO,
	CPD_MODULE_ANON,    /* executable memory without a file; addresses are
			       those of the process */
	CPD_MODULE_NO_CODE, /* frames that are no code: PATH says what they are
			       ("[system call]"), or of which source file; an
			       address is the number of one, which the writer
			       names itself */
};

#define CPD_CALLS "[system call]" /* the PATH of that kind */

#define CPD_BUILD_ID_MAX 32

/* A file, or nameless memory, that held code. */
struct cpd_module {
	uint32_t id;
	enum cpd_module_kind kind;
	const char *path; /* as the process saw it; "[vdso]", "//anon" */
	uint8_t build_id[CPD_BUILD_ID_MAX];
	uint32_t build_id_len; /* 0: none */
	uint32_t process;      /* ANON: whose memory; else 0 */
};

/* Code of MODULE was mapped; it covers what was there before. */
struct cpd_map {
	uint32_t process;
	uint64_t time;
	uint64_t start, len; /* in the process */
	uint64_t offset;     /* in the file */
	uint32_t module;
};

/*
 * Nodes without a module (0) are no code: their address is one of these.  They
 * stand only directly below the root.
 */
enum cpd_pseudo {
	CPD_TRUNCATED = 1, /* [truncated]: the outer frames are unknown */
	CPD_NO_STACK =
		2, /* [no user stack]: in exec or exit, where it is gone */
};

enum {
	CPD_NODE_EXACT =
		1 << 0, /* addr is where the thread was (innermost frame, or
			   interrupted by a signal); else it is a return
			   address, and addr - 1 is looked up */
};

/*
 * A node of the call tree: PARENT called it; parent 0 is the root.  ADDR is the
 * link-time virtual address (what symbol tables use) in MODULE.
 */
struct cpd_node {
	uint32_t id;
	uint32_t parent; /* smaller than id */
	uint32_t module;
	uint64_t addr;
	uint32_t flags;
};

enum {
	CPD_SAMPLE_READ_LATER = 1 << 0, /* outer frames read from the live
					   process after the sample */
	CPD_SAMPLE_UNFOLLOWED = 1 << 1, /* a block whose end is not told,
					   where those of others are */
};

struct cpd_sample {
	uint64_t time;
	uint32_t thread;
	uint32_t resource;
	uint32_t node; /* innermost frame */
	uint32_t hits;
	uint64_t weight; /* gticks */
	uint32_t flags;
	uint64_t life; /* the end of a block: ns since its sample, of the same
			  thread, node, hits and weight; 0: no such end */
	uint64_t page; /* of memory, that the event was at, counted from 1: from
			  the beginning of a file of data, else of the address
			  space; 0: none */
};

/* The kernel's own count of a resource over the whole run: one each. */
struct cpd_total {
	uint32_t resource;
	uint64_t gticks;
	uint64_t doubt; /* CPD_RESOURCE_ESTIMATE: the largest error either way,
			   at 95 %; else, or if unknown, 0 */
};

/*
 * What the kernel counted of the program and of those of its descendants that
 * were waited for, whatever was profiled; of whole runs alone, so at most one.
 */
struct cpd_usage {
	uint64_t user, system; /* CPU time, us */
	uint64_t minor, major; /* page faults */
	uint64_t waits;        /* switches because it waited */
	uint64_t preemptions;  /* and because another was to run */
};

/* How many of each a file has. */
struct cpd_crowd {
	uint64_t processes, threads, runs;
};

/*
 * How the total TOTAL of the resource of this name differs from *USED, what
 * the kernel counted of it, by more than both may: below it -1, above it 1,
 * else 0.  Of several processes it may have more: what was not waited for.
 */
int cpd_usage_differs(const struct cpd_usage *usage, const char *resource,
	uint64_t total, const struct cpd_crowd *crowd, uint64_t *used);

enum cpd_loss_kind {
	CPD_LOST,      /* [lost]: the ring had no room for the samples */
	CPD_UNSAMPLED, /* [unsampled]: less than an interval, or no timer ran */
	CPD_KERNEL,    /* [kernel]: kernel mode that this user may not see */
	CPD_SETUID,    /* [uncounted: set-uid exec] */
	CPD_PROBES,    /* [probes]: what the run's own probes took */
	CPD_BEFORE,    /* [before]: ends of blocks whose beginning was before
			  the run */
	CPD_LOSS_KINDS
};
extern const char *const cpd_loss_names[CPD_LOSS_KINDS]; /* "[lost]", ... */

/* Gticks that were consumed and are in no sample. */
struct cpd_loss {
	uint32_t resource;
	enum cpd_loss_kind kind;
	uint32_t thread; /* 0: of no single thread */
	uint64_t gticks;
	uint64_t samples; /* CPD_LOST, CPD_PROBES: how many; CPD_SETUID: in how
			     many processes, if the amount is not known */
};

enum cpd_function_source {
	CPD_NAME_NONE, /* its bounds are from unwind tables alone */
	CPD_NAME_SYMTAB,
	CPD_NAME_DYNSYM,
	CPD_NAME_DWARF,
	CPD_NAME_JIT,     /* perf map or jitdump */
	CPD_NAME_START,   /* the start code calls it as main */
	CPD_NAME_GO,      /* .gopclntab */
	CPD_NAME_RUNTIME, /* the interpreter that executes it */
};

enum { CPD_FUNCTION_MAIN = 1 << 0 }; /* what libc's start code calls */

/*
 * A function: [lo, hi) of MODULE; an inlined one has no bounds (0, 0).  Two
 * functions of one name are the same if they have the same declaration: that
 * also joins inlined copies with the others.
 */
struct cpd_function {
	uint32_t id;
	uint32_t module;
	uint64_t lo, hi;
	const char *name; /* as shown, demangled; "libc.so.6+0x3f2a0" where
			     it has none */
	const char
		*linkage; /* as in the symbol table; "" where there is none */
	enum cpd_function_source source;
	uint32_t flags;
	const char *file; /* of its declaration; "" (or NULL): unknown */
	uint32_t line;    /* likewise; 0: unknown */
};

/* One source-level frame of an address. */
struct cpd_frame {
	uint32_t function;
	uint32_t line;    /* 0: unknown */
	const char *file; /* "": unknown */
};

/*
 * What an address means: its frames, the innermost inlined one first, the
 * function that holds the code last; there is at least one.  ADDR is the
 * address looked up: a node's, less 1 if it is a return address.
 *
 * TARGET is the function, maybe of another module, that the call before that
 * return address names.  It is given where a node called from there is in
 * another function: TARGET has left by a tail call.  TAILS has more of these:
 * VIA stood between TARGET and FOUND, that node's function; several with one
 * FOUND come outermost first.
 */
struct cpd_tail {
	uint32_t found, via;
};

struct cpd_addr {
	uint32_t module;
	uint64_t addr;
	uint32_t nframes;
	const struct cpd_frame *frames;
	uint32_t target; /* 0: none is given */
	uint32_t ntails; /* 0 without TARGET */
	const struct cpd_tail *tails;
};

/* The key of the note that a file has whose samples another tool took: from
   what it was made.  What is 0 or "" in it is not known then. */
#define CPD_NOTE_IMPORT "import"

/* The key of a note of a function that had more calls than were counted by
   caller: its link-time address in hexadecimal, a blank, and its file's path.
 */
#define CPD_NOTE_LIMITED "limited"

/* The key of the note that some threads were given up to another tracer: what
   cpprof itself counts lacks them. */
#define CPD_NOTE_TRACED "traced"

/* A sentence that the reader of a report should know. */
struct cpd_note {
	const char *key; /* "warning", "symbols", ... */
	const char *text;
};

/* Last in a complete file. */
struct cpd_end {
	uint64_t time;
	int32_t status;   /* wait status of the target; -1: still running */
	uint64_t samples; /* records written */
	uint64_t monitor_usec; /* CPU time of the monitor itself */
};

#endif
