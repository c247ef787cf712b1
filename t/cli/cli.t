#!/bin/sh
# The command line but for `cpprof run`: help, version, wrong words, files that
# are none, report, export.
. "$(dirname "$0")/../lib/lib.sh"
fixture=$top_builddir/t/lib/make_fixture
cd "$tmp" || exit 99
"$fixture" cpprofdata && "$fixture" empty empty && "$fixture" lost lost &&
	"$fixture" unfinished unfinished && "$fixture" exact exact || exit 99

# run_ ARGS...: $out, $err and $rc of cpprof
run_() {
	out=$("$cpprof" "$@" 2>"$tmp/err" </dev/null)
	rc=$?
	err=$(cat "$tmp/err")
}

fits() {
	# report has more options than a small screen has lines
	printf '%s\n' "$1" | awk -v "most=$(case $2 in report*) echo 48 ;;
		*) echo 24 ;; esac)" \
		'length > 80 { bad = 1 } END { exit bad || NR > most }'
	ok $? "$2 fits a screen"
}

run_ --help
is "$rc" 0 "--help succeeds"
fits "$out" "--help"
help=$out
run_ -h
is "$out" "$help" "-h is --help"
for s in run shell report export info help; do
	like "$help" "^  $s " "--help lists $s"
	run_ $s --help
	is "$rc" 0 "$s --help succeeds"
	like "$out" "^Usage: cpprof $s " "$s --help says how it is used"
	[ $s = report ] || fits "$out" "$s --help" # what it shows has many ways
	is "$err" "" "$s --help says nothing else"
done
run_ --version
is "$rc" 0 "--version succeeds"
like "$out" "^cpprof [0-9]" "--version gives the version"
for part in elfutils libunwind readline jansson zstd debuginfod; do
	like "$out" "^  $part +(yes|no)" "--version tells of $part"
done

run_ reprot
is "$rc" 1 "a wrong subcommand fails"
like "$err" "^cpprof: reprot: neither a subcommand nor a file" "and is named"
like "$err" "^hint: did you mean 'report'" "with the nearest"
run_ zzzzzzzzz
like "$err" "^hint: cpprof --help" "or with where to look"
run_ --reprot
is "$rc" 1 "a wrong option fails"
run_ report --threshhold=1
is "$err" "cpprof: --threshhold=1: no such option
hint: did you mean '--threshold'?" "the nearest option is proposed"
is "$rc" 1 "a wrong option of report fails"
run_ report --down
like "$err" "^cpprof: --down: missing argument" "a missing argument is told"
run_ report --threshold=2
like "$err" "^cpprof: 2: threshold: not a fraction" "a bad threshold is told"
run_ report --format=xml
is "$rc" 1 "a bad format fails"
like "$err" "json" "and lists the formats"
run_ report a b
like "$err" "^cpprof: b: one file at a time" "two files are one too many"
run_ callgraph invoice
is "$rc $err" "1 cpprof: invoice: open: No such file or directory
hint: who calls a function, and whom it calls: cpprof callgraph --around=invoice" \
	"a function is an option's of callgraph"
run_ callgraph invoice cpprofdata
is "$err" "cpprof: invoice: open: No such file or directory
hint: who calls a function, and whom it calls: cpprof callgraph --around=invoice" \
	"... also before a file"
run_ callgraph 'a b' 'x y'
like "$err" ": cpprof callgraph --around='a b' 'x y'\$" "... as a shell takes it"
run_ report nosuch
is "$rc" 1 "a missing file fails"
is "$err" "cpprof: nosuch: open: No such file or directory
hint: 'cpprof run -- PROG' writes a file named cpprofdata; -r names a resource in it" "and is told"
run_ report --resource=nosuch
is "$rc" 1 "a resource that is not in the file fails"
like "$err" "nosuch" "and is named"
like "$err" "pagefaults" "with the list of those that are"

