#include "lib/scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

FILE *scratch_open(void)
{
	const char *folder = secure_getenv("TMPDIR");
	int fd = folder && *folder
			 ? open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC,
				   0600)
			 : -1;
	FILE *f = fd < 0 ? tmpfile() : fdopen(fd, "w+");

	if (!f && fd >= 0)
		close(fd);
	return f;
}
