#!/bin/sh
# cpprof diff: what changed is found where it was made, and the gate's status.
. "$(dirname "$0")/../lib/lib.sh"

# changes FILES...: the lines of paths and functions, without decimals and modules
changes() {
	"$cpprof" diff --format=csv "$@" >"$tmp/csv" || echo "status $?"
	sed 's/\.[0-9]*//g; s/,[^,]*$//' "$tmp/csv"
}

# A loop that allocates 3 times, and once more; io does 40 whatever comes.
for i in 1 2; do
	printf '%s\n' 'main;loop;malloc 3' 'main;io;write 40' | counted "$tmp/base.$i"
done
printf '%s\n' 'main;loop;malloc 4' 'main;io;write 40' | counted "$tmp/head"
is "$(changes "$tmp/base.1" "$tmp/base.2" -- "$tmp/head")" \
	'kind,path,before,after,change,low,high,verdict,resource
total,"",43,44,1,1,1,exact,"samples"
path,"main;loop;malloc",3,4,1,1,1,exact,"samples"
function,"malloc",3,4,1,1,1,exact,"samples"' "one more allocation in a loop, exactly"
like "$("$cpprof" diff "$tmp/base.1" "$tmp/base.2" -- "$tmp/head")" \
	'^ +3 +4 +\+1 +\+2.3 %   main > loop > malloc$' "for people"
cp "$tmp/base.1" "$tmp/base.3"
is "$(changes "$tmp/base.1" "$tmp/base.2" -- "$tmp/base.3")" \
	'kind,path,before,after,change,low,high,verdict,resource
total,"",43,43,0,0,0,same,"samples"' "the same"
like "$("$cpprof" diff "$tmp/base.1" "$tmp/head")" \
	'^one run a side: the count is exact, but runs vary: give 3 a side$' "one run a side"

# Means are shown to a tenth, and a change is what they differ by.
echo 'main;a 50' | counted "$tmp/odd.1"
echo 'main;a 51' | counted "$tmp/odd.2"
cp "$tmp/odd.2" "$tmp/odd.3"
cp "$tmp/odd.2" "$tmp/odd.4"
like "$(COLUMNS=200 "$cpprof" diff "$tmp/odd.1" "$tmp/odd.2" -- "$tmp/odd.3" "$tmp/odd.4")" \
	'^samples .*: 50\.5 a run .*: 51 a run   \+0\.5, \+1\.0 %' "means that are not whole"

# Of 10 more, 6 in one callee and 4 in another: no one has 80 %.
for i in 1 2; do
	printf '%s\n' 'main;f;a 100' 'main;f;b 100' | counted "$tmp/base.$i"
done
printf '%s\n' 'main;f;a 106' 'main;f;b 104' | counted "$tmp/head"
is "$(changes "$tmp/base.1" "$tmp/base.2" -- "$tmp/head" |
	sed -n 's/^path,"\([^"]*\)",[0-9]*,[0-9]*,\([0-9]*\),.*/\1 \2/p')" \
	'main;f 10
main;f;a 6
main;f;b 4' "a change is at the innermost path with 80 % of it"
# Of 10 more, 9 in one: it is that one's, and the other's.
printf '%s\n' 'main;f;a 109' 'main;f;b 101' | counted "$tmp/head"
is "$(changes "$tmp/base.1" "$tmp/base.2" -- "$tmp/head" |
	sed -n 's/^path,"\([^"]*\)",[0-9]*,[0-9]*,\([0-9]*\),.*/\1 \2/p')" \
	'main;f;a 9
main;f;b 1' "and not at those before it"

# f has 10 more in every run; a has the 10, but f's callees vary by more.
for i in 0 20 40; do
	printf '%s\n' "main;f;a $((30 + i))" "main;f;b $((70 - i))" |
		counted "$tmp/vary.$i"
	printf '%s\n' "main;f;a $((40 + i))" "main;f;b $((70 - i))" |
		counted "$tmp/more.$i"
