#!/bin/sh
# bytes-freed and frees: what is freed is credited to the path that allocated,
# to the byte where every request is sampled, whoever frees it.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data
cc=$(command -v gcc || command -v cc)
[ -n "$cc" ] || skip_all "no C compiler"

cat >"$tmp/blocks.c" <<'END'
/* Blocks that end, and some that do not. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HERE __attribute__((noinline)) static void

void *volatile kept[100000];
static int n;

HERE keeps(void)
{
	for (int i = 0; i < 300; i++)
		kept[n++] = malloc(100);
}

HERE frees(void)
{
	for (int i = 0; i < 500; i++)
		free(malloc(33));
}

/* Each block ends but the last, whether it moves or grows in its place; one
   that cannot grow lives on, and may end later. */
HERE grows(void)
{
	char *p = NULL;

	for (int i = 1; i <= 100; i++)
		p = realloc(p, (size_t)i * 50);
	kept[n++] = p;
	free(realloc(malloc(7), 0));
	p = malloc(11);
	kept[n++] = realloc(p, (size_t)-1 / 4) ? NULL : p;
	p = malloc(13);
	if (!realloc(p, (size_t)-1 / 4))
		free(p);
}

HERE aligns(void)
{
	void *p = NULL;

	if (posix_memalign(&p, 64, 4096) == 0)
		kept[n++] = p;
	free(aligned_alloc(64, 640));
	free(calloc(10, 20));
}

HERE fails(void)
{
	free(malloc((size_t)-1 / 2));
}

HERE makes(void)
{
	for (int i = 0; i < 100; i++)
		kept[n++] = malloc(77);
}

static void *thread(void *arg)
{
	makes();
	return arg;
}

/* Another thread frees half of it. */
HERE ends_of_others(void)
{
	int from = n;
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	for (int i = from; i < from + 50; i++)
		free(kept[i]);
}

/* What a child inherits is its parent's, also where the child frees it. */
HERE forks(void)
{
	char *p = malloc(12345);

	if (fork() == 0) {
		free(p);
		free(malloc(222));
		kept[n++] = malloc(55);
		_exit(0);
	}
	wait(NULL);
	kept[n++] = p;
}

/* They live for 20 ms. */
HERE peaks(void)
{
	void *p[200];

	for (int i = 0; i < 200; i++)
		p[i] = malloc(300);
	usleep(20000);
	for (int i = 0; i < 200; i++)
		free(p[i]);
}

HERE late(void)
{
	kept[n++] = malloc(5000);
}

/* A block each 20 ms; the second is there when the first ends. */
HERE again(void)
{
	volatile int rounds = 2; /* one call of malloc, not two */
	void *before = NULL;

	for (int i = 0; i < rounds; i++) {
		kept[n] = malloc(7000);
		free(before);
		before = kept[n];
		usleep(20000);
	}
	n++;
}

HERE child_blocks(void)
{
	for (int i = 0; i < 20; i++)
		kept[n++] = malloc(4000);
}

static int to_child;

/* A child that has 80 000 bytes until ends_child(), or until it executes
   PROGRAM.  It has them when this returns. */
HERE child(const char *program)
{
	int to[2], from[2];
	char byte;

	if (pipe(to) || pipe(from))
		abort();
	if (fork() == 0) {
		close(to[1]);
		dup2(to[0], 0);
		dup2(from[1], 1);
		for (int i = 0; i < 20; i++)
			kept[n++] = malloc(4000);
		if (program)
			execl(program, program, "waits", NULL);
		write(1, "c", 1);
		read(0, &byte, 1);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	read(from[0], &byte, 1);
	close(from[0]);
	to_child = to[1];
}

HERE ends_child(void)
{
	close(to_child);
	wait(NULL);
}

/* Of two ages, with a call of itself on one of the paths. */
HERE repeats(int times)
{
	if (times)
		repeats(times - 1);
	else
		kept[n++] = malloc(100);
}

HERE ages(void)
{
	repeats(0);
	usleep(20000);
	repeats(3);
	repeats(5);
	usleep(20000);
}

/* They end while the monitor, which is the parent, is stopped: some ends are
   lost. */
HERE unseen(void)
{
	for (int i = 0; i < 60000; i++) {
		kept[i] = malloc(50);
		if (i % 2000 == 0)
			usleep(20000);
	}
	usleep(200000);
	kill(getppid(), SIGSTOP);
	for (int i = 0; i < 60000; i++)
		free(kept[i]);
	kill(getppid(), SIGCONT);
}

HERE leaks(void)
{
	kept[n++] = malloc(100);
}

HERE serves(void)
{
	static void *before;

	free(before);
	before = NULL;
	leaks();
	for (int i = 0; i < 50; i++)
		free(malloc(100));
	if (n == 1) /* the first time: the second frees it */
		before = malloc(7777);
}

int main(int argc, char **argv)
{
	char line;

	if (argc > 1 && !strcmp(argv[1], "daemon")) {
		while (read(0, &line, 1) == 1) {
			serves();
			write(1, "s", 1);
		}
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "waits")) {
		write(1, "w", 1);
		return read(0, &line, 1) != 0;
	}
	if (argc > 1 && !strcmp(argv[1], "peak")) {
		child(NULL);
		if (argc > 2)
			keeps();
		ends_child();
		child(argv[0]);
		if (argc == 2)
			keeps();
		frees();
		peaks();
		late();
		again();
		ends_child();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "ages")) {
		ages();
		frees();
		late();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "unseen")) {
		unseen();
		return 0;
	}
	if (argc > 1) { /* so many at once, of which one in four ends */
		int many = atoi(argv[1]);
		void **all = calloc((size_t)many, sizeof *all);

		for (int i = 0; i < many; i++)
			all[i] = malloc(48);
		for (int i = 0; i < many; i += 4)
			free(all[i]);
		return 0;
	}
	keeps();
	frees();
	grows();
	aligns();
	fails();
	ends_of_others();
	forks();
	return 0;
}
END
$cc -O1 -fno-builtin -pthread -w -o "$tmp/blocks" "$tmp/blocks.c" ||
	exit 99

