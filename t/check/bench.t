#!/bin/sh
# The benchmark's own parts: what it makes of what the other tools print, its
# tables and JSON, and that the script runs through.  No time is judged.
. "$(dirname "$0")/../lib/lib.sh"

scripts=$top_srcdir/bench
programs=$top_builddir/bench
tab=$(printf '\t')

# callgrind_annotate
got=$(awk -f "$scripts/callgrind.awk" <<'END'
--------------------------------------------------------------------------------
Ir                      file:function
--------------------------------------------------------------------------------
3,860,014,168 (100.0%)  PROGRAM TOTALS

1,938,138,411 (50.21%)  /src/fig1.c:b [/usr/bin/fig1]
   16,603,400 ( 0.43%)  ./libio/vsnprintf.c:__vsnprintf_internal [/usr/lib/libc.so.6]
    1,500,000 ( 0.04%)  ???:0x00000000001cd020 [/usr/bin/perl]
      900,000 ( 0.02%)  tree.cc:ns::tree::walk(int)'2 [/usr/bin/tree]
END
)
is "$got" "50.21${tab}b${tab}fig1
0.43${tab}__vsnprintf_internal${tab}libc.so.6
0.04${tab}0x00000000001cd020${tab}perl
0.02${tab}ns::tree::walk(int)${tab}tree" 'callgrind_annotate is read'

# perf script: whole, whole in a stripped program, cut, in the kernel alone
got=$(awk -v starts='^(_start|clone3)$' -f "$scripts/whole.awk" <<'END'

	            139c c
	           27304 __libc_start_main@@GLIBC_2.34
	            1210 _start

	ffffffff81000130 entry_SYSCALL_64_after_hwframe
	           f82ad read
	           27304 __libc_start_main@@GLIBC_2.34
	            4450 [unknown]

	            593b [unknown]
	            32fd [unknown]

	ffffffff81000130 entry_SYSCALL_64_after_hwframe

	           89fcd start_thread
	          10afcc clone3

	            139c cut_off_here
END
)
is "$got" 75.00 'the share of whole stacks in perf script'

got=$(awk -f "$scripts/uftrace.awk" <<'END'
# Function Call Graph for 'c' (session: f0b4b4908d378d49)
=============== BACKTRACE ===============
 backtrace #0: hit 2000, time 900.000 ms
   [0] main (0x56110c07d1cf)
   [1] b (0x56110c07d4ef)
   [2] c (0x56110c07d40f)

 backtrace #1: hit 200, time   2.700  s
   [0] main (0x56110c07d1cf)
   [1] a (0x56110c07d49f)
   [2] c (0x56110c07d40f)

========== FUNCTION CALL GRAPH ==========
    3.082  s : (2200) c
    1.000  s :  +-(2200) a
END
)
is "$got" 75 'uftrace graph is read, with its units'

# gperftools: a header, records of 5 and 7 samples, the end, text
got=$(printf '%s\n' 0 3 0 1000 0 5 2 4096 1 7 1 8192 0 1 0 77 88 |
	awk -f "$scripts/gperftools.awk")
is "$got" 12 'samples of a gperftools profile'

got=$(printf '%s' '{"entries":[{"path":["a\"b"],"hits":2,"fraction":0.5},
{"path":["c"],"hits":1,"fraction":0.25}],"weight":1}' |
	awk -f "$scripts/entries.awk")
is "$got" "50${tab}a\"b${tab}
25${tab}c${tab}" 'entries of a profile in JSON'

# Distortion by hand: |60-50| + |40-30| + 20 for what is in one alone; names
# of clones, versions, processors and modules are brought together.
printf '%s\t%s\t%s\n' 60 f.isra.0 prog 30 memcpy@@GLIBC_2.14 libc.so.6 \
	10 '__memmove_avx_unaligned_erms' libc.so.6 >"$tmp/a"
printf '%s\t%s\t%s\n' 50 f prog 30 memcpy libc.so.6 20 g prog >"$tmp/b"
got=$(awk -F '\t' -v kind=body -f "$scripts/distortion.awk" "$tmp/a" "$tmp/b")
is "$got" 40 'distortion of two profiles'
got=$(awk -F '\t' -v kind=body -f "$scripts/distortion.awk" "$tmp/a" "$tmp/a")
is "$got" 0 'distortion of a profile from itself'
printf '50\txz+0x1234\t\n20\txz+0x99\t\n' >"$tmp/a"
printf '70\t0x0000000000001234\txz\n' >"$tmp/b"
got=$(awk -F '\t' -v kind=body -f "$scripts/distortion.awk" "$tmp/a" "$tmp/b")
is "$got" 0 'functions without a name count by module'

