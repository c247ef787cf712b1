#!/bin/sh
# main that leaves by a tail call is in the profile all the same: glibc's start
# code calls main and nothing else there.  Constructors are not taken for it.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no profiles here: $why"
${CC:-cc} --version >/dev/null 2>&1 || skip_all "no C compiler"

cat >"$tmp/tail.c" <<'EOF'
static volatile unsigned long sink;
__attribute__((noinline)) static void spin(unsigned long n)
{
	while (n--)
		sink += n;
}
__attribute__((constructor)) static void before(void)
{
	spin(60000000);
	sink++; /* no tail call here */
}
__attribute__((noinline)) int work(int argc)
{
	spin(120000000ul + (unsigned long)argc);
	return sink == 0;
}
int main(int argc, char **argv)
{
	(void)argv;
	return work(argc);
}
EOF
${CC:-cc} -O2 -o "$tmp/tail" "$tmp/tail.c" || exit 99
objdump -d "$tmp/tail" --no-show-raw-insn 2>/dev/null |
	sed -n '/<main>:/,/^$/p' | grep -q 'jmp.*<work>' ||
	skip_all "this compiler made no tail call of main"

"$cpprof" run -q -o "$tmp/data" -- "$tmp/tail"
is $? 0 "a program whose main is a jump runs"
out=$("$cpprof" report --format=paper --down=main --threshold=0.02 "$tmp/data")
# Two thirds of its work: a machine that others slow down now and then is not held
# to that in time.
like "$out" '^0\.[4-8][0-9]+ \(main work\) ' "main stands before what it became"
unlike "$out" 'before' "the constructor is not below main"
out=$("$cpprof" report --format=paper --function --threshold=0.02 "$tmp/data")
like "$out" '^0\.[1-5][0-9]+ before ' "the constructor has its own time"

strip -o "$tmp/stripped" "$tmp/tail"
"$cpprof" run -q -o "$tmp/data" -- "$tmp/stripped"
out=$("$cpprof" report --format=paper --down=main --threshold=0.02 "$tmp/data")
like "$out" '^0\.[4-8][0-9]+ \(main\) ' "main is found in the stripped program"
like "$out" '^0\.[4-8][0-9]+ \(main stripped\+0x[0-9a-f]+\) ' \
	"and what it became stands below it"

# A main that jumps into a library.
sed -n '/^static volatile/,/^int main/p' "$tmp/tail.c" | sed '/^int main/d' \
	>"$tmp/lib.c"
{
	echo 'int work(int argc);'
	sed -n '/^int main/,$p' "$tmp/tail.c"
} >"$tmp/prog.c"
if ${CC:-cc} -O2 -fPIC -shared -o "$tmp/libwork.so" "$tmp/lib.c" &&
	${CC:-cc} -O2 -o "$tmp/prog" "$tmp/prog.c" "$tmp/libwork.so" \
		-Wl,-rpath,"$tmp"; then
	"$cpprof" run -q -o "$tmp/data" -- "$tmp/prog"
	"$cpprof" export --format=folded "$tmp/data" >"$tmp/folded"
	if grep -q __libc_start_call_main "$tmp/folded"; then
		like "$(cat "$tmp/folded")" \
			'^_start;.*__libc_start_call_main;main;work;spin ' \
			"main stands before what it became in a library"
	else
		skip 1 "libc's start code has no names here (libc6-dbg)"
	fi
else
	skip 1 "cannot compile a library"
fi

# What ends the program is called from main's place too, in a static program by
# the same module.
sed 's/int main(/#include <stdlib.h>\nstatic void bye(void) { spin(60000000); sink++; }\n&/
	s/(void)argv;/& atexit(bye);/' "$tmp/tail.c" >"$tmp/ends.c"
for how in -static -static-pie; do
	if ! ${CC:-cc} -O2 $how -o "$tmp/ends" "$tmp/ends.c" 2>"$tmp/log"; then
		skip 2 "no $how"
		continue
	fi
	"$cpprof" run -q -o "$tmp/data" -- "$tmp/ends"
	out=$("$cpprof" report --format=paper --down=main --threshold=0.02 "$tmp/data")
	like "$out" ' \(main work\) ' "$how: main stands before what it became"
	unlike "$out" 'main exit|bye' "$how: but not before exit"
done
done_testing
