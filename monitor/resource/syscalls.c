/* The table of system calls, and which way each of them moves bytes. */
#include "monitor/resource/syscalls.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/text.h"
#include "monitor/resource/newer_syscalls.h"

static const char *const names[] = {
#include "monitor/resource/syscall_names.h"
};

_Static_assert(sizeof names / sizeof *names <= SYSCALLS_MAX,
	"every number is in a set");

#define NNAMES (sizeof names / sizeof *names)

const char *syscall_name(unsigned nr)
{
	return nr < NNAMES ? names[nr] : NULL;
}

int syscall_number(const char *name)
{
	for (size_t nr = 0; nr < NNAMES; nr++)
		if (names[nr] && strcmp(names[nr], name) == 0)
			return (int)nr;
	return -1;
}

const char *syscall_nearest(const char *wrong)
{
	const char *known[NNAMES], *near[1];
	size_t n = 0;

	for (size_t nr = 0; nr < NNAMES; nr++)
		if (names[nr])
			known[n++] = names[nr];
	return text_nearest(wrong, known, n, near, 1) ? near[0] : NULL;
}

/* What a futex call is for, by FUTEX_...; its flags are above these bits. */
static const char *const futexes[] = {[0] = "wait",
	[1] = "wake",
	[3] = "requeue",
	[4] = "requeue",
	[5] = "wake",
	[6] = "lock",
	[7] = "unlock",
	[8] = "trylock",
	[9] = "wait",
	[10] = "wake",
	[11] = "wait",
	[12] = "requeue",
	[13] = "lock"};
#define FUTEXES (sizeof futexes / sizeof *futexes)
#define FUTEX_BITS 0x7f

void syscall_label(uint32_t place, char *buf, size_t size)
{
	uint32_t nr = (place & 0xffff) - 1, op = place >> 16 & FUTEX_BITS;
	const char *name = syscall_name(nr);

	if (!name)
		snprintf(buf, size, "[system call %u]", nr);
	else if (nr == __NR_futex && op < FUTEXES && futexes[op])
		snprintf(buf, size, "[%s %s]", name, futexes[op]);
	else
		snprintf(buf, size, "[%s]", name);
}

static const uint8_t transfers[SYSCALLS_MAX] = {
	[__NR_read] = TRANSFER_READ,
	[__NR_pread64] = TRANSFER_READ,
	[__NR_readv] = TRANSFER_READ,
	[__NR_preadv] = TRANSFER_READ,
	[__NR_preadv2] = TRANSFER_READ,
	[__NR_recvfrom] = TRANSFER_READ,
	[__NR_recvmsg] = TRANSFER_READ,
	[__NR_recvmmsg] = TRANSFER_READ_MESSAGES,
	[__NR_write] = TRANSFER_WRITE,
	[__NR_pwrite64] = TRANSFER_WRITE,
	[__NR_writev] = TRANSFER_WRITE,
	[__NR_pwritev] = TRANSFER_WRITE,
	[__NR_pwritev2] = TRANSFER_WRITE,
	[__NR_sendto] = TRANSFER_WRITE,
	[__NR_sendmsg] = TRANSFER_WRITE,
	[__NR_sendmmsg] = TRANSFER_WRITE_MESSAGES,
	[__NR_sendfile] = TRANSFER_BOTH,
	[__NR_splice] = TRANSFER_BOTH,
	[__NR_tee] = TRANSFER_BOTH,
	[__NR_copy_file_range] = TRANSFER_BOTH,
	[__NR_vmsplice] = TRANSFER_PAGES,
	/* these have the kernel write, take time and return no bytes */
	[__NR_fsync] = TRANSFER_WRITE,
	[__NR_fdatasync] = TRANSFER_WRITE,
	[__NR_sync_file_range] = TRANSFER_WRITE,
	[__NR_msync] = TRANSFER_WRITE,
	[__NR_syncfs] = TRANSFER_WRITE,
	[__NR_sync] = TRANSFER_WRITE,
};

enum transfer syscall_transfer(uint64_t nr)
{
	return nr < SYSCALLS_MAX ? (enum transfer)transfers[nr] : TRANSFER_NONE;
}
