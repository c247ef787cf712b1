/*
 * err.h - what went wrong, and what the reader can do about it.
 *
 * A function that can fail returns 0 or -1 (or NULL) and fills the caller's
 * struct err: the object, the operation, the reason, and the way out.  Nothing
 * below the command line and the shell prints; they print
 *
 *     cpprof: OBJECT: OPERATION: REASON
 *     hint: HINT
 *
 * A struct err owns no memory: it may be copied, and needs no freeing.  Every
 * setter cuts what does not fit and escapes nothing; err_format() escapes
 * control characters, since objects and reasons can come from a file.
 */
#ifndef CPPROF_ERR_H
#define CPPROF_ERR_H

#include <stddef.h>

struct err {
	char object[512]; /* a file, a resource, a program; "" where none */
	char op[64];      /* the operation or system call; "" where none */
	char reason[512];
	char hint[768]; /* the way out; "" where there is none */
};

/* Forgets what ERR held. */
void err_clear(struct err *err);

/*
 * Fills ERR; OBJECT and OP may be NULL.  Always returns -1, so that
 * `return err_set(...)` reads well.  The hint is cleared.
 */
int err_set(struct err *err, const char *object, const char *op,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* As err_set() with strerror(errno) for the reason. */
int err_sys(struct err *err, const char *object, const char *op);

/* As err_set(): there was no memory. */
int err_memory(struct err *err, const char *object, const char *op);

/* Sets the hint of an error that is already set.  Always returns -1. */
int err_hint(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Both: the reason is taken as it is, the hint is a format. */
int err_say(struct err *err, const char *object, const char *op,
	const char *reason, const char *hint, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Writes "OBJECT: OPERATION: REASON" and, if there is a hint, "\nhint: HINT"
 * to BUF (SIZE bytes, always terminated), empty parts left out.
 */
void err_format(const struct err *err, char *buf, size_t size);

#endif
