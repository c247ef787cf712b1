/*
 * allocation.h - the kinds of requests for memory.
 *
 * For the search for functions that allocate and for the BPF programs that
 * count their calls: needs no other header.
 */
#ifndef CPPROF_PROBE_ALLOCATION_H
#define CPPROF_PROBE_ALLOCATION_H

#define ALLOCATION_POINTS 256     /* functions that allocate, in all files */
#define ALLOCATION_RANGES 160     /* and pieces of code that belong to them */
#define ALLOCATION_FILE_RANGES 40 /* of one file */
/* More than any address space has: no such request is ever granted. */
#define ALLOCATION_MOST (1ull << 47)

/* The arguments of a function that allocates. */
enum allocation {
	ALLOCATION_MALLOC,       /* (size) */
	ALLOCATION_PAGES,        /* (size): valloc, pvalloc */
	ALLOCATION_CALLOC,       /* (n, size) */
	ALLOCATION_REALLOC,      /* (old, size) */
	ALLOCATION_REALLOCARRAY, /* (old, n, size) */
	ALLOCATION_ALIGNED,      /* (alignment, size) */
	ALLOCATION_POSIX,        /* (result, alignment, size) */
	ALLOCATION_NEW,          /* (size): C++'s operator new */
	/* Where ends of blocks are to be known: */
	ALLOCATION_RETURN, /* one of the above returns */
	ALLOCATION_TAIL,   /* or goes on to code that cannot be followed */
	ALLOCATION_FREE,   /* (block) */
	ALLOCATION_REPORT, /* the counting object's (monitor/inprocess) */
};

#endif
