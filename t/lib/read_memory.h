/* read_memory.h - reads the bytes of a cpprofdata file that is in memory. */
#ifndef CPPROF_READ_MEMORY_H
#define CPPROF_READ_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/cpprofdata/reader.h"

static inline int read_memory(const void *data, size_t size,
	const struct cpd_handlers *handlers, void *arg,
	struct cpd_result *result, struct err *err)
{
	static int fd = -1;
	char path[32];

	if (fd < 0)
		fd = memfd_create("cpprofdata", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return cpd_read(path, handlers, arg, result, err);
}

#endif
