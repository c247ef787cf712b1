/* Opens as many as are asked for, and closes them. */
#include "lib/sys/descriptors.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/vec.h"

bool descriptors_left(size_t n)
{
	VEC(int) fds = {0};
	bool room = true;
	int error;

	while (room && fds.n < n)
		room = vec_reserve(&fds, fds.n + 1) &&
		       (fds.v[fds.n] = eventfd(0, EFD_CLOEXEC)) >= 0 && ++fds.n;
	error = errno; /* realloc() sets it, too */
	while (fds.n)
		close(fds.v[--fds.n]);
	vec_free(&fds);
	errno = error;
	return room;
}
