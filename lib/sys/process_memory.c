/* Reads with process_vm_readv(2). */
#include "lib/sys/process_memory.h"

#include <sys/uio.h>

size_t process_memory(pid_t tid, uint64_t addr, void *buf, size_t n)
{
	struct iovec local = {buf, n};
	struct iovec remote = {(void *)(uintptr_t)addr, n};
	ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);

	return got > 0 ? (size_t)got : 0;
}
