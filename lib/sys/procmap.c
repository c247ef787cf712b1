/* Asks the kernel with PROCMAP_QUERY. */
#include "lib/sys/procmap.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>

#define PROCMAP_QUERY_ _IOWR('f', 17, struct procmap_query)

int procmap_open(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/maps", (int)tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool procmap_find(int fd, uint64_t addr, uint64_t flags,
	struct procmap_query *query, char *path, uint8_t *build_id)
{
	*query = (struct procmap_query){
		.size = sizeof *query,
		.query_flags = flags,
		.query_addr = addr,
		.vma_name_size = path ? PATH_MAX : 0,
		.vma_name_addr = (uintptr_t)path,
		.build_id_size = build_id ? PROCMAP_BUILD_ID : 0,
		.build_id_addr = (uintptr_t)build_id,
	};
	if (path)
		path[0] = '\0';
	return ioctl(fd, PROCMAP_QUERY_, query) == 0;
}
