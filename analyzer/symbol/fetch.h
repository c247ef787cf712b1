/*
 * fetch.h - debug files from debuginfod.
 *
 * Asked only where DEBUGINFOD_URLS names a server.  A server may be slow: each
 * file has its time, and after one that took too long none is asked for any
 * more.
 */
#ifndef CPPROF_SYM_FETCH_H
#define CPPROF_SYM_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sym_out;

/* Whom to tell how far a file has come; NULL: nobody. */
void sym_fetch_tell(struct sym_out *out);

/* The debug file of that build id, and its path, to be freed; -1. */
int sym_fetch(const unsigned char *build_id, size_t n, char **path);

#endif