done
is "$(changes "$tmp"/vary.* -- "$tmp"/more.* | sed 's/.*verdict.*//;/^$/d')" \
	'total,"",100,110,10,10,10,exact,"samples"
path,"main;f",100,110,10,10,10,exact,"samples"
function,"f",100,110,10,10,10,exact,"samples"' \
	"a callee within noise does not hide its caller's change"

# A function of another name with the same caller and nearly the same weight.
printf '%s\n' 'main;f;a 100' 'main;f;renamed 95' | counted "$tmp/head"
like "$("$cpprof" diff "$tmp/base.1" "$tmp/base.2" -- "$tmp/head")" \
	'^ +100 +95 +-5 +-2.5 %   main > f > b -> renamed$' "a renamed function"
printf '%s\n' 'main;f;a 100' 'main;f;other 50' | counted "$tmp/head"
unlike "$("$cpprof" diff "$tmp/base.1" "$tmp/base.2" -- "$tmp/head")" ' -> ' \
	"not one of another weight"
printf '%s\n' 'main;f;a 3000' 'main;f;b 100' | counted "$tmp/head"
printf 'main;f;b 2\n' | counted "$tmp/less"
like "$("$cpprof" diff "$tmp/less" "$tmp/head")" \
	'^ +0 +3 000 +\+3 000 +\+150000 %   main > f > a$' "a change of a thousand times has its column"
# The same file has the same names.
if command -v cc >/dev/null && can_profile; then
	cat >"$tmp/same.c" <<'X'
#include <time.h>
#define SPIN for (start = clock(); clock() - start < CLOCKS_PER_SEC / 10;)
static clock_t start;
__attribute__((noinline)) void north(void) { SPIN; }
__attribute__((noinline)) void south(void) { SPIN; }
int main(int argc, char **argv) { argc > 1 ? south() : north(); }
X
	cc -O1 -Wl,--build-id -o "$tmp/same" "$tmp/same.c" || exit 99
	"$cpprof" run -q -r cpu -o "$tmp/north" -- "$tmp/same" 2>/dev/null
	"$cpprof" run -q -r cpu -o "$tmp/south" -- "$tmp/same" 1 2>/dev/null
	unlike "$("$cpprof" diff "$tmp/north" "$tmp/south")" ' -> ' "nor in the same file"
else
	skip 1 "no cc, or ${why:-}"
fi
# Generated code moves in its file, and its file in folders; what has no name is where
# it is.
generated() {
	sed 's/ \([0-9]*\)$/;\1/' | awk -F';' '{
		for (i = 0; i < $NF; i++) {
			print "node 1 1.0: 1 samples:"
			for (f = NF - 1; f; f--)
				printf "\t%x %s (/tmp/perf-1.map)\n", 4096 * f, $f
			print ""
		}
	}' | "$cpprof" import -q --from=perf -o "$1" - || exit 99
}
for i in 1 2; do
	printf '%s\n' 'JS:*main /old/a.js:9:1;JS:*mix /old/a.js:2:13 100' \
		'JS:*main /old/a.js:9:1;JS:* /old/a.js:4:9 10' \
		'JS:*main /old/a.js:9:1;JS:* /old/a.js:5:9 20' | generated "$tmp/base.$i"
done
printf '%s\n' 'JS:*main /new/a.js:12:1;JS:*mix /new/a.js:5:13 40' \
	'JS:*main /new/a.js:12:1;JS:~ /new/a.js:4:9 10' \
	'JS:*main /new/a.js:12:1;JS:* /new/a.js:6:9 40' | generated "$tmp/head"
is "$(changes "$tmp/base.1" "$tmp/base.2" -- "$tmp/head" | sed -n 's/^function,//p' | sort)" \
	'"JS: /new/ajs:6:9",0,40,40,40,40,exact,"samples"
"JS: /old/ajs:5:9",20,0,-20,-20,-20,exact,"samples"
"JS:main /old/ajs:9:1",130,90,-40,-40,-40,exact,"samples"
"JS:mix /old/ajs:2:13",100,40,-60,-60,-60,exact,"samples"' \
	"a function of generated code is one wherever its file has it"

