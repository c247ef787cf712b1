/*
 * debuginfod.h - asks the servers that DEBUGINFOD_URLS names for a file of a
 * build id, by elfutils' library, which need not be installed.
 */
#ifndef CPPROF_ELF_DEBUGINFOD_H
#define CPPROF_ELF_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A server of debuginfod that sends nothing for so long is asked no more,
   unless DEBUGINFOD_TIMEOUT gives it longer. */
#define DEBUGINFOD_PATIENCE_SECONDS 2

/* Who looks for files, and where; all zero: here, and nobody is told of
   them. */
struct debug_search {
	/* Root of the files of the machine that the program ran on; NULL: they
	   are this machine's.  Borrowed. */
	const char *sysroot;
	/* Is called with each file before it is read. */
	void (*opened)(void *arg, int fd);
	/* Is called now and then with the bytes that came from debuginfod. */
	void (*fetched)(void *arg, uint64_t bytes);
	void *arg;
	/* debuginfod sent nothing for too long, or needed more than two
	   minutes for a file: it is asked for no more. */
	bool silent;
};

/* What to say where a search fell silent; %d: DEBUGINFOD_PATIENCE_SECONDS. */
#define DEBUGINFOD_SILENT                                                      \
	"debuginfod sent too little in %d s and is asked no more; "            \
	"DEBUGINFOD_TIMEOUT=90 gives it longer"

/* Whether the library is there; else no server is asked. */
bool debuginfod_is_there(void);

enum debuginfod_kind {
	DEBUGINFOD_DEBUG_FILE,
	DEBUGINFOD_EXECUTABLE,
	DEBUGINFOD_SOURCE,
};

/*
 * The file of KIND, to be closed, with its PATH, to be freed; for a source NAME
 * is its path as the debug information has it, else NULL.  -1: there is none,
 * or SEARCH has found the servers silent.
 */
int debuginfod_find(struct debug_search *search, enum debuginfod_kind kind,
	const unsigned char *build_id, size_t n, const char *name, char **path);

#endif
