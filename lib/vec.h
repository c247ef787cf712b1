/*
 * vec.h - growable arrays.
 *
 *     VEC(struct foo) foos = {0};
 *     struct foo *f = vec_push(&foos);     (zeroed; NULL when out of memory)
 *     for (size_t i = 0; i < foos.n; i++) use(&foos.v[i]);
 *     vec_free(&foos);
 *
 * A pointer into a vector is good until the next vec_push or vec_reserve.
 */
#ifndef CPPROF_VEC_H
#define CPPROF_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define VEC(type)                                                              \
	struct {                                                               \
		type *v;                                                       \
		size_t n, cap;                                                 \
	}

/* Appends one zeroed element and points to it; NULL when out of memory. */
#define vec_push(vec)                                                          \
	((__typeof__((vec)->v))vec_push_(                                      \
		(void **)&(vec)->v, &(vec)->n, &(vec)->cap, sizeof *(vec)->v))

/* Appends a value; false when out of memory. */
#define vec_add(vec, ...)                                                      \
	((vec)->n < (vec)->cap || vec_reserve(vec, (vec)->n + 1)               \
			? ((vec)->v[(vec)->n++] = (__VA_ARGS__), true)         \
			: false)

/* Makes room for COUNT elements in total; false when out of memory. */
#define vec_reserve(vec, count)                                                \
	vec_reserve_((void **)&(vec)->v, &(vec)->cap, (count), sizeof *(vec)->v)

#define vec_free(vec) vec_free_((void **)&(vec)->v, &(vec)->n, &(vec)->cap)

bool vec_reserve_(void **v, size_t *cap, size_t count, size_t size);
void vec_free_(void **v, size_t *n, size_t *cap);

static inline void *vec_push_(void **v, size_t *n, size_t *cap, size_t size)
{
	char *p;

	if (*n == *cap && !vec_reserve_(v, cap, *n + 1, size))
		return NULL;
	memcpy(&p, v, sizeof p);
	p += *n * size;
	memset(p, 0, size);
	++*n;
	return p;
}

#endif
