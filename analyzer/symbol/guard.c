/* guard.c - maps zeros where a mapped file has ended. */

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "analyzer/symbol/guard.h"
#include "lib/arch/arch.h"

static _Thread_local volatile sig_atomic_t guarded;

static void on_bus(int signal_number, siginfo_t *info, void *context)
{
	uintptr_t page =
		(uintptr_t)info->si_addr & ~(uintptr_t)(PAGE_BYTES - 1);
	int saved = errno;

	(void)context;
	if (!guarded || info->si_code != BUS_ADRERR ||
		mmap((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			0) == MAP_FAILED)
		signal(signal_number, SIG_DFL); /* it is raised again */
	errno = saved;
}

void sym_guard_begin(struct sym_guard *guard)
{
	struct sigaction action = {
		.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

	sigemptyset(&action.sa_mask);
	guard->installed = sigaction(SIGBUS, &action, &guard->old) == 0;
	guarded = 1;
}

void sym_guard_end(struct sym_guard *guard)
{
	guarded = 0;
	if (guard->installed)
		sigaction(SIGBUS, &guard->old, NULL);
}
