/*
 * jit_dump.h - the log of a JIT compiler, jit-PID.dump, which it maps to tell
 * that it is there.
 */
#ifndef CPPROF_SPACE_JIT_DUMP_H
#define CPPROF_SPACE_JIT_DUMP_H

#include <stdbool.h>

struct module_identity;

/* Whether a mapped file of that name is one. */
bool jit_dump_is(const char *path);

/*
 * Opens it if it is a regular file of the process's user, of this one or of
 * root; else -1.
 */
int jit_dump_open(const struct module_identity *id);

#endif
