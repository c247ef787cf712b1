#!/bin/sh
# Call frame information wherever it is: frames that gcc realigns and that have
# an array of variable length (the CFA by an expression, rbp saved at *rbp), in
# programs with .eh_frame_hdr and without, with .debug_frame alone, compressed
# and not, static too; a routine in the middle of a function, of whose calls the
# information knows nothing.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no sampling here: $why"

cat >"$tmp/frames.c" <<'END'
#include <stdint.h>
#include <string.h>

static volatile unsigned long sink;

struct wide { _Alignas(64) unsigned char bytes[64]; };

__attribute__((noinline, noclone)) static void leaf(unsigned char *p, int n)
{
	for (int i = 0; i < 4000; i++)
		sink += p[i % n] ^ i;
}

__attribute__((noinline, noclone)) static int realigned(int n)
{
	struct wide w;
	unsigned char v[n * 8];

	memset(&w, n, sizeof w);
	memset(v, n, sizeof v);
	leaf(v, n);
	if (n > 1)
		sink += realigned(n - 1);
	leaf(w.bytes, 64);
	return v[0] + w.bytes[n] + ((uintptr_t)&w & 63);
}

int main(void)
{
	for (int i = 0; i < 2500; i++)
		sink += realigned(1 + i % 20);
	return 0;
}
END

debug="-fno-asynchronous-unwind-tables -fno-exceptions -g"

# check NAME FLAGS [WRAPPER]: built and sampled; "separate" puts the debug file
# into a folder of this mount namespace alone
check() {
	if ! ${CC:-cc} -O2 -w $2 -o "$tmp/frames" "$tmp/frames.c" \
		>"$tmp/log" 2>&1; then
		skip 2 "$1: cannot be built"
		return
	fi
	timeout 60 ${3:-} "$cpprof" run -q --unwinder=fast -r cpu:1ms \
		-o "$tmp/data" -- "$tmp/frames"
	set -- "$1" $("$cpprof" export --format=folded "$tmp/data" | awk '
		{ n = $NF; all += n }
		/^\[truncated\]/ { cut += n }
		/main;realigned;.*leaf / { right += n }
		END { print all + 0, cut + 0, right + 0 }')
	[ "$2" -gt 30 ] && [ "$3" -le $((1 + $2 / 200)) ]
	ok $? "$1: of $2 samples $3 are truncated"
	[ $(($4 * 10)) -ge $(($2 * 8)) ]
	ok $? "$1: $4 lead from main to leaf"
}

check "with .eh_frame_hdr" ""
check "without it" "-Wl,--no-eh-frame-hdr"
check "static without it" "-static -Wl,--no-eh-frame-hdr"
check "static-pie" "-static-pie"
check "static, .debug_frame alone" "-static $debug"
check "PIE, .debug_frame alone" "-pie -fPIE $debug"
check "64-bit .debug_frame" "-static -gdwarf64 $debug"
check ".debug_frame compressed" "-static -Wl,--compress-debug-sections=zlib $debug"

# A frame larger than any that is kept packed, with another caller each time.
cat >"$tmp/huge.c" <<'END'
#include <unistd.h>
#define FRAME __attribute__((noinline, noclone))
FRAME static int leaf(volatile char *p)
{
	return p[0] = getppid();
}
FRAME static int huge(void)
{
	char room[1 << 20];
	return leaf(room) + room[0];
}
FRAME static int a(void) { return huge() + 1; }
FRAME static int b(void) { return huge() + 2; }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += a() + b();
	return sum & 1;
}
END
if ${CC:-cc} -O2 -w -o "$tmp/huge" "$tmp/huge.c" >"$tmp/log" 2>&1; then
	timeout 60 "$cpprof" run -q --unwinder=fast --timer=stop \
		-r syscalls=getppid:1 -o "$tmp/data" -- "$tmp/huge"
	is "$("$cpprof" export --format=folded "$tmp/data" | awk '
		/main;[ab];huge;leaf;.*getppid/ { n += $NF } END { print n + 0 }')" 20 \
		"a frame of 1 MB has its caller each time"
else
	skip 1 "the large frame cannot be built"
fi

# The same in a separate debug file, by its build id, in a mount namespace.
cat >"$tmp/separate" <<'END'
mount -t tmpfs none /usr/lib/debug || exit
id=$(readelf -n "$1/frames" | sed -n 's/.*Build ID: //p')
mkdir -p "/usr/lib/debug/.build-id/${id%"${id#??}"}"
objcopy --only-keep-debug "$1/frames" \
	"/usr/lib/debug/.build-id/${id%"${id#??}"}/${id#??}.debug" &&
	strip "$1/frames" || exit
shift
exec "$@"
END
if unshare -m mount -t tmpfs none /usr/lib/debug 2>/dev/null; then
	check "separate .debug_frame" "-static -Wl,--build-id $debug" \
		"unshare -m sh $tmp/separate $tmp"
else
	skip 2 "no mount namespaces for this user"
fi

# by_hand NAME PATHS WHAT: main() calls NAME, of the assembly on standard input; four
# of five samples are on PATHS, an expression.
by_hand() {
	{
		printf '__asm__(".text\\n.globl %s\\n"\n' "$1"
		sed 's/.*/"&\\n"/'
		printf '".section .note.GNU-stack, \\"\\", @progbits\\n.text\\n");\n'
		printf 'void %s(void);\nint main(void) { %s(); return 0; }\n' "$1" "$1"
	} >"$tmp/$1.c"
	if ! ${CC:-cc} -O2 -w -o "$tmp/$1" "$tmp/$1.c" >"$tmp/log" 2>&1; then
		skip 1 "not for this processor"
		return
	fi
	timeout 60 "$cpprof" run -q -r cpu:1ms -o "$tmp/data" -- "$tmp/$1"
	title=$3 paths=$2
	set -- $("$cpprof" export --format=folded "$tmp/data" |
		awk -v paths="$paths [0-9]+\$" '
			{ all += $NF }
			$0 ~ paths { right += $NF }
			END { print all + 0, right + 0 }')
	[ "$1" -gt 30 ] && [ $(($2 * 10)) -ge $(($1 * 8)) ]
	ok $? "$title: of $1 samples $2 lead from main to it"
}

# A machine as LuaJIT's interpreter is one: what should be the return address in
# its routine is 7.
by_hand machine 'main;machine;machine' "a routine in a function" <<'END'
	.type machine, @function
machine:
	.cfi_startproc
	push $7
	.cfi_def_cfa_offset 16
	mov $800000, %r8d
1:	call routine
	dec %r8d
	jnz 1b
	pop %rax
	ret
routine:
	mov $1000, %ecx
2:	dec %ecx
	jnz 2b
	ret
	.cfi_endproc
	.size machine, . - machine
END

# The kernel in the middle of a push that a probe replaced, as the first
# instruction of `pushed`: the word is there, the instruction pointer as before.
by_hand enter 'main;(enter;)?pushed' "in a push that a probe replaced" <<'END'
	.type enter, @function
enter:
	.cfi_startproc
	push $7
	.cfi_def_cfa_offset 16
	mov $500000000, %ecx
	jmp pushed
	.cfi_endproc
	.size enter, . - enter
	.type pushed, @function
pushed:
	.cfi_startproc
	loop pushed
	.cfi_def_cfa_offset 16
	pop %rax
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size pushed, . - pushed
END
done_testing
