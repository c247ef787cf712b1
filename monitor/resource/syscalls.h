/*
 * syscalls.h - the system calls: their names, and which of them move bytes.
 *
 * All timers that count system calls, bytes and I/O time use it, so they agree
 * on what a call is.  Numbers are those of the 64-bit ABI; names those of the
 * kernel's headers at build time, and newer_syscalls.h.
 */
#ifndef CPPROF_RESOURCE_SYSCALLS_H
#define CPPROF_RESOURCE_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSCALLS_MAX 512 /* numbers in a set; the kernel has used 470 */

struct syscall_set {
	uint64_t bits[SYSCALLS_MAX / 64];
};

#define SYSCALL_FOREIGN UINT64_MAX /* the number of any call of another ABI */

/* The last place is that of all larger numbers, which are no calls. */
static inline bool syscall_set_has(const struct syscall_set *set, uint64_t nr)
{
	if (nr == SYSCALL_FOREIGN)
		return false;
	if (nr >= SYSCALLS_MAX)
		nr = SYSCALLS_MAX - 1;
	return set->bits[nr / 64] >> nr % 64 & 1;
}

/* The name of a number, or NULL. */
const char *syscall_name(unsigned nr);

/* The number of a name, or -1. */
int syscall_number(const char *name);

/* The name nearest to a wrong one, or NULL. */
const char *syscall_nearest(const char *wrong);

/*
 * A call in its second argument's light: futex is a wait or a wake.  0: none,
 * or of another ABI.
 */
static inline uint32_t syscall_place(uint64_t nr, uint64_t arg2)
{
	return nr < SYSCALLS_MAX
		       ? ((uint32_t)nr + 1) | (uint32_t)(arg2 & 0xffff) << 16
		       : 0;
}

/* The name of a place that is not 0: "[write]" or "[futex wait]". */
void syscall_label(uint32_t place, char *buf, size_t size);

/* Which bytes a call moves; its result is their number. */
enum transfer {
	TRANSFER_NONE,
	TRANSFER_READ,  /* into the program */
	TRANSFER_WRITE, /* out of it */
	TRANSFER_BOTH,  /* from one descriptor to another: as read and as
			   written, and once in `bytes` */
	TRANSFER_READ_MESSAGES,  /* recvmmsg, sendmmsg: returns messages; the */
	TRANSFER_WRITE_MESSAGES, /* bytes of each are its msg_len */
	TRANSFER_PAGES, /* vmsplice: a write at the pipe's writing end, a read
			   at the other */
};

/* One of them: sendfile, for example, is TRANSFER_BOTH. */
enum transfer syscall_transfer(uint64_t nr);

#endif