# function, bytes, blocks
truth="aligns 840 2
fails 0 0
forks 222 1
frees 16500 500
grows 247520 101
keeps 0 0
makes 3850 50"

# found BYTES BLOCKS: what the file says of the two resources, likewise
found() {
	for r in "$1" "$2"; do
		"$cpprof" export --format=folded --no-inlines -r "$r" "$data" |
			sed "s/^/$r;/"
	done | awk -F'[; ]' -v bytes="$1" '
		{ for (i = 2; i < NF; i++) sum[($1 == bytes) $i] += $NF }
		END {
			m = split("aligns fails forks frees grows keeps makes", f, " ")
			for (i = 1; i <= m; i++)
				print f[i], sum[1 f[i]] + 0, sum[0 f[i]] + 0
		}'
}

ways=
for way in --timer=per-cpu --timer=stop --no-preload; do
	! "$cpprof" run -q $way -r frees -o "$data" -- true 2>>"$tmp/err" ||
		ways="$ways $way"
done
[ -n "$ways" ] || skip_all "neither uprobes nor ptrace: $(cat "$tmp/err")"

# true_of WHAT: what is freed, what lives, and the books
true_of() {
	is "$(found bytes-freed frees)" "$truth" \
		"$1: what is freed, by who allocated it"
	is "$(found live live-blocks)" "aligns 4096 1
fails 0 0
forks 12400 2
frees 0 0
grows 5011 2
keeps 30000 300
makes 3850 50" "$1: what lives"
	is "$(of bytes-freed weight)" "$(of bytes-freed total)" \
		"$1: bytes-freed: the books balance"
	# what forks() frees in the child is none of the child's requests
	frees=$(($(of frees weight) + 1))
	case $1 in
	--no-preload) # libc frees its own at a thread's end
		within "$(of frees total)" $frees $((frees + 100)) \
			"$1: frees: all are counted"
		;;
	*) is "$(of frees total)" $frees "$1: frees: all are counted" ;;
	esac
}

for way in $ways; do
	"$cpprof" run -q $way -r bytes-freed:1,frees:1 -o "$data" -- "$tmp/blocks"
	true_of "$way"
	like "$("$cpprof" report --leaks -r live-blocks "$data")" \
		'[0-9] % of allocations is not in it: requests that failed' \
		"$way: leaks: what failed has no block"
done

# Other allocators.  Their functions jump to others of their own, by the stubs
# with which libraries call each other.
for how in libtcmalloc.so.4 libtcmalloc_minimal.so.4 libjemalloc.so.2 \
	libmimalloc.so.2; do
	if LD_PRELOAD=$how env true 2>&1 | grep -q .; then
		skip 8 "no $how"
		continue
	fi
	for way in ${ways% --no-preload}; do
		"$cpprof" run -q $way -r bytes-freed:1,frees:1 -o "$data" -- \
			env LD_PRELOAD=$how "$tmp/blocks"
		# mimalloc has a block of no bytes, too
		[ $how != libmimalloc.so.2 ] ||
			truth=$(echo "$truth" | sed 's/^grows .*/grows 247520 102/')
		true_of "$how, $way"
	done
done

# sum RESOURCE FUNCTION [OPTION...]
sum() {
	sum_of=$2 sum_r=$1
	shift 2
	"$cpprof" export --format=folded --no-inlines -r "$sum_r" "$@" "$data" |
		awk -v f=";$sum_of;" 'index($0, f) { n += $NF } END { print n + 0 }'
}