printf '100\t_start\tprog\n100\t__libc_start_call_main\tlibc.so.6\n' >"$tmp/a"
printf '100\t0x01ab70\tld-linux-x86-64.so.2\n100\t(below main)\tlibc\n' \
	>"$tmp/b"
got=$(awk -F '\t' -v kind=function -f "$scripts/distortion.awk" \
	"$tmp/a" "$tmp/b")
is "$got" 0 'what calls main is the same for all'

# The medians and the worst
for x in 1.5:one 1.1:two 1.2:three 9:bare; do
	row=tool
	[ "${x#*:}" != bare ] || row=bare
	printf 'value\twork\t%s\t%s\twall x\t%s\t1\t2\t\t\n' "${x#*:}" "$row" \
		"${x%:*}"
done >"$tmp/results"
got=$(awk -F '\t' -v c='wall x' -v low=0 -f "$scripts/summary.awk" \
	"$tmp/results" | cut -f 4-6)
is "$got" "tool${tab}wall x${tab}1.2
tool${tab}worst wall x${tab}1.5" 'summary: median and worst, without the bare run'

# Tables: values, spread, a row that was not measured, a slope of 1
cat >"$tmp/results" <<END
fact${tab}kernel${tab}Linux <x> & "y"
title${tab}growth${tab}g${tab}cost <against> size
value${tab}growth${tab}g${tab}10${tab}wall x${tab}2${tab}1.5${tab}2.5${tab}1.5,2,2.5${tab}
value${tab}growth${tab}g${tab}100${tab}wall x${tab}20${tab}20${tab}20${tab}${tab}
value${tab}growth${tab}g${tab}1000${tab}wall x${tab}200${tab}200${tab}200${tab}${tab}
value${tab}work${tab}w${tab}tool${tab}wall x${tab}-${tab}-${tab}-${tab}${tab}it is not here
END
got=$("$programs/table" -j "$tmp/json" "$tmp/results")
ok $? 'table prints results'
like "$got" '^  10 +2\.00 \[1\.50-2\.50\]$' 'a ratio has its spread'
like "$got" '^  slope +1\.00$' 'growth has its slope'
like "$got" '^  tool +not measured: it is not here$' 'what is left out says why'
like "$(tr -d ' \n' <"$tmp/json")" '"runs":\[1\.5,2\.0,2\.5\]' 'JSON has each run'
like "$(tr -d ' \n' <"$tmp/json")" '"value":null' 'JSON has null for no value'

printf 'value\ttoo\tfew\n' >>"$tmp/results"
got=$("$programs/table" "$tmp/results" 2>&1)
is "$?" 1 'a malformed line is an error'
like "$got" 'line 7' 'and its number is named'

# pair: names, notes, ratios of the right things
cat >"$tmp/plan" <<END
bare${tab}exec '$programs/clock' true
same${tab}exec '$programs/clock' sh -c 'sleep 0.2'
fails${tab}echo no such thing >&2; exit 3
END
: >"$tmp/results"
"$programs/pair" -n 2 -r "$tmp/results" -s s -g g -d "$tmp" "$tmp/plan"
ok $? 'pair runs a plan'
like "$(cat "$tmp/results")" 'fails.wall x.-.-.-..exit status 3: no such thing' \
	'a command that fails has a note'
got=$(awk -F '\t' '$4 == "same" && $5 == "wall x" { print ($6 > 1) }' \
	"$tmp/results")
is "$got" 1 'a command that takes longer has a ratio above 1'
printf 'bare\tfalse\n' >"$tmp/plan"
"$programs/pair" -r "$tmp/results" -s s -g g -d "$tmp" "$tmp/plan" 2>/dev/null
is "$?" 1 'a base that fails is an error'

# The script
"$scripts/versus" --scale=0.5 --self-test >"$tmp/refused" 2>&1
is "$?" 2 'a scale that is no whole number is refused'
got=$("$scripts/versus" --self-test --output="$tmp/out" 2>&1)
is "$got" 'all parts are there' 'versus --self-test'
if can_profile && command -v dd >/dev/null; then
	"$scripts/versus" --parts=work --workloads=dd --peers=cpprof \
		--rates=1000 --rounds=1 --scale=1 --limit=600 \
		--output="$tmp/out" >"$tmp/table" 2>"$tmp/err"
	ok $? 'versus runs through'
	like "$(cat "$tmp/table")" '^  cpprof 1 kHz +[0-9]' \
		'its table has a row of cpprof'
	is "$(awk -F '\t' '$4 == "cpprof 1 kHz" && $6 == "-"' \
		"$tmp/out/results.tsv")" '' 'with no figure missing'
	for file in results.json table.txt; do
		ok "$([ -s "$tmp/out/$file" ]; echo $?)" "$file is there"
	done
else
	skip 6 "${why:-no dd}"
fi
done_testing
