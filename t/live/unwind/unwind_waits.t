#!/bin/sh
# Waits that are read without a stop, in programs whose functions keep a frame
# pointer: it is unknown, and their callers are found all the same.  Where the
# stack is full of what looks like frames no caller is shown but the right one.
. "$(dirname "$0")/../../lib/lib.sh"

why=$("$cpprof" run -q -o "$tmp/can" --timer=stop -r blocked -- true 2>&1) ||
	skip_all "no stop timers here: $why"

cat >"$tmp/waits.c" <<'END'
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#define KEEP __attribute__((noinline, noclone))
#define STAY() __asm__ volatile("" ::: "memory")

static volatile int sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static KEEP void nap(void)
{
	struct timespec t = {0, 30000000};

	nanosleep(&t, NULL);
	STAY();
}

static KEEP void wait_for(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 30000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	sink += pthread_mutex_timedlock(&lock, &t);
	STAY();
}

/* As a library that keeps frame pointers, too. */
static KEEP void itself(void)
{
	struct timespec t = {0, 30000000};
	long result = SYS_nanosleep;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(&t), "S"(0)
			 : "rcx", "r11", "memory");
	sink += result;
}

static KEEP void large(void)
{
	volatile char buffer[9000];

	buffer[0] = 1;
	sink += poll(NULL, 0, 30) + buffer[sink & 1];
}

static KEEP void arguments(int a, int b, int c, int d, int e, int f, int g, int h)
{
	sink += poll(NULL, 0, 30) + a + b + c + d + e + f + g + h;
}

static KEEP void array(int n)
{
	volatile char buffer[n];

	buffer[0] = 1;
	sink += poll(NULL, 0, 30) + buffer[n - 1];
}

static KEEP void aligned(int n)
{
	_Alignas(64) volatile char buffer[64];

	buffer[n & 63] = 1;
	sink += poll((void *)buffer, 0, 30) + buffer[n];
}

static KEEP void jumps(void)
{
	nap();
}

static void (*volatile pointer)(void) = nap;

static KEEP void by_pointer(void)
{
	pointer();
	STAY();
}

static KEEP void deep(int n)
{
	if (n) {
		deep(n - 1);
		STAY();
		return;
	}
	nap();
	wait_for();
	itself();
	large();
	arguments(1, 2, 3, 4, 5, 6, 7, 8);
	array(500 + sink % 3);
	aligned(3);
	jumps();
	by_pointer();
	STAY();
}

static void *thread(void *unused)
{
	struct timespec t = {0, 900000000};

	nanosleep(&t, NULL);
	STAY();
	return unused;
}

