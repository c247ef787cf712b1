/*
 * monitor_target - a program that does one awkward thing, to be run bare and
 * under cpprof; what it prints must be the same.
 *
 *     monitor_target WHAT [ARGUMENT...]
 *
 * The table at the end says what there is.  Status 0 if all went well; 99 if
 * something that should not fail did.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "t/live/target/monitor_target.h"

char *self;
const char *arg1, *arg2;

void must(int bad, const char *what)
{
	if (!bad)
		return;
	perror(what);
	_exit(99);
}

void burn_us(long us)
{
	struct timespec t;
	long long from;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	from = t.tv_sec * 1000000000ll + t.tv_nsec;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec * 1000000000ll + t.tv_nsec - from < us * 1000ll);
}

void wait_for(pid_t child)
{
	int status;

	must(waitpid(child, &status, 0) != child || status != 0, "child");
}

static const struct {
	const char *name;
	int (*run)(void);
} table[] = {
	{"exit", do_exit},
	{"signal", do_signal},
	{"crash", do_crash},
	{"fds", do_fds},
	{"attributes", do_attributes},
	{"parent", do_parent},
	{"nested", do_nested},
	{"mayflies", do_mayflies},
	{"known", do_known},
	{"processes", do_processes},
	{"leader-first", do_leader_first},
	{"exec-thread", do_exec_thread},
	{"exec-chain", do_exec_chain},
	{"burn", do_burn},
	{"spawns", do_spawns},
	{"kernel-thread", do_kernel_thread},
	{"close-all", do_close_all},
	{"daemon", do_daemon},
	{"flood", do_flood},
	{"major", do_major},
	{"stop-self", do_stop_self},
	{"signals", do_signals},
	{"tracers", do_tracers},
	{"count", do_count},
	{"naps", do_naps},
	{"occupy", do_occupy},
	{"protect", do_protect},
	{"steps", do_steps},
	{"contended", do_contended},
	{"mappings", do_mappings},
	{"generators", do_generators},
	{"probed", do_probed},
	{"faults", do_faults},
	{"asks", do_asks},
};

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	self = argv[0];
	arg1 = argc > 2 ? argv[2] : "0";
	arg2 = argc > 3 ? argv[3] : "1";
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strcmp(table[i].name, argv[1]) == 0)
			return table[i].run();
	return 2;
}
