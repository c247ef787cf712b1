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
	int error = ENOMEM;

	while (room && fds.n < n) {
		int *fd = vec_push(&fds);

		if (fd)
			*fd = eventfd(0, EFD_CLOEXEC);
		room = fd && *fd >= 0;
		error = fd ? errno : ENOMEM;
	}
	for (size_t i = 0; i < fds.n; i++)
		if (fds.v[i] >= 0)
			close(fds.v[i]);
	vec_free(&fds);
	errno = error;
	return room;
}
