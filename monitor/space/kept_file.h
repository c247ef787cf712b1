/*
 * kept_file.h - a file that may be asked for when the run ends.
 *
 * It is open while a process uses it and can be mapped instead afterwards, so
 * that descriptors are as many as files in use, and it can be read though its
 * name is gone.
 */
#ifndef CPPROF_SPACE_KEPT_FILE_H
#define CPPROF_SPACE_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct kept_file {
	int fd;
	void *bytes; /* NULL: it is not mapped */
	size_t size;
};

#define KEPT_FILE_NONE ((struct kept_file){.fd = -1})

static inline bool kept_file_has(const struct kept_file *file)
{
	return file->fd >= 0 || file->bytes;
}

/*
 * Maps the file in FD, which may be its own descriptor, and closes what it had.
 * False: all is as before.
 */
bool kept_file_map(struct kept_file *file, int fd);

/* A descriptor of it, to be closed; -1. */
int kept_file_open(const struct kept_file *file);

void kept_file_close(struct kept_file *file);

#endif