echo "no profile, but text" >text
: >nothing
# the version's major number lies right behind the magic
{ head -c 8 cpprofdata; printf '\377\377'; tail -c +11 cpprofdata; } >newer
for s in report info export shell; do
	run_ $s text
	is "$rc" 1 "$s: a file that is no cpprofdata fails"
	like "$err" "^cpprof: text: .*[Nn]ot a cpprofdata file" "$s: and is told"
	run_ $s newer
	is "$rc" 1 "$s: a newer version fails"
	like "$err" "^cpprof: newer: .*newer" "$s: and is told"
	run_ $s nothing
	is "$rc" 1 "$s: an empty file fails"
done

run_ report empty
is "$rc" 1 "a report without samples fails"
is "$out" "" "and prints nothing"
like "$err" "^cpprof: cpu: no samples: the program used 300 us, less than the interval of 1 ms" \
	"it gives the cause"
like "$err" "^hint: take a smaller interval" "and the way out"
"$fixture" "un sampled" unsampled || exit 99
run_ report "un sampled"
like "$err" "^hint: .*: cpprof info 'un sampled'\$" \
	"where only info knows more, its command names the file"
(mkdir default && cd default && "$fixture" cpprofdata unsampled &&
	"$cpprof" report) 2>err
like "$(cat err)" "^hint: .*: cpprof info\$" "but not the one it looks at anyway"
run_ info unfinished
is "$rc" 0 "info of a run that goes on"
like "$out" "^warning: .* or is not over" "says so"
run_ export empty
is "$rc" 1 "an export without samples fails"
run_ report lost
like "$err" "^cpprof: cpu: no samples: all 5 were lost" \
	"the cause of a report without samples can be losses"
run_ report -r majorfaults
is "$rc" 1 "a report of an unused resource fails"
like "$err" "^cpprof: majorfaults: no samples: the program used none of it" \
	"and says so"
run_ report --down=db_read_record -r pagefaults
is "$rc" 1 "a root that is in no sample fails"
like "$err" "^cpprof: db_read_record: in no sample of pagefaults" "and says so"
run_ report --down=main -r pagefaults --threshold=0.9
is "$rc" 1 "a threshold above all fails"
like "$err" "^cpprof: pagefaults: nothing reaches the threshold of 90 %
hint: the largest entry is 86 % of the run" "and says what would be seen"

run_ report --format=paper exact -r majorfaults
is "$rc" 0 "main in no sample is no error where nobody asked for it"
like "$err" "^cpprof: main: in no sample of majorfaults" "it is said"
like "$out" "^root: \[all\]; " "and the root above all is taken"
like "$out" "^1.00000 \(\[all\] _start db_get_property\) \[4\]" "with its paths"
run_ report -f paper exact -F -r majorfaults --intervals
unlike "$out" "95%_interval|note:" "where each event was sampled nothing is rough"
like "$out" "^1.00000 db_get_property \[4\]" "and a fraction stands alone"
run_ report exact -F -r majorfaults -f json
like "$out" '"interval95":null' "JSON has no interval then"
unlike "$out" '"interval95":\[' "for any entry"
run_ report -f paper exact -F -r cpu --intervals
like "$out" "95%_interval" "where it was not, there is one"

run_ report --format=paper
is "$rc" 0 "a report"
like "$err" "^cpprof: majorfaults: no samples" "an unused one of several is told"
is "$(printf '%s\n' "$out" | grep -c ' Profile for resource: ')" 4 \
	"two profiles for each resource with samples"
like "$out" "^0.80000 db_get_property \[80\]" "the function profile"
like "$out" "^0.50000 \(main invoice db_get_property db_read_record\) \[50\]" \
	"the downward profile from main"
like "$out" "^0.85714 \(main invoice\) \[3\]" "the books are in the fractions"
all=$out
run_ report --format=paper cpprofdata
is "$out" "$all" "cpprofdata is the default file"
is "$("$cpprof" report --format=paper - <cpprofdata 2>/dev/null)" "$all" "- is standard input"
run_ report --format=paper --body -r cpu --up=db_read_record -t 40%
is "$(printf '%s\n' "$out" | grep '^[01]\.')" \
	"0.80000 db_read_record [80]
