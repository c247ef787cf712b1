/* The table of system calls, and which way each of them moves bytes. */
#include "monitor/resource/syscalls.h"

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

void syscall_mark(
	uint8_t by_number[SYSCALLS_MAX], const char *name, uint8_t value)
{
	int nr = syscall_number(name);

	if (nr >= 0)
		by_number[nr] = value;
}

struct transfer_row {
	const char *name;
	enum transfer transfer;
};

static const struct transfer_row transfers[] = {
	{"read", TRANSFER_READ},
	{"pread64", TRANSFER_READ},
	{"readv", TRANSFER_READ},
	{"preadv", TRANSFER_READ},
	{"preadv2", TRANSFER_READ},
	{"recvfrom", TRANSFER_READ},
	{"recvmsg", TRANSFER_READ},
	{"recvmmsg", TRANSFER_READ_MESSAGES},
	{"write", TRANSFER_WRITE},
	{"pwrite64", TRANSFER_WRITE},
	{"writev", TRANSFER_WRITE},
	{"pwritev", TRANSFER_WRITE},
	{"pwritev2", TRANSFER_WRITE},
	{"sendto", TRANSFER_WRITE},
	{"sendmsg", TRANSFER_WRITE},
	{"sendmmsg", TRANSFER_WRITE_MESSAGES},
	{"sendfile", TRANSFER_BOTH},
	{"splice", TRANSFER_BOTH},
	{"tee", TRANSFER_BOTH},
	{"copy_file_range", TRANSFER_BOTH},
	{"vmsplice", TRANSFER_PAGES},
};

enum transfer syscall_transfer(uint64_t nr)
{
	static uint8_t by_number[SYSCALLS_MAX];
	static bool made;

	for (size_t i = 0; !made && i < sizeof transfers / sizeof *transfers;
		i++)
		syscall_mark(by_number, transfers[i].name,
			(uint8_t)transfers[i].transfer);
	made = true;
	return nr < SYSCALLS_MAX ? (enum transfer)by_number[nr] : TRANSFER_NONE;
}