# The peak; what is freed at once, and what is not.
first=${ways#?}
first=${first%% *}
"$cpprof" run -q $first -r bytes-freed:1 -o "$data" -- "$tmp/blocks" peak
is "$(sum live keeps) $(sum live peaks) $(sum live late)" "30000 0 5000" \
	"what lives at the end"
is "$(sum peak keeps) $(sum peak peaks) $(sum peak late)" "30000 60000 0" \
	"... and at the peak"
is "$(sum peak child) $(sum live child)" "0 160000" \
	"... which is without what a child left, at its end or at its exec"
within "$(sum churn frees)" 1 16500 "short-lived"
is "$(sum churn peaks)" 0 "... and what lived for 20 ms is not"
is "$(sum live keeps --window=0..) $(sum peak peaks --window=0..)" "30000 60000" \
	"in a window of all of the run the same"
t=0 # ms: behind the first block of again(), before the second
while [ $t -lt 60000 ] && [ "$(sum bytes-allocated again --window=${t}ms..)" -eq 14000 ]; do
	t=$((t + 10))
done
is "$(sum bytes-allocated again --window=${t}ms..) $(sum live again --window=${t}ms..)" \
	"7000 7000" "... in a part of it what was allocated before ends nothing"
is "$("$cpprof" report -r live "$data" | grep -c '^live ')" 1 "report has it"
like "$("$cpprof" info "$data" | sed -n '/^resource live /,/in samples/p')" \
	"in samples: 202000 .* 342 samples\$" "info, too"

# Several processes have one peak: when all of them together had most.
"$cpprof" run -q $first -r bytes-freed:1 -o "$data" -- "$tmp/blocks" peak together
is "$(sum peak child) $(sum peak keeps) $(sum peak peaks)" "80000 30000 0" \
	"the peak of two processes is at one time"
is "$(sum peak child --window=0..) $(sum peak keeps --window=0..)" "80000 30000" \
	"... in a window, too"
# Leaks, largest first, with their ages: a path is one however deep its
# recursion.
"$cpprof" run -q $first -r bytes-freed:1 -o "$data" -- "$tmp/blocks" ages
"$cpprof" report --leaks -f csv --threshold=0 "$data" >"$tmp/leaks"
is "$(sed 's/"[^"]*main;\([a-z]*\)[^"]*"/\1/' "$tmp/leaks" | cut -d , -f 3-5)" \
	"path,weight,samples
late,5000,1
ages,300,3" "leaks: what lives, largest first, by call path"
awk -F, '/;repeats;/ { exit !($7 > 0.039 && $7 - $8 > 0.019 && $8 > 0.019) }' \
	"$tmp/leaks"
ok $? "... and its age: $(cut -d , -f 7-8 "$tmp/leaks" | tr '\n' ' ')"
# What other programs get of it has no lives: no differences are made of that
# again.
"$cpprof" export -f perf-script "$data" >"$tmp/script"
"$cpprof" import -q -o "$tmp/imported" "$tmp/script"
is "$("$cpprof" info "$tmp/imported" | grep '^resource' | cut -d ' ' -f 2 |
	sort | tr '\n' ' ')" "bytes-allocated bytes-freed churn live peak " \
	"... imported again: the same resources"
"$cpprof" report --leaks "$tmp/imported" 2>"$tmp/err"
is "$?" 1 "... and no leaks"
like "$(cat "$tmp/err")" "what is freed was not counted" "... for a reason"
"$cpprof" run -q $first -r bytes-freed:1 -o "$tmp/second" -- "$tmp/blocks" ages
"$cpprof" merge -q -o "$tmp/merged" "$data" "$tmp/second"
is "$("$cpprof" report --leaks -f csv --threshold=0 "$tmp/merged" |
	awk -F, '/;repeats;/ { print $4, $5, ($7 - $8 > 0.019) }')" "600 6 1" \
	"... of two runs joined: both"

# As of a time at which only the first of the three was there.
lo=0 hi=60000000 at=0
while [ "$at" -ne 100 ] && [ $((hi - lo)) -gt 1 ]; do
	mid=$(((lo + hi) / 2))
	at=$("$cpprof" report --leaks -f csv --threshold=0 --window="..${mid}us" \
		"$data" | awk -F, '/;repeats;/ { n = $4 } END { print n + 0 }')
	if [ "$at" -lt 100 ]; then lo=$mid; else hi=$mid; fi
done
is "$at" 100 "... at an earlier time: less"
"$cpprof" report --leaks -f json "$data" | "$top_builddir/t/lib/check_schema" \
	"$top_srcdir/man/cpprof-profile.schema.json" --closed >"$tmp/checked"
is "$(cat "$tmp/checked")" 1 "... as JSON"
like "$("$cpprof" shell -c 'contains repeats; leaks' "$data")" \
	'300 B *100.0 % .*repeats > malloc' "... in the shell, of what is kept"

