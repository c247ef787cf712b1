/* Maps a file for later, and copies the mapping when the file is asked for. */
#include "config.h"

#include "monitor/space/kept_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files up to this size are copied when they are opened again; a larger one
 * keeps its descriptor. */
#define COPY_MOST (256 << 20)

bool kept_file_map(struct kept_file *file, int fd)
{
	struct stat st;
	void *bytes;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0 ||
		st.st_size > COPY_MOST)
		return false;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	kept_file_close(file);
	*file = (struct kept_file){-1, bytes, (size_t)st.st_size};
	return true;
}

/*
 * By write(2), which fails, without a signal, where the file has become shorter
 * than what was mapped.
 */
static int copy(const struct kept_file *file)
{
	int fd = memfd_create("cpprof", MFD_CLOEXEC);
	size_t done = 0;
	ssize_t n;

	while (fd >= 0 && done < file->size) {
		n = write(fd, (const char *)file->bytes + done,
			file->size - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return fd;
}

int kept_file_open(const struct kept_file *file)
{
	return file->bytes ? copy(file) : fcntl(file->fd, F_DUPFD_CLOEXEC, 3);
}

void kept_file_close(struct kept_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->bytes)
		munmap(file->bytes, file->size);
	*file = KEPT_FILE_NONE;
}
