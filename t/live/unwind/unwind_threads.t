#!/bin/sh
# The outermost frame of a thread: glibc's clone and clone3 have no unwind
# information for its first instructions, musl's clone has none at all.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no sampling here: $why"

cat >"$tmp/threads.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int child(void *arg)
{
	return arg != NULL;
}

static void *thread(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	char *stack = malloc(65536);

	for (int i = 0; i < 12000; i++) {
		pthread_t id;

		if (strcmp(argv[argc - 1], "clone") == 0) {
			waitpid(clone(child, stack + 65536, CLONE_VM | SIGCHLD,
					NULL), NULL, 0);
			continue;
		}
		pthread_create(&id, NULL, thread, NULL);
		pthread_join(id, NULL);
	}
	return 0;
}
END

# check COMPILER FLAGS HOW: 15 of 1000 may be cut (musl's threads unmap the stack
# that they end on: 2 to 5 are, the more the busier the machine); without what this
# is for 60 are
check() {
	"$1" $2 -O2 -w -o "$tmp/threads" "$tmp/threads.c" -lpthread \
		2>/dev/null || {
		skip 1 "cannot build $1 $2"
		return
	}
	timeout 60 "$cpprof" run -q -r cpu:100us -o "$tmp/data" \
		-- "$tmp/threads" "$3"
	set -- "$1 $2 $3" $("$cpprof" info "$tmp/data" | awk '
		$1 == "stacks:" { print $2 + 0, $4 + 0 }')
	if [ "${2:-0}" -le 500 ] && [ "$(id -u)" -ne 0 ]; then
		skip 1 "$1: this user's timers begin anew in each thread"
		return
	fi
	[ "${2:-0}" -gt 500 ] && [ $((${3:-9} * 66)) -le "$2" ]
	ok $? "$1: ${2:-no} stacks are whole, ${3:-?} truncated"
}

check "${CC:-cc}" "" threads
check "${CC:-cc}" -static threads
check "${CC:-cc}" "" clone
check musl-gcc -static threads
done_testing