int main(void)
{
	pthread_t id;

	pthread_mutex_lock(&lock);
	pthread_create(&id, NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		deep(3);
	pthread_join(id, NULL);
	return 0;
}
END

# waits COMPILER FLAGS...
waits() {
	how=$*
	if ! "$@" -w -o "$tmp/waits" "$tmp/waits.c" -lpthread 2>"$tmp/log"; then
		skip 2 "$how: cannot be built"
		return
	fi
	timeout 60 "$cpprof" run -q --timer=stop -r blocked:3ms -o "$tmp/data" \
		-- "$tmp/waits"
	"$cpprof" export --format=folded "$tmp/data" >"$tmp/folded"
	is "$(grep -Ev '^.unsampled|;exit;' "$tmp/folded" | grep -Ev \
		'main;deep;deep;deep;deep;|;thread;|;main;pthread_join;')" "" \
		"$how: every wait has its callers"
	is "$(sed -n 's/.*;deep;deep;deep;deep;\([a-z_]*\)[; ].*/\1/p
		s/.*;\(thread\);.*/\1/p' "$tmp/folded" | sort -u | xargs)" \
		"aligned arguments array by_pointer itself jumps large nap thread wait_for" \
		"$how: all of them"
}

for cc in gcc clang; do
	waits $cc -O2 -fno-omit-frame-pointer
	waits $cc -O0
done
waits gcc -O2 -fno-omit-frame-pointer -fstack-clash-protection \
	-fstack-protector-strong -fcf-protection

# array() waits only where right() or jump() has called it, or work() by a pointer:
# its stack is full of what is left of other calls, or could be.
cat >"$tmp/decoys.c" <<'END'
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#define KEEP __attribute__((noinline, noclone))
#define STAY() __asm__ volatile("" ::: "memory")

enum what { LEFT, RANDOM, FRAME };

static uintptr_t frames[8], sites[8], of_main; /* what is true of some calls */
static int known, what, n;
static volatile int sink;

static KEEP void again(int depth);

static KEEP void array(int depth)
{
	volatile uintptr_t words[n];

	frames[known & 7] = (uintptr_t)__builtin_frame_address(1);
	sites[known++ & 7] = (uintptr_t)__builtin_return_address(0);
	for (int i = 0; what == RANDOM && i < n; i++)
		words[i] = rand() & 1	? sites[rand() & 7]
			   : rand() & 1 ? frames[rand() & 7]
					: (uintptr_t)(words + rand() % n);
	if (what == FRAME) {
		words[n / 2 & ~1] = of_main;
		words[(n / 2 & ~1) + 1] = sites[0];
	}
	sink += poll(NULL, 0, n == 20 ? 0 : 4);
	if (depth)
		again(depth - 1); /* what it leaves nothing overwrites */
	sink += (int)words[0];
}

static KEEP void again(int depth)
{
	array(depth);
	STAY();
}

static KEEP void wrong(int depth)
{
	array(depth);
	STAY();
}

static KEEP void right(int depth)
{
	array(depth);
	STAY();
}

static KEEP void work(void (*volatile job)(int), int depth)
{
	job(depth);
	STAY();
}

static KEEP void jump(int depth)
{
	if (n == 20)
		wrong(depth);
	else
		array(depth); /* its frame is gone */
}

static KEEP void right_jumps(int depth)
{
	jump(depth);
	STAY();
}

static KEEP void jump_twice(int depth)
{
	jump(depth);
}

static KEEP void right_twice(int depth)
{
	jump_twice(depth);
	STAY();
}

static KEEP void path(int number, int depth)
{
	static void (*const jobs[])(int) = {right, array, right_jumps};

	if (number < 3)
		work(jobs[number], depth);
	else if (number == 3)
		right(depth);
	else if (number == 4)
		right_jumps(depth);
	else
		right_twice(depth);
	STAY();
}

int main(int argc, char **argv)
{
	what = argv[argc - 1][0] == 'l'	  ? LEFT
	       : argv[argc - 1][0] == 'r' ? RANDOM
					  : FRAME;
	of_main = (uintptr_t)__builtin_frame_address(0);
	for (int i = 0; i < 100; i++) {
		known = 0;
		n = 20;
		wrong(0);
		work(wrong, 0);
		path(i % 6, 1);
		n = 400;
		path(i % 6, 0);
	}
	return 0;
}
END
may='(^.truncated.|main;path(;work|(;work)?(;right|;right_jumps(;jump)?|;right_twice(;jump_twice)?(;jump)?)))'
for flags in "-O2 -fno-omit-frame-pointer" -O0; do
	${CC:-cc} $flags -w -o "$tmp/decoys" "$tmp/decoys.c" || exit 99
	for how in left random frame; do
		timeout 60 "$cpprof" run -q --timer=stop -r blocked:1ms \
			-o "$tmp/data" -- "$tmp/decoys" $how
		"$cpprof" export --format=folded "$tmp/data" >"$tmp/folded"
		is "$(grep ';array;' "$tmp/folded" | grep -Ev "$may;array;[^;]*poll")" \
			"" "$flags, $how: no caller is a wrong one"
		grep -q ';array;' "$tmp/folded"
		ok $? "$flags, $how: it waits"
		case "$flags$how" in
		-O2*left)
			grep -q 'main;path;right_jumps;.*array;' "$tmp/folded"
			ok $? "$flags: where jump() has left no frame, too"
			;;
		esac
	done
done
done_testing