# Recursion: f's total is 100 in all, whichever way it calls itself.
for i in 1 2; do
	printf '%s\n' 'main;f;f;f 60' 'main;f 40' | counted "$tmp/base.$i"
done
printf '%s\n' 'main;f;f;f 70' 'main;f 40' | counted "$tmp/head"
is "$(changes "$tmp/base.1" "$tmp/base.2" -- "$tmp/head" |
	sed -n 's/^function,//p')" '"f",100,110,10,10,10,exact,"samples"' \
	"recursion is counted "$tmp/once""

# The gate: of +10 per run
gate() { # STATUS COND WHAT [OPTIONS...]
	wanted=$1 cond=$2 what=$3
	shift 3
	"$cpprof" diff --fail-if "$cond" "$@" "$tmp/base.1" "$tmp/base.2" -- \
		"$tmp/head" >"$tmp/out" 2>&1
	is "$?" "$wanted" "$what"
}
name=$("$cpprof" diff -f json "$tmp/base.1" "$tmp/head" |
	sed 's/.*"resource":"\([^"]*\)".*/\1/')
gate 1 "$name > 0" "any growth"
like "$(cat "$tmp/out")" "^$name: yes: \\+10 a run, exactly, limit 0\$" "why"
gate 1 "$name > 9%" "10 % is more than 9 %"
gate 0 "$name > 10" "10 is not more than 10"
gate 0 "$name > 10 %" "nor 10 % than 10 %"
gate 1 "$name>5" "of a function" --path=f
gate 0 "$name > 10" "of a path" "--path=main > f"
gate 2 "$name > 0" "of a function that there is not" --path=nosuch
gate 2 "nosuch > 0" "of a resource that there is not"
like "$(cat "$tmp/out")" "^hint: it has: $name" "which names those there are"
gate 2 "cpu" "no condition"
gate 1 "$name >= 10" "10 is 10 or more"
gate 0 "$name >= 10.5" "and not 10.5"
gate 0 "$name >= 11%" "nor is it 11 %"
gate 2 "$name > 5ms" "an amount of another unit"
like "$(cat "$tmp/out")" "^cpprof: 5ms: fail-if: no amount of $name" "is said"
"$cpprof" diff --fail-if "$name > 0" "$tmp/base.1" "$tmp/head" >"$tmp/out"
is $? 1 "one run a side will do where every event is counted"
like "$(cat "$tmp/out")" "^$name: yes: \+10 a run, exactly, of one run a side, limit 0$" \
	"and is named"
gate 1 "$name > 0" "as JSON" --format=json --path=f
is "$("$top_builddir/t/lib/check_schema" "$top_srcdir/man/cpprof-profile.schema.json" \
	--closed <"$tmp/out"; sed 's/.*"path":\("f","verdict":"yes"\).*/\1/' "$tmp/out")" \
	'1
"f","verdict":"yes"' "of the schema"
gate 1 "$name > 0" "as CSV" --format=csv
like "$(cat "$tmp/out")" '^gate,conditions,"1",verdict,"yes",$' "a value a line"