0.80000 (db_read_record) [80]
0.80000 (db_get_property db_read_record) [80]
0.50000 (invoice db_get_property db_read_record) [50]
0.50000 (main invoice db_get_property db_read_record) [50]
0.50000 (_start main invoice db_get_property db_read_record) [50]" \
	"several kinds in the order asked for, one resource, one threshold"
run_ report --format=paper --function -r cpu,pagefaults -t 1
is "$(printf '%s\n' "$out" | grep -c 'Profile for resource')" 1 \
	"a list of resources stops at the first error"
is "$rc" 1 "and fails"
run_ report --down=main -r pagefaults --format=json
is "$rc" 0 "JSON"
if python3 -c 'import json' 2>/dev/null; then
	is "$(printf '%s' "$out" | python3 -c '
import json, sys
p = json.loads(sys.stdin.read())
print(p["profile"], p["root"], p["resource"], p["interval"], p["hits"])
print(p["entries"][1]["path"], p["entries"][1]["hits"])')" \
		"down main pagefaults 10 3
['main', 'invoice'] 3" "JSON says the same"
else
	skip 1 "no python3 to read JSON with"
fi
is "$("$cpprof" report -F -r cpu -f json | wc -l)" 1 "JSON: a line a profile"

run_ export
is "$rc" 0 "an export"
like "$out" "^_start;main;invoice;db_get_property;db_read_record 50$" "folded"
is "$(printf '%s\n' "$out" | wc -l)" 6 "a line for each stack"
folded=$out
run_ export -o new -r cpu --format folded
is "$out$err" "" "export -o prints nothing"
run_ export -o - -r cpu --format folded
is "$out" "$(cat new)" "and -o - writes to standard output"
is "$(cat new)" "$folded" "and writes the same"
echo old >kept
run_ export -o kept -r majorfaults
is "$rc $(cat kept)" "1 old" "a failed export leaves the file alone"
run_ export -f pprfo
like "$err" "no such export format" "a wrong format is told"

run_ info
is "$rc" 0 "info"
like "$out" "majorfaults" "info tells of all resources"
run_ report unfinished
is "$rc" 0 "an unfinished file is read"
like "$err" "^cpprof: unfinished: it has no end" "and told of"
head -c $(($(wc -c <cpprofdata) - 5)) cpprofdata >cut
run_ info cut
is "$rc" 0 "a cut file is read"
like "$err" "^cpprof: cut: it was cut short" "and told of"

if [ -c /dev/full ]; then
	for s in "report" "info" "export" "export -f html" "--help" "--version" "shell -c info"; do
		# shellcheck disable=SC2086
		err=$("$cpprof" $s 2>&1 >/dev/full)
		is "$?" 1 "$s: a write error is a failure"
		like "$err" "^cpprof: (-c: )?standard output: write: No space left" \
			"$s: and is told"
	done
else
	skip 14 "no /dev/full"
fi
err=$("$cpprof" report 2>&1 >&-)
is "$?" 1 "a closed standard output is a failure"
{ "$cpprof" report -r cpu 2>err; echo $? >rc; } | true
is "$(cat err)" "" "a reader that went away is no error"
"$cpprof" report -r cpu <&- >out 2>/dev/null
is "$?" 0 "report works with standard input closed"

out=$(PATH=/nonexistent "$cpprof" help run)
like "$out" "^Usage: cpprof run" "help X without man(1) gives the rows"
run_ help rnu
is "$rc" 1 "help for a wrong topic fails"
like "$err" "did you mean 'run'" "with the nearest"
# a name that is nowhere is said once; a main that is in no sample, and the rest
"$fixture" many || exit 99
"$cpprof" report --down=nosuch many >out 2>err
is "$? $(grep -c nosuch err) $(grep -c '^hint' err)" "1 1 1" \
	"no such function: said once, with a hint"