# Who has few samples is told what to ask a run for.
"$cpprof" run -q $first -r bytes-freed:20K -o "$data" -- "$tmp/blocks" peak
like "$("$cpprof" report -r live "$data")" '^few samples.* -r bytes-freed:' \
	"few samples: a run has them by bytes-freed"

# Ends that are lost make no leaks of which nothing is said, and what they were
# is in the books.
case $ways in
*per-cpu*)
	"$cpprof" run -q --timer=per-cpu -r bytes-freed:1,frees:1 -o "$data" -- \
		"$tmp/blocks" unseen
	"$cpprof" info -f csv "$data" | sed -n 's/.*"live",\(weight\|doubt\),//p' |
		tr -dc '0-9\n' >"$tmp/live"
	{ read -r live && read -r doubt; } <"$tmp/live"
	within "$live" 0 "$doubt" "lost ends: as much may not live as is said to"
	within "$(of bytes-freed total)" "$(of bytes-allocated weight)" \
		"$(($(of bytes-allocated total) + $(of bytes-freed lost) / 1000))" \
		"... and the rest was freed"
	;;
*) skip 2 "no uprobes here" ;;
esac

# Who has none is told so: the file has these resources all the same.
"$cpprof" run -q $first -r bytes-freed:1G -o "$data" -- "$tmp/blocks" peak \
	2>/dev/null
like "$("$cpprof" report -r live "$data" 2>&1)" '^cpprof: live: no samples' \
	"no samples: none of what lives"

# Sampled: an estimate, and never more than was allocated.
for way in $ways; do
	"$cpprof" run -q $way --randomize -r bytes-freed:4K,frees:100 -o "$data" \
		-- "$tmp/blocks" 400000
	within "$(of frees weight)" 80000 120000 \
		"$way: at an interval of 100: about a quarter"
	is "$(of frees total)" 100000 "... of which the number is exact"
	like "$("$cpprof" info "$data" | sed -n '/^resource bytes-freed/,/differ/p')" \
		"an estimate.* give or take" "... and not that of the bytes"
done
within "$(of frees weight)" 1 "$(of allocations weight)" \
	"... what is freed was allocated"

# What it needs comes with it, at its interval.
"$cpprof" run -q $first -r bytes-freed:100 -o "$data" -- "$tmp/blocks"
is "$(of bytes-freed interval) $(of bytes-allocated interval)" "100 100" \
	"bytes-freed brings bytes-allocated"
"$cpprof" run -q -r bytes-freed:1,bytes-allocated:2 -o "$data" -- true 2>"$tmp/err"
is "$?" 125 "two intervals are an error"
like "$(cat "$tmp/err")" "give the interval once" "... that says what to do"

# A daemon that runs already: what it had before is not in it.
case $ways in
*preload*) ;;
*)
	skip 5 "no uprobes here: $(head -n 1 "$tmp/err")"
	done_testing
	;;
esac
mkfifo "$tmp/work"
# again [OPTIONS...]: attaches to a new daemon, and has it work three times
again() {
	: >"$tmp/served"
	"$tmp/blocks" daemon <"$tmp/work" >"$tmp/served" &
	daemon=$!
	exec 3>"$tmp/work"
	echo >&3
	until [ -s "$tmp/served" ]; do
		kill -0 "$daemon" || break
		sleep 0.05
	done
	: >"$tmp/said"
	"$cpprof" attach "$@" -o "$data" "$daemon" 2>"$tmp/said" 3>&- &
	until grep -q collecting "$tmp/said"; do
		kill -0 $! || break
		sleep 0.05
	done
	printf '\n\n\n' >&3
	exec 3>&-
	wait
}
again -r bytes-freed:1
is "$(sum live leaks) $(sum bytes-freed leaks) $(sum live serves)" "300 0 300" \
	"attach: what leaks in a daemon"
is "$(sum bytes-allocated serves) $(sum bytes-freed serves)" "15300 15000" \
	"... and what it frees"

again -r frees:1
is "$("$cpprof" info "$data" | sed -n '/^resource frees/,/^$/s/^  \(\[.*\|samples and.*\|cons.*\)/\1/p')" \
	"[before]: 1 block
samples and losses: 151 blocks
consumed (the kernel's count): 151 blocks" \
	"... of which one was allocated before"
"$cpprof" run -q --no-preload -r frees:1 -o "$data" -- awk 'BEGIN {
	while (i++ < 3000) a[i] = i "x"
	for (i in a) delete a[i] }' 2>"$tmp/err"
is "$("$cpprof" info "$data" | grep -c before)" 0 \
	"... and in a whole run none was"
again -r frees
is "$("$cpprof" info "$data" | grep -c before)" 0 \
	"... which is not known where not each request is sampled"

done_testing
