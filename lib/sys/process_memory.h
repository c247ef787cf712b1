/* process_memory.h - the memory of another process, as it is now. */
#ifndef CPPROF_SYS_PROCESS_MEMORY_H
#define CPPROF_SYS_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reads up to N bytes at ADDR of the process of a thread; returns how many: 0
 * where nothing is mapped, the process has ended, or this user may not.
 */
size_t process_memory(pid_t tid, uint64_t addr, void *buf, size_t n);

#endif