# What can be measured here, and why not, on any terminal.
"$cpprof" resources | awk '!NF { exit } NR > 1 { print $1 }' >"$tmp/names"
for columns in 40 60 78 79 80 200; do
	for how in all "no perf"; do
		set -- "$cpprof" resources
		[ "$how" = all ] || set -- "$top_builddir/t/lib/refuse" EPERM \
			perf_event_open,bpf "$@"
		COLUMNS=$columns "$@" >"$tmp/out" 2>&1
		awk -v n=$columns 'length > n { bad = 1; print "# " $0 }
			END { exit bad }' "$tmp/out"
		ok $? "resources, $columns columns, $how: no line is longer"
		sed -n '/^costs:/,/^$/p' "$tmp/out" | tr -s ' \n' ' ' >"$tmp/costs"
		for word in dd touch perl pipe kill inf queens; do
			echo "$word $(sed '/^costs:/,$d' "$tmp/out" | grep -c "x $word\b") " \
				"$(grep -c "[.,] \(in \)\{0,1\}$word " "$tmp/costs")"
		done | awk '!$2 != !$3 { print "# " $0; bad = 1 } END { exit bad }'
		ok $? "... and what the rows name is explained, and no more"
		is "$(awk '!NF { exit } /^[^ ]/ { print $1 }' "$tmp/out" |
			grep -vx resource)" "$(cat "$tmp/names")" "... of as many"
	done
done
# What it costs a program, by the timer that counts it; "-" without one.
is "$("$cpprof" resources --timer=stop syscalls cpu |
	awk '!NF { exit } { print $1, substr($0, 46, 10) }' | sed 's/ *$//; s/ -$//')" \
	"$("$cpprof" resources --timer=stop syscalls cpu | awk '!NF { exit }
		NR == 1 { print "resource costs"; next }
		/ stop, polled$/ { print $1, "none"; next }
		/ stop$/ { print $1, "200x dd"; next }
		{ print $1 }')" "resources: the column of costs"
is "$("$cpprof" resources | sed -n '/^costs:/,/^$/p' | tr -d '\n' | grep -o '([^)]*)' | sort | uniq -d)" \
	"" "no timer's events have two costs"
# Two resources of one timer need not cost the same.
"$cpprof" resources --timer=stop syscalls iotime | sed -n 's/ stop$//p' >"$tmp/out"
if [ -s "$tmp/out" ]; then
	is "$(cut -c46- "$tmp/out" | tr '\n' ' ' | tr -s ' ')" "200x dd 300x dd " \
		"... which differ by resource"
else
	skip 1 "no stop timers"
fi
"$cpprof" resources --timer=stop syscalls | tr '\n' ' ' >"$tmp/out"
if grep -q "200x dd" "$tmp/out"; then
	like "$(tr -s ' ' <"$tmp/out")" "sample takes 10-70 us [(]stop[)]" "... and an event's"
else
	skip 1 "no stop timers"
fi
# One meaning a name: a letter is the same option in every subcommand, and an option
# takes a value in all of them or in none.
"$cpprof" --help | sed -n '/^Subcommands/,/^ *-h/s/^  \([a-z]*\) .*/\1/p' |
	while read -r sub; do
		"$cpprof" "$sub" --help |
			sed -nE 's/^  (-.|  ),? +--([a-z-]+)(\[?=?).*/\2 \3. \1/p'
	done >"$tmp/options"
[ "$(sort -u "$tmp/options" | wc -l)" -gt 50 ]
ok $? "subcommands have $(sort -u "$tmp/options" | wc -l) options"
is "$(sort -u "$tmp/options" | cut -d' ' -f1 | uniq -d)" "" \
	"no option has two letters, or a value here and none there"
is "$(awk '$3 { print $3, $1 }' "$tmp/options" | sort -u | cut -d' ' -f1 | uniq -d)" "" \
	"no letter has two options"
done_testing
