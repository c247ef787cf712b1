/* limit.c - limits of the process that looks names up. */

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/symbol/limit.h"

/* Enough for programs without debug information; 4 s on a slow machine. */
#define MEMORY (192ULL << 20)
#define SECONDS 4

/*
 * Measured maximum on the C++ compiler's debug information: 9 bytes of memory
 * and 60 ns for each compressed byte.
 */
#define MEMORY_TIMES 24
#define BYTES_A_SECOND (2 << 20)
#define MEMORY_AN_ADDRESS 2048
#define ADDRESSES_A_SECOND 20000

static uint64_t memory_now(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set(int what, uint64_t value)
{
	struct rlimit now;

	if (getrlimit(what, &now) != 0)
		return;
	now.rlim_cur = value < now.rlim_max ? value : now.rlim_max;
	setrlimit(what, &now);
}

static void apply(const struct sym_limit *limit)
{
#ifndef __SANITIZE_ADDRESS__ /* which maps as it likes */
	set(RLIMIT_AS, limit->memory + MEMORY + limit->files * MEMORY_TIMES +
			       limit->addresses * MEMORY_AN_ADDRESS);
#endif
	set(RLIMIT_CPU, limit->used_before + limit->seconds +
				limit->files / BYTES_A_SECOND +
				limit->addresses / ADDRESSES_A_SECOND);
}

void sym_limit_begin(struct sym_limit *limit, unsigned tries)
{
	limit->seconds = SECONDS >> tries ? SECONDS >> tries : 1;
}

void sym_limit_module(struct sym_limit *limit, uint64_t n)
{
	struct rusage usage;

	if (!limit)
		return;
	getrusage(RUSAGE_SELF, &usage);
	limit->used_before =
		(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1;
	limit->memory = memory_now();
	limit->files = 0;
	limit->addresses = n;
	errno = 0;
	apply(limit);
}

void sym_limit_file(struct sym_limit *limit, int fd)
{
	struct stat st;

	if (!limit || fstat(fd, &st) != 0 || st.st_size <= 0)
		return;
	limit->files += (uint64_t)st.st_size;
	apply(limit);
}

__attribute__((noreturn)) static void no_memory(void)
{
	_exit(SYM_LIMIT_STATUS);
}

void sym_limit_dwarf(const struct sym_limit *limit, Dwarf *dwarf)
{
	if (limit)
		dwarf_new_oom_handler(dwarf, no_memory);
}

void sym_limit_check(const struct sym_limit *limit)
{
	/* libdw continues when memory is short, and reports nothing */
	if (limit && errno == ENOMEM)
		no_memory();
}
