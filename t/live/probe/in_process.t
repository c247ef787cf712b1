#!/bin/sh
# The counting object: the program is as it is bare, and its requests are counted
# as the probes on malloc count them, whatever it does meanwhile.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data
both=bytes-allocated:1,allocations:1
cc=$(command -v gcc || command -v cc)

# What counts: the object, which a probe or a stop at its system call tells of,
# or probes alone.
ways=
for way in --no-preload --timer=per-cpu --timer=stop; do
	! "$cpprof" run -q $way -r allocations -o "$data" -- true 2>>"$tmp/err" ||
		ways="$ways $way"
done
[ -n "$ways" ] || skip_all "neither uprobes nor ptrace: $(cat "$tmp/err")"
objects=$(echo " $ways" | sed 's/ --no-preload//')

# timers OPTION
timers() {
	"$cpprof" run -q $1 -r allocations -o "$data" -- true
	"$cpprof" info "$data" | sed -n 's/^  timer: //p' | sort -u
}
for way in $ways; do
	case $way in
	*preload) like "$(timers $way)" uprobe "$way: probes alone" ;;
	*cpu) is "$(timers $way)" in-process "$way: a program counts by itself" ;;
	*stop) is "$(timers $way)" "in-process, stop" "... and so for $way" ;;
	esac
done

# --- as bare ---

# same WHAT COMMAND...: prints with the object what it prints bare
same() {
	same_what=$1
	shift
	"$@" >"$tmp/bare" 2>&1
	same_bare=$?
	for way in $objects; do
		"$cpprof" run -q $way -r allocations -o "$data" -- "$@" \
			>"$tmp/with" 2>&1
		is "$?:$(sort "$tmp/with")" "$same_bare:$(sort "$tmp/bare")" \
			"$same_what ($way)"
	done
}
same "the environment" env
same "... of a shell's child" sh -c 'env; true'
same "... with another LD_PRELOAD" env LD_PRELOAD=libm.so.6 sh -c 'env; true'
same "... an empty one" env LD_PRELOAD= sh -c 'env; true'
same "... and none at all" env -i /bin/sh -c 'env; true'
if command -v perl >/dev/null; then
	same "a program's own exec, system and popen" perl -e '
		print `env`; system("env"); exec("/usr/bin/env")'
else
	skip 1 "no perl here"
fi