# Times have units, and noise.
clock() { # FILE MS [N]: samples of 1 ms, of N functions
	awk -v n="$2" -v of="${3:-1}" 'BEGIN {
		for (i = 1; i <= n; i++)
			printf "prog 7/7 [000] %.6f: 1000000 cpu-clock:\n" \
				"\t1000 f%s (/prog)\n\n", i / 1000, (of > 1 ? i % of : "")
	}' >"$tmp/perf"
	"$cpprof" import -q --from=perf -o "$1" "$tmp/perf"
}
clock "$tmp/a" 100
clock "$tmp/b" 103
clock "$tmp/c" 200
timed() { # STATUS COND WHAT FILE...
	wanted=$1 cond=$2 what=$3
	shift 3
	"$cpprof" diff --fail-if "$cond" "$@" >"$tmp/out" 2>&1
	is "$?" "$wanted" "$what"
}
timed 2 "cpu-clock > 5" "a time without unit" "$tmp/a" "$tmp/b"
like "$(cat "$tmp/out")" "^cpprof: 5: fail-if: cpu-clock needs a unit" "which is said"
like "$(cat "$tmp/out")" "^hint: say for instance 'cpu-clock > 5ms'" "with the way out"
timed 3 "cpu-clock > 5ms" "one run a side of samples: inconclusive" "$tmp/a" "$tmp/c"
cp "$tmp/a" "$tmp/a2"
cp "$tmp/b" "$tmp/b2"
timed 1 "wall > 5ms" "the wall clock" "$tmp/a" "$tmp/a2" -- "$tmp/c"
timed 0 "wall > 0" "which is the same" "$tmp/a" "$tmp/a2"
timed 2 "wall > 0" "wall of a path" --path=f "$tmp/a" "$tmp/a2"
COLUMNS=200 "$cpprof" diff "$tmp/a" "$tmp/b" -- "$tmp/a2" "$tmp/b2" >"$tmp/out"
like "$(head -n 1 "$tmp/out")" "^wall   before 2 runs: .*, within noise$|the same" \
	"the runs' own time is there, too"
like "$(sed -n 2p "$tmp/out")" "^cpu-clock   .*%, within noise$" \
	"whether the change is noise, as of the wall clock"
like "$(sed -n 3p "$tmp/out")" \
	"^the change is -.* to \+.*, 95 % sure for all [0-9]+ lines; these runs can show one of .*\) or more$" \
	"what it may be, then what could be seen"
# lines end at no blank of a figure
COLUMNS=40 "$cpprof" diff "$tmp/a" "$tmp/b" -- "$tmp/a2" "$tmp/b2" >"$tmp/out"
is "$(grep -c '[0-9]$' "$tmp/out"; grep '^  *ms' "$tmp/out")" 0 \
	"a number and its unit are in one line"
# One of thirty functions takes more time, and then another one a little more.  Three
# runs a side prove it of the one, as all vary alike, and tell of the other.
slower() { # FILE MS MORE LITTLE: samples of 30 functions, MORE of f7, LITTLE of f8
	awk -v n="$2" -v more="$3" -v little="$4" 'BEGIN {
		for (i = 1; i <= n + more + little; i++)
			printf "prog 7/7 [000] %.6f: 1000000 cpu-clock:\n\t1000 f%s (/prog)" \
				"\n\t1000 %s (/prog)\n\t1000 main (/prog)\n\n", i / 1000, \
				(i > n + more ? 8 : i > n ? 7 : i % 30), (i % 2 ? "odd" : "even")
	}' >"$tmp/perf"
	"$cpprof" import -q --from=perf -o "$1" "$tmp/perf"
}
for i in 1 2 3; do
	slower "$tmp/quick$i" $((620 + i * 40)) 0 0
	slower "$tmp/slow$i" $((620 + i * 40)) $((260 + i * 50)) 20
done
COLUMNS=200 "$cpprof" diff "$tmp"/quick? -- "$tmp"/slow? >"$tmp/out"
like "$(sed -n '/ function, with callees$/,/^$/p' "$tmp/out" | tail -n +2)" \
	'^ *23.7 ms +384 ms +\+360 ms +\+51.4 %    \+360 ms  f7$' \
	"which of many functions changed"
like "$(cat "$tmp/out")" '^ *23.[0-9] ms +43.[0-9] ms +\+20.0 ms +\+2.9 %~  \+20.0 ms  f8$' \
	"which likely did"
is "$(sed -n '/ function, with callees$/,/^$/p' "$tmp/out" | grep -c 'f[0-9]')" 2 \
	"... and which did not"
like "$(tail -n 1 "$tmp/out")" '^~ is likely, not sure: one in a comparison may be' \
	"which is said"
