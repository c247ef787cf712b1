/* limit.c - limits of the process that looks names up. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
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

static bool limited;
static unsigned seconds;
static uint64_t memory, files, addresses; /* of the module at hand */
static uint64_t used_before;              /* seconds */

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
	struct rlimit limit;

	if (getrlimit(what, &limit) != 0)
		return;
	limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
	setrlimit(what, &limit);
}

static void apply(void)
{
#ifndef __SANITIZE_ADDRESS__ /* which maps as it likes */
	set(RLIMIT_AS, memory + MEMORY + files * MEMORY_TIMES +
			       addresses * MEMORY_AN_ADDRESS);
#endif
	set(RLIMIT_CPU, used_before + seconds + files / BYTES_A_SECOND +
				addresses / ADDRESSES_A_SECOND);
}

void sym_limit_begin(unsigned tries)
{
	limited = true;
	seconds = SECONDS >> tries ? SECONDS >> tries : 1;
}

void sym_limit_module(uint64_t n)
{
	struct rusage usage;

	if (!limited)
		return;
	getrusage(RUSAGE_SELF, &usage);
	used_before =
		(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1;
	memory = memory_now();
	files = 0;
	addresses = n;
	errno = 0;
	apply();
}

void sym_limit_file(int fd)
{
	struct stat st;

	if (!limited || fstat(fd, &st) != 0 || st.st_size <= 0)
		return;
	files += (uint64_t)st.st_size;
	apply();
}

__attribute__((noreturn)) static void no_memory(void)
{
	_exit(SYM_LIMIT_STATUS);
}

void sym_limit_dwarf(Dwarf *dwarf)
{
	if (limited)
		dwarf_new_oom_handler(dwarf, no_memory);
}

void sym_limit_check(void)
{
	/* libdw continues when memory is short, and reports nothing */
	if (limited && errno == ENOMEM)
		no_memory();
}
