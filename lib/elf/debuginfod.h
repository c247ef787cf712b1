/*
 * debuginfod.h - debug files from debuginfod.
 *
 * Only if DEBUGINFOD_URLS names a server.  A server may be slow: each file has
 * a time limit, and after one that took too long no more are asked for.
 */
#ifndef CPPROF_ELF_DEBUGINFOD_H
#define CPPROF_ELF_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TELL is called with the bytes that have come, now and then; -1: stop. */
void debuginfod_tell(int (*tell)(void *arg, uint64_t bytes), void *arg);

/* The debug file of that build id, and its path, to be freed; -1. */
int debuginfod_fetch(const unsigned char *build_id, size_t n, char **path);

#endif