# A program in another root cannot have the object, and says nothing of that.
if [ "$(id -u)" -eq 0 ] && [ -n "$cc" ] && command -v chroot >/dev/null; then
	mkdir -p "$tmp/root/bin"
	for file in /bin/true $(ldd /bin/true | sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p'); do
		mkdir -p "$tmp/root$(dirname "$file")"
		cp "$file" "$tmp/root$file"
	done
	same "a program in another root" chroot "$tmp/root" /bin/true
else
	skip 1 "not root"
fi

# --- the same totals ---

[ -n "$cc" ] || {
	skip 1 "no C compiler"
	done_testing
}
cat >"$tmp/ways.c" <<'END'
/* Requests in each of the ways that a counter in the process could miss. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void ask(int n)
{
	for (int i = 0; i < n; i++)
		free(malloc(1000));
}

static void handle(int sig)
{
	(void)sig;
	ask(3);
}

/* None ends before the last has begun: libc would use its memory again. */
static pthread_barrier_t all;

static void *thread(void *arg)
{
	ask(50);
	pthread_barrier_wait(&all);
	return arg;
}

static void threads(void)
{
	pthread_t t[20];

	pthread_barrier_init(&all, NULL, 20);
	for (int i = 0; i < 20; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 20; i++)
		pthread_join(t[i], NULL);
}

static void in_child(pid_t pid, const char *how)
{
	if (pid == 0) {
		ask(70);
		if (!strcmp(how, "exec"))
			execl("/proc/self/exe", "ways", "ask", (char *)NULL);
		if (!strcmp(how, "exit"))
			exit(0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char *again[] = {argv[0], "ask", NULL};
	char line[200];
	pid_t pid;

	ask(7);
	if (!strcmp(how, "signal")) {
		signal(SIGUSR1, handle);
		for (int i = 0; i < 100; i++)
			raise(SIGUSR1);
	}
	if (!strcmp(how, "threads"))
		threads();
	if (!strcmp(how, "fork") || !strcmp(how, "exec") || !strcmp(how, "exit"))
		in_child(fork(), how);
	if (!strcmp(how, "raw"))
		in_child((pid_t)syscall(SYS_fork), how);
	if (!strcmp(how, "spawn")) {
		posix_spawn(&pid, argv[0], NULL, NULL, again, environ);
		waitpid(pid, NULL, 0);
	}
	snprintf(line, sizeof line, "%s ask", argv[0]);
	if (!strcmp(how, "system"))
		return system(line);
	if (!strcmp(how, "popen"))
		return pclose(popen(line, "r"));
	if (!strcmp(how, "vfork") && vfork() == 0) {
		execv(argv[0], again);
		_exit(1);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	ask(11);
	return 0;
}
END
$cc -O1 -fno-builtin -pthread -w -o "$tmp/ways" "$tmp/ways.c" || exit 99

# requests INTERVALS OPTION: of the run of $how
requests() {
	rm -f "$data"
	"$cpprof" run -q $2 -r "$1" -o "$data" -- "$tmp/ways" $how >/dev/null
	of allocations total
}
first=${ways#?}
first=${first%% *}
for how in ask signal threads fork raw exec exit spawn vfork system popen; do
	bare=$(requests "$both" "$first")
	[ "${bare:-0}" -ge 18 ]
	ok $? "$how: $first counts"
	for way in $objects; do
		is "$(requests "$both" $way)" "$bare" \
			"$how, $way: each request, one by one"
		is "$(of allocations weight)" "$bare" "... and each in a sample"
		is "$(requests allocations:1000 $way)" "$bare" \
			"... and at the end of a thread"
	done
done
how=threads
requests "$both" "$first" >/dev/null
bytes=$(of bytes-allocated total)
# 16 bytes for each thread are libc's, for the object's variables
[ "$first" != --no-preload ] || bytes=$((bytes + 16 * 20))
for way in $objects; do
	requests "$both" "$way" >/dev/null
	is "$(of bytes-allocated total)" "$bytes" "$way: the bytes, too"
done

# The paths are those of the probes.
for way in $ways; do
	"$cpprof" run -q $way -r allocations:1 -o "$data" -- "$tmp/ways" ask
	"$cpprof" export --format=folded --no-inlines "$data" | sort >"$tmp/folded$way"
	is "$(cat "$tmp/folded$way")" "$(cat "$tmp/folded$first")" \
		"$way: the paths are those of $first"
done
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir "$tmp/user" && chmod 777 "$tmp/user" && chmod 755 "$tmp" "$tmp/ways"
	user="setpriv --reuid=65534 --regid=65534 --clear-groups"
	if $user "$cpprof" run -q -r allocations:1 -o "$tmp/user/data" -- \
		"$tmp/ways" ask 2>"$tmp/err"; then
		"$cpprof" export --format=folded --no-inlines "$tmp/user/data" | sort \
			>"$tmp/folded"
		is "$(cat "$tmp/folded")" "$(cat "$tmp/folded$first")" \
			"... also an ordinary user's"
	else
		skip 1 "an ordinary user: $(head -n 1 "$tmp/err")"
	fi
else
	skip 1 "not root, or no setpriv"
fi
"$cpprof" run -q --timer=stop --no-preload -r allocations -o "$data" -- true \
	2>"$tmp/err"
error $? "cannot count its requests" "as root|ptrace" "stops need the object"

# Many short threads are sampled as one long one.
"$cpprof" run -q -r allocations:100 -o "$data" -- sh -c \
	"for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		$tmp/ways signal; done"
within "$(of allocations weight)" $(($(of allocations total) * 3 / 4)) \
	$(($(of allocations total) * 5 / 4)) "short programs: their samples"

case $ways in
*per-cpu*) ;;
*)
	skip 1 "no uprobes here: $(head -n 1 "$tmp/err")"
	done_testing
	;;
esac
# One cpprof in another: the inner one's intervals serve both.
"$cpprof" run -q -r allocations:1 -o "$data" -- "$cpprof" run -q \
	-r allocations:1 -o "$tmp/inner" -- "$tmp/ways" signal
outer=$data data=$tmp/inner
is "$(of allocations total)" "$(how=signal; data=$tmp/alone; \
	requests allocations:1 '')" "one in another: the inner run"
data=$outer

done_testing
