#!/bin/sh
# cpu beside calls=FUNC where FUNC begins with a call: the kernel executes it
# itself, and the thread is at its target on the way out.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data
cat >"$tmp/lib.S" <<'END'
	.globl calls_first
	.type calls_first, @function
	.type called, @function
	.text
calls_first:
	call called
	ret
	.size calls_first, . - calls_first
called:	nop
	ret
	.size called, . - called
	.section .note.GNU-stack, "", @progbits
END
cat >"$tmp/main.c" <<'END'
void calls_first(void);
int main(void)
{
	for (int i = 0; i < 200000; i++)
		calls_first();
	return 0;
}
END
{
	${CC:-cc} -shared -o "$tmp/libfirst.so" "$tmp/lib.S" &&
		${CC:-cc} -O1 -o "$tmp/main" "$tmp/main.c" -L"$tmp" -lfirst \
			-Wl,-rpath,"$tmp"
} >"$tmp/log" 2>&1 || skip_all "cannot build the program"
why=$("$cpprof" run -q -o "$data" -r cpu,calls=calls_first -- \
	"$tmp/main" 2>&1) || skip_all "no uprobes here: $why"

"$cpprof" run -q -r cpu:100us,calls=calls_first:1000 -o "$data" -- \
	"$tmp/main" 2>"$tmp/err"
is "$?:$(cat "$tmp/err")" 0: "runs"
set -- $("$cpprof" export --format=folded --resource=cpu "$data" |
	awk '{ all += $NF }
		/;called [0-9]+$/ { theirs += $NF }
		/\[probes\]/ { probes += $NF }
		END { print all + 0, theirs + 0, probes + 0 }')
[ "$1" -gt 200 ] && [ $(($2 * 100)) -le $(($1 * 6)) ]
ok $? "of $1 hits $2 are the called function's"
[ $(($3 * 100)) -ge $(($1 * 85)) ]
ok $? "$3 are [probes]"
done_testing
