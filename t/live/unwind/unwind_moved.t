#!/bin/sh
# Generated code that mremap() has moved: the kernel does not tell of it.
. "$(dirname "$0")/../../lib/lib.sh"

awk -F'[.-]' '{ exit !($1 > 6 || $1 == 6 && $2 >= 11) }' \
	/proc/sys/kernel/osrelease ||
	skip_all "kernels before 6.11 cannot be asked for a mapping"
cat >"$tmp/moved.c" <<'END'
/* outer(n, f) calls f(n), which works; both are moved again and again */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const uint8_t leaf[] = { /* push %rbx; sub $16, %rsp; mov %rdi, %rcx; */
	0x53, 0x48, 0x83, 0xec, 0x10, 0x48, 0x89, 0xf9,
	/* 1: imul $31, %rax; dec %rcx; jne 1b */
	0x48, 0x6b, 0xc0, 0x1f, 0x48, 0xff, 0xc9, 0x75, 0xf7,
	/* add $16, %rsp; pop %rbx; ret */
	0x48, 0x83, 0xc4, 0x10, 0x5b, 0xc3};
static const uint8_t bare[] = { /* the same without a frame */
	0x48, 0x89, 0xf9, 0x48, 0x6b, 0xc0, 0x1f, 0x48, 0xff, 0xc9, 0x75, 0xf7,
	0xc3};
static const uint8_t outer[] = { /* push %rbx; push %r12; sub $24, %rsp; */
	0x53, 0x41, 0x54, 0x48, 0x83, 0xec, 0x18,
	/* call *%rsi; add $24, %rsp; pop %r12; pop %rbx; ret */
	0xff, 0xd6, 0x48, 0x83, 0xc4, 0x18, 0x41, 0x5c, 0x5b, 0xc3};

int main(void)
{
	struct timespec t;
	size_t size = 8192;
	uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(p + 256, leaf, sizeof leaf);
	memcpy(p + 512, bare, sizeof bare);
	memcpy(p + 1024, outer, sizeof outer);
	mprotect(p, size, PROT_READ | PROT_EXEC);
	for (int i = 0; i < 10; i++) {
		p = mremap(p, size, 2 * size, MREMAP_MAYMOVE);
		size *= 2;
		for (int n = 0; n < 2000; n++)
			((void (*)(long, void *))(p + 1024))(20000,
				p + (n & 1 ? 256 : 512));
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		if (t.tv_sec >= 2)
			break;
	}
	return 0;
}
END
${CC:-cc} -O1 -w -o "$tmp/moved" "$tmp/moved.c" 2>"$tmp/log" ||
	skip_all "cannot build the program"

for timer in per-cpu per-task; do
	if ! "$cpprof" run -q --timer=$timer -r cpu:1ms -o "$tmp/data" -- \
		"$tmp/moved" 2>"$tmp/err"; then
		skip 1 "$timer: $(head -n 1 "$tmp/err")"
		continue
	fi
	set -- $("$cpprof" export --format=folded "$tmp/data" | awk '
		{ all += $NF }
		$0 ~ /;main;anon[^;]*;anon[^;]* [0-9]+$/ { whole += $NF }
		END { print all + 0, whole + 0 }')
	[ "$1" -ge 50 ] && [ $(($2 * 100)) -ge $(($1 * 95)) ]
	ok $? "$timer: of $1 samples $2 are of both functions in main"
done
done_testing