unlike "$("$cpprof" diff "$tmp/quick1" "$tmp/slow1")" '~' \
	"one run a side: no change is marked, all are as unsure"
"$cpprof" diff --fail-if "$name > 0" "$tmp/base.1" "$tmp/base.2" >"$tmp/out"
is $? 0 "one run a side with the same count: no growth"
for n in 100 101 160; do
	awk -v n=$n 'function put(f) {
			print "shop 1 1.0: 1000000 cpu-clock:"
			printf "\t1000 %s+0x0 (shop)\n\t2000 main+0x0 (shop)\n\n", f
		}
		BEGIN { for (i = 0; i < 4000; i++) put(i < n ? "rare" : "often") }' |
		"$cpprof" import -q --from=perf -o "$tmp/rare$n" - || exit 99
done
unlike "$("$cpprof" diff "$tmp/rare100" "$tmp/rare101")" 'rare|often' \
	"of single runs no change that samples alone may make"
like "$("$cpprof" diff "$tmp/rare100" "$tmp/rare160")" '\+1\.5 %   main > rare' \
	"... but one that is more"

ln -s odd.1 "$tmp/link"
for runs in "odd.1 odd.1" "odd.1 odd.2 -- odd.3 odd.2" "odd.2 -- odd.1 link"; do
	# shellcheck disable=SC2086
	is "$(cd "$tmp" && "$cpprof" diff $runs 2>&1 | sed 's/^cpprof: [a-z.0-9]*//')" \
		": diff: given twice, and it is one run
hint: give each run once; the run before that in cpprofdata is in cpprofdata.old" \
		"one run is not two: $runs"
done
"$cpprof" diff "$tmp/base.1" 2>"$tmp/err"
is "$?" 2 "one file"
like "$(cat "$tmp/err")" '^hint: it is used as: cpprof diff' "how it is used"
"$cpprof" diff "$tmp/base.1" -- "$tmp/nosuch" 2>"$tmp/err"
is "$?" 2 "a file that there is not"
"$cpprof" diff --format=paper "$tmp/base.1" "$tmp/head" 2>"$tmp/err"
is "$?" 2 "a format that diffs do not have"
if command -v jq >/dev/null; then
	is "$("$cpprof" diff -f json "$tmp/base.1" "$tmp/base.2" -- "$tmp/head" |
		jq -c '[.version, .total.change + 0, .total.verdict,
			.paths[0].path[0].function]')" \
		'[1,10,"exact","main"]' "JSON"
else
	skip 1 "no jq"
fi

# Two programs that each have a main, one within the other at times: the paths of
# both, each path's figures against sums over the stacks.
two_mains() { # FILE SEED: of random stacks; sums by program and name in FILE.sums
	awk -v seed="$2" -v sums="$1.sums" 'BEGIN {
		srand(seed)
		for (s = 0; s < 60; s++) {
			n = split("_start:" (a = rand() < .5 ? "a" : "b"), f, " ")
			f[++n] = "main:" a
			for (k = 0; k < 6; k++)
				if (rand() < .5)
					f[++n] = "f" k ":" (k % 2 ? "a" : a)
			if (rand() < .3) {
				f[++n] = "main:" (a == "a" ? "b" : "a")
				f[++n] = "f7:b"
			}
			stack = ""
			for (i = n; i; i--) {
				split(f[i], p, ":")
				stack = stack sprintf("\t%x %s+0x1 (/%s)\n", 16 + i, p[1], p[2])
			}
			w = 1 + int(rand() * 500)
			for (i = 0; i < w; i++)
				printf "x 1/1 %d.0: 1 cpu:\n%s\n", s, stack
			names = modules = ""
			for (i = 2; i <= n; i++) {
				split(f[i], p, ":")
				names = names (i > 2 ? ";" : "") p[1]
				modules = modules (i > 2 ? ";" : "") p[2]
				sum[names " " modules] += w
			}
		}
		for (path in sum)
			print path, sum[path] >sums
	}' >"$1.txt"
	"$cpprof" import -q --from=perf -o "$1" "$1.txt"
}
two_mains "$tmp/two.a" 1
two_mains "$tmp/two.b" 2
"$cpprof" diff -n all -t 0 --root=main -f csv "$tmp/two.a" "$tmp/two.b" |
	awk -F, '$1 == "path" { print $2, $10, $3, $4 }' | tr -d '"' >"$tmp/listed"
