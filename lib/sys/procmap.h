/*
 * procmap.h - one mapping of a process, without reading all of them: an ioctl
 * of /proc/PID/maps, from Linux 6.11 on.
 */
#ifndef CPPROF_SYS_PROCMAP_H
#define CPPROF_SYS_PROCMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* As linux/fs.h has it; older headers lack it. */
struct procmap_query {
	uint64_t size, query_flags, query_addr;
	uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	uint32_t vma_name_size, build_id_size;
	uint64_t vma_name_addr, build_id_addr;
};

#define PROCMAP_BUILD_ID 20 /* the kernel knows no longer ones */

#define PROCMAP_EXECUTABLE 0x04
#define PROCMAP_OR_NEXT 0x10 /* the first that ends behind the address */

/* A descriptor of the maps of a process, by one of its threads; -1: none. */
int procmap_open(pid_t tid);

/*
 * Finds the mapping that holds ADDR and has what FLAGS say; false: none, or
 * errno tells why.  PATH: room for PATH_MAX bytes of its name, or NULL.
 * BUILD_ID: room for PROCMAP_BUILD_ID bytes of its file's, or NULL;
 * query->build_id_size of them are there.
 */
bool procmap_find(int fd, uint64_t addr, uint64_t flags,
	struct procmap_query *query, char *path, uint8_t *build_id);

#endif
