#!/bin/sh
# Source lines and instructions against what a program does at each line, and
# against another disassembler; files that are gone, changed or hostile.
. "$(dirname "$0")/../../lib/lib.sh"

needs cc
can_profile || skip_all "cannot sample here: $why"
cd "$tmp" || exit 99

# Every page is touched once, at a line that says so.
cat >touch.c <<'END_C'
#include <stdio.h>
#include <sys/mman.h>
#define PAGE 4096
#define N 200
#define DEEP 60
static inline __attribute__((always_inline)) void in(char *p)
{
	*(volatile char *)p = 1; /* INLINED */
}
__attribute__((noinline)) static void deep(char *p, unsigned n)
{
	*(volatile char *)p = 1; /* DEPTH */
	if (n > 1)
		deep(p + PAGE, n - 1); /* AGAIN */
	__asm__ volatile(""); /* no tail call */
}
__attribute__((noinline)) static void touch(char *p)
{
	for (unsigned i = 0; i < N; i++)
		((volatile char *)p)[i * PAGE] = 1; /* OWN */
	for (unsigned i = 0; i < N; i++)
		in(p + (N + i) * PAGE); /* CALL */
	deep(p + 2 * N * PAGE, DEEP); /* BELOW */
	puts("touched");
}
int main(void)
{
	size_t size = (2 * N + DEEP) * PAGE;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || madvise(p, size, MADV_NOHUGEPAGE))
		return 1;
	touch(p);
	return 0;
}
END_C
printf '/* \033[31mred\033[0m */\n' >>touch.c
mkdir build
cp touch.c build/touch.c
(cd build && cc -O2 -g -o ../touch "$tmp/build/touch.c") ||
	skip_all "cc -O2 -g does not work"
data=data
for try in 1 2 3 4 5; do # an ordinary user's ring is small
	"$cpprof" run -q -r pagefaults:1 -o data -- ./touch >/dev/null 2>err ||
		skip_all "page faults cannot be sampled here: $(head -n 1 err)"
	lost=$(of pagefaults lost_samples)
	[ "$lost" -gt 0 ] || break
done

# line MARK: its number
line() {
	grep -n "/\* $1 " touch.c | cut -d : -f 1
}

# figures F MARK: "total self" at that line of F
figures() {
	"$cpprof" list "$1" data -f csv |
		awk -F, -v line="$(line "$2")" '$6 == line { print $9, $10 }'
}

# about GOT WANTED WHAT: as WANTED, but for two faults that the kernel took
about() {
	if [ "$lost" -gt 0 ]; then
		skip 1 "$lost samples are lost"
		return
	fi
	awk -v got="$1" -v wanted="$2" 'BEGIN {
		n = split(got, g); m = split(wanted, w)
		for (i = 1; i <= m; i++)
			if (g[i] - w[i] > 2 || w[i] - g[i] > 2)
				bad = 1
		exit bad || n != m }'
	ok $? "$3 ($1)"
}

about "$(figures touch OWN)" "200 200" "what a line does itself is its self"
about "$(figures touch CALL)" "200 0" "an inlined call is a call"
about "$(figures in INLINED)" "200 200" "and has its own lines"
about "$(figures touch BELOW)" "60 0" "what a line calls is in its total"
about "$(figures deep DEPTH)" "60 60" "recursion: self at each depth"
about "$(figures deep AGAIN)" "59 0" "recursion: a sample counts once per line"

# self_sum CSV: of column $2 the sum
csv() {
	"$cpprof" "$@" data -f csv
}
is "$(csv list touch | awk -F, 'NR > 1 { n += $10 } END { print n }')" \
	"$(csv report --body -r pagefaults -t 0 | awk -F, '$3 == "\"touch\"" { print $6 }')" \
	"the selves of lines add up to the body"
is "$("$cpprof" list touch data --contains deep -f csv |
	awk -F, -v line="$(line OWN)" '$6 == line' | wc -l)" 0 \
	"filters leave lines out"

out=$("$cpprof" list touch data)
like "$out" "^ +[0-9.]+ % +[0-9.]+ % +$(line OWN) +\(\(volatile" \
	"the text stands behind the figures"
