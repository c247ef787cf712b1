/*
 * module_identity.h - what tells one mapped file from another.
 *
 * A path can lead elsewhere by now, or in another mount namespace.  The device
 * of a mapping need not be the one that stat() has: overlayfs, on which
 * containers run, and btrfs give two different ones.  So what is mapped
 * decides: the build id that the kernel tells of a mapping; without one the
 * device and the inode that a mapping of our own has, too; else the build id in
 * the process's memory, or the bytes of the headers there.
 */
#ifndef CPPROF_SPACE_MODULE_IDENTITY_H
#define CPPROF_SPACE_MODULE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_image;

/* A mapping as the kernel reports it. */
struct module_identity {
	const char *path;
	pid_t pid;
	uint64_t start, end; /* of the mapping, in the process */
	uint64_t offset;     /* in the file */
	const uint8_t *build_id;
	uint32_t build_id_len; /* 0: the kernel told none */
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t process; /* id in the file */
};

/*
 * Whether the file in FD is the mapped one; IMAGE is it as an ELF file, NULL if
 * it is none.  Without a build id from the kernel and with other numbers the
 * process is read: false if that has ended, or may not be read.
 */
bool module_is_file(const struct module_identity *identity, int fd,
	const struct elf_image *image);

#endif