is "$(cut -d' ' -f1,2 "$tmp/listed" | sort | uniq -d)" "" "two roots: no path twice"
is "$(awk 'FILENAME ~ /sums$/ { sum[FILENAME, $1, $2] = $3; next }
	{
		n[substr($2, 1, 1)]++
		if (sum[a, $1, $2] + 0 != $3 || sum[b, $1, $2] + 0 != $4)
			print "# " $0
	}
	END { print (n["a"] > 20), (n["b"] > 20) }' a="$tmp/two.a.sums" b="$tmp/two.b.sums" \
	"$tmp/two.a.sums" "$tmp/two.b.sums" "$tmp/listed")" "1 1" \
	"... each with the sums of its stacks"
is "$(for side in a b; do
	awk '$1 == "main" { n += $3 } END { print n }' "$tmp/two.$side.sums"
done | tr '\n' ' ')" "$("$cpprof" diff --root=main -f csv "$tmp/two.a" "$tmp/two.b" |
	awk -F, '$1 == "total" { print $3 " " $4 " " }')" "... and all of them"

# Long work says how far it is, on a terminal alone.  How many runs are long
# depends on the machine.
"$top_builddir/t/lib/make_big" "$tmp/few" 20000 2000 30 >"$tmp/log" || exit 99
rc=0
copies=0
for n in 20 80 320; do
	while [ $copies -lt $n ]; do
		copies=$((copies + 1))
		cp "$tmp/few" "$tmp/few.a$copies"
		cp "$tmp/few" "$tmp/few.b$copies"
	done
	TERM=xterm "$top_builddir/t/lib/pty" 24 100 "$cpprof" diff \
		"$tmp"/few.a* -- "$tmp"/few.b* </dev/null >"$tmp/raw" 2>"$tmp/err"
	rc=$?
	[ $rc -eq 0 ] && ! grep -q 'cpprof: ' "$tmp/raw" || break
done
if [ $rc -eq 77 ]; then
	skip 3 "no terminals to be had"
else
	out=$(tr '\r' '\n' <"$tmp/raw" | sed 's/\x1b\[K/<WIPED>/g')
	like "$out" '^<WIPED>cpprof: [a-z ]+: [0-9]' "long work on a terminal"
	like "$out" '^<WIPED>wall   before' "is wiped before the answer"
	"$cpprof" diff "$tmp"/few.a* -- "$tmp"/few.b* 2>"$tmp/err" | cat >"$tmp/out"
	is "$(cat "$tmp/err")$(grep -c 'cpprof: ' "$tmp/out")" 0 \
		"and not told in a pipe"
fi

# Time that all threads have at once is more of more threads.
crowd() { # THREADS MS RESOURCE: into $tmp/crowd.THREADS
	{
		echo "# resource $3: gtick us; interval 1000; hits 9; samples 9; in samples 9"
		for i in $(seq "$1"); do
			printf 'x 1/%d %d.0: %d000 %s:\n\t10 wait (/bin/x)\n\t20 main (/bin/x)\n\n' \
				"$i" "$i" "$2" "$3"
		done
	} | "$cpprof" import -q --from=perf -o "$tmp/crowd.$1" -
}
for resource in real cpu; do
	crowd 1 4000 $resource
	crowd 3 4000 $resource
	COLUMNS=200 "$cpprof" diff "$tmp/crowd.1" "$tmp/crowd.3" |
		grep "sum of its threads" >"$tmp/said"
	[ $resource = real ] && sums="each is the sum of its threads: 1 before, 3 after" || sums=
	is "$(cat "$tmp/said")" "$sums" "$resource of more threads"
done

done_testing
