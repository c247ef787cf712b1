/* Grows and frees arrays. */
#include <stdint.h>
#include <stdlib.h>

#include "lib/vec.h"

/*
 * The callers' pointers have their own types; they are read and written as
 * bytes, so that no two types alias an object.
 */
static void *load(void **v)
{
	void *p;

	memcpy(&p, v, sizeof p);
	return p;
}

static void store(void **v, void *p)
{
	memcpy(v, &p, sizeof p);
}

bool vec_reserve_(void **v, size_t *cap, size_t count, size_t size)
{
	size_t want = *cap;
	void *p;

	if (count <= *cap)
		return true;
	while (want < count)
		want = want < 8 ? 8 : want > SIZE_MAX / 2 ? count : want * 2;
	if (want > SIZE_MAX / 2 / size)
		return false;
	p = realloc(load(v), want * size);
	if (!p)
		return false;
	store(v, p);
	*cap = want;
	return true;
}

void vec_free_(void **v, size_t *n, size_t *cap)
{
	free(load(v));
	store(v, NULL);
	*n = *cap = 0;
}