unlike "$out" "mmap" "what is far from a figure is not shown"
"$cpprof" list main data --all >all
like "$(cat all)" '\\x1b\[31mred' "control characters of a source are escaped"
is "$(grep -c "$(printf '\033')" all)" 0 "and none is left"
is "$("$cpprof" list touch data --format=json | python3 -c '
import json, sys
p = json.load(sys.stdin)
print(p["profile"], p["entries"][0]["function"], sum(
    l["self"] for l in p["entries"][0]["lines"]) == p["entries"][0]["self"])' \
	2>&1)" "list touch True" "JSON" 

for form in '' --asm; do
	"$cpprof" list $form touch data -f json |
		"$top_builddir/t/lib/check_schema" \
			"$top_srcdir/man/cpprof-profile.schema.json" --closed >said
	is "$?" 0 "JSON${form:+ of instructions} is as the schema says"
done

# instructions: the same as another disassembler's, and they add up
if command -v objdump >/dev/null; then
	objdump -d --no-show-raw-insn touch | awk '
		/^[0-9a-f]+ <touch>:/ { on = 1; next }
		/^$/ { on = 0 }
		on { sub(":", "", $1); print $1, $2 }' >theirs
	csv list --asm touch | tail -n +2 | awk -F, '{
		gsub(/"/, "", $6); sub("0x", "", $5); split($6, w, " ")
		print $5, w[1] }' >ours
	is "$(cut -d ' ' -f 1 ours)" "$(cut -d ' ' -f 1 theirs)" \
		"instructions begin where objdump has them"
	# a suffix of its size more or less; xchg %ax,%ax is a nop
	is "$(paste -d ' ' ours theirs | awk '
		$2 != $4 && $2 !~ "^" $4 "[lqwb]$" && $2 !~ /^nop/')" "" \
		"and are the same"
else
	skip 2 "no objdump"
fi
asm=$(csv list --asm touch)
about "$(printf '%s\n' "$asm" | awk -F, 'NR > 1 { n += $(NF - 1) } END { print n + 0 }')" 400 \
	"the instructions have the samples of the function and what is inlined"
like "$("$cpprof" list --asm touch data)" 'call[q ].* deep' "calls have names"
like "$("$cpprof" list --asm touch data)" 'puts' "also those by the linkage table"
like "$("$cpprof" list --asm touch data)" "touch.c:$(line OWN)" \
	"instructions stand below their lines"
"$cpprof" shell -c 'disasm touch' data >one
"$cpprof" list --asm touch data >two
is "$(cat one)" "$(cat two)" "disasm is list --asm"
# A function that calls another at its end has no frame, and no sample inside.
cat >tail.c <<'END_C'
#include <stdlib.h>
__attribute__((noinline)) static void leaf(volatile char *p, int n)
{
	while (n--)
		p[n * 4096L] = 1;
}
__attribute__((noinline)) void leads(char *p, int n)
{
	leaf(p, n * 2);
}
int main(void)
{
	leads(malloc(400 * 4096L), 200);
	return 0;
}
END_C
cc -O2 -fno-ipa-cp -fno-ipa-sra -o tail tail.c 2>/dev/null &&
	"$cpprof" run -q -r pagefaults:1 -o tailed -- ./tail 2>err
if "$cpprof" report -t 0 tailed 2>/dev/null | grep -q 'leads'; then
	like "$("$cpprof" list --asm leads tailed)" \
		"^note: no sample is inside; a tail call leaves none$" \
		"an empty list says why"
else
	skip 1 "no such call is seen here"
fi
like "$("$cpprof" shell -c 'disasm in' data 2>&1)" "'list' shows its lines$" \
	"what is inlined has lines, in the shell, too"

# sources that are elsewhere, or newer
mkdir moved
mv build/touch.c moved/touch.c
out=$("$cpprof" list touch data)
like "$out" "no source: .*build/touch.c: No such file" "a source that is gone: where it was"
like "$out" "^ +[0-9.]+ % +[0-9.]+ % +$(line OWN)\$" "lines without text"
like "$("$cpprof" list touch data --source-path=moved)" "OWN" "--source-path"
like "$("$cpprof" shell -c "set source-path $tmp/moved; list touch" data)" "OWN" \
	"set source-path"
