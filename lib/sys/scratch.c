/* A file without a name, or memory where there is no folder for it. */
#include "lib/sys/scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

FILE *scratch_open(void)
{
	const char *folder = secure_getenv("TMPDIR");
	int fd = folder && *folder
			 ? open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC,
				   0600)
			 : -1;
	FILE *f = fd < 0 ? tmpfile() : NULL;

	if (!f && fd < 0)
		fd = memfd_create("scratch", MFD_CLOEXEC);
	if (!f && fd >= 0)
		f = fdopen(fd, "w+");
	if (!f && fd >= 0)
		close(fd);
	return f;
}
