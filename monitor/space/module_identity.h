/* module_identity.h - what tells one mapped file from another. */
#ifndef CPPROF_SPACE_MODULE_IDENTITY_H
#define CPPROF_SPACE_MODULE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

/* A mapping as the kernel reports it. */
struct module_identity {
	const char *path;
	pid_t pid;
	uint64_t start, end; /* of the mapping, in the process */
	const uint8_t *build_id;
	uint32_t build_id_len; /* 0: the inode identifies it */
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t process; /* id in the file */
};

/* Whether ST is of the file that the struct module_identity tells. */
static inline bool module_is_file(const void *arg, const struct stat *st)
{
	const struct module_identity *id = arg;

	if (id->build_id_len) /* compared when the ELF headers are read */
		return true;
	return id->inode == st->st_ino && id->major == major(st->st_dev) &&
	       id->minor == minor(st->st_dev);
}

#endif