like "$("$cpprof" list touch data -s "$tmp/build")" "not below $tmp/build, " \
	"where it was looked for is said"
touch -d '+1 hour' moved/touch.c
like "$("$cpprof" list touch data -s moved)" "newer" "a newer source is told"
rm moved/touch.c && mkfifo moved/touch.c
like "$(timeout -k 1 20 "$cpprof" list touch data -s moved)" "no source" \
	"a pipe is no source"
rm moved/touch.c

# another file in its place
out=$("$cpprof" list --asm touch.c data 2>&1)
like "$out" "no function 'touch.c'" "a wrong name"
cp touch.c build/touch.c
(cd build && cc -O1 -g -o ../touch "$tmp/build/touch.c")
out=$("$cpprof" list touch data 2>&1)
is "$?" 1 "a file that was built anew is refused"
like "$out" "build id: not the file that ran" "and why"
like "$out" "^hint: " "and what to do"
out=$("$cpprof" list --asm touch data 2>&1)
is "$?" 1 "also for instructions"
rm touch
"$cpprof" list touch data >out 2>err
is "$?" 0 "without the file there are lines"
out=$("$cpprof" list --asm touch data 2>&1)
is "$?" 1 "but no instructions"
like "$out" "touch: open: No such file" "and it says which file"

# debug information that comes later
if command -v objcopy >/dev/null; then
	(cd build && cc -O2 -g -o ../touch "$tmp/build/touch.c")
	objcopy --only-keep-debug touch touch.debug &&
		strip --strip-debug touch &&
		objcopy --add-gnu-debuglink=touch.debug touch
	mv touch.debug kept
	"$cpprof" run -q -r pagefaults:1 -o late -- ./touch >/dev/null
	lost=$("$cpprof" report -f json -r pagefaults --body late |
		sed 's/.*"lost_samples":\([0-9]*\).*/\1/')
	"$cpprof" list touch late >/dev/null 2>&1
	is "$?" 1 "a debug file that is not there"
	mv kept touch.debug
	out=$("$cpprof" list touch late -f csv)
	late() {
		printf '%s\n' "$out" |
			awk -F, -v line="$(line "$1")" '$6 == line { print $9, $10 }'
	}
	about "$(late OWN)" "200 200" "and then is: lines are looked up"
	about "$(late CALL)" "200 200" "an inlined call is the line that makes it"
	like "$("$cpprof" list touch late)" "looked up now" "and it says so"
	like "$("$cpprof" list touch late -f json)" '"late":true' "in JSON, too"
else
	skip 5 "no objcopy"
fi

# no debug information
(cd build && cc -O2 -o ../touch "$tmp/build/touch.c")
"$cpprof" run -q -r pagefaults:1 -o bare -- ./touch >/dev/null
out=$("$cpprof" list touch bare 2>&1)
is "$?" 1 "no debug information: no lines"
like "$out" "no source line is known" "and it says so"
like "$out" "^hint: build touch with -g" "and what to do"
like "$("$cpprof" list --asm touch bare)" "no debug information was found" \
	"instructions need none"
strip touch && "$cpprof" run -q -r pagefaults:1 -o stripped -- ./touch >/dev/null
out=$("$cpprof" list main stripped 2>&1)
is "$?" 1 "stripped: no lines"
like "$out" "no source line is known" "and it says so"
like "$("$cpprof" list --asm main stripped)" "call" "stripped: main has instructions"

# generated code
if "$cpprof" run -q -r cpu:1ms -o jit -- "$samples/jit" >/dev/null 2>&1; then
	f=$("$cpprof" report --body -f csv jit | awk -F, '
		$10 ~ /anon/ { gsub(/"/, "", $3); print $3; exit }')
	if [ -n "$f" ]; then
		out=$("$cpprof" list "$f" jit 2>&1)
		like "$out" "generated" "generated code has no source ($f)"
	else
		skip 1 "no generated code was sampled"
	fi
else
	skip 1 "samples/jit cannot be profiled"
fi
done_testing
