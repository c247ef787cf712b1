#!/bin/sh
# Tables of call paths at 40 to 240 columns: no line is longer, no two read alike,
# the program's own functions are in each path or the line says how many are not,
# and the figures are one column.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99

# stacks NAME SEED: random stacks of own functions (main, own_...), of two libraries'
# and of templates, with names of 3 to 70 letters
stacks() {
	awk -v seed="$2" 'function draw(n) { return int(rand() * n) }
	function letters(n,  s) { while (length(s) < n) s = s "abcdefgh_"; return substr(s, 1, n) }
	BEGIN {
		srand(seed)
		for (i = 0; i < 30; i++)
			f[i] = i % 3 == 0 ? "std::vec" i "<" letters(1 + draw(40)) ">::at" \
				: i % 3 == 1 ? "own_" i letters(draw(12)) \
				: "std::" letters(3) i
		for (i = 0; i < 400; i++) {
			s = "_start;__libc_start_main;main"
			for (n = draw(14); n > 0; n--)
				s = s ";" f[draw(30)]
			print s (draw(2) ? ";leaf" : ";std::leaf") " " 1 + draw(50)
		}
	}' >"$1.folded"
	"$cpprof" import -q --from=folded -o "$1" "$1.folded" || exit 99
}
stacks one 1
stacks two 2

# check COLUMNS FILE COMMAND: prints what is wrong with the table, a list or a tree
check() {
	COLUMNS=$1 "$cpprof" shell -c "set top 60; $3" "$2" 2>&1 |
		sed '1,/^$/d' >table
	"$cpprof" shell -c "set top 60; $3" "$2" 2>&1 | sed '1,/^$/d' >whole
	case $3 in *list*) list=1 ;; *) list=0 ;; esac
	awk -v columns="$1" -v list="$list" '
		function end(  key) {
			if (text == "")
				return
			key = text
			gsub(/: path [0-9]+/, "", key)
			sub(/^ */, "", key)
			if (list && key in seen)
				print "# alike: " key
			seen[key] = 1
			texts[++n] = text
		}
		NR == FNR && / %/ { wanted[++all] = $0 }
		NR == FNR { next }
		length > columns { print "# too long: " $0 }
		/^\? |^\* |^[0-9]+ more/ { next }
		/^ +[0-9.]+ %/ {
			end()
			match($0, /^ +[0-9.]+ %./)
			if (at && RLENGTH != at)
				print "# another column: " $0
			at = RLENGTH
			text = substr($0, at + 1)
			lines = 1
			next
		}
		{
			match($0, /^ +/)
			if (list && below && RLENGTH != below)
				print "# another indentation: " $0
			below = RLENGTH
			sub(/^ +/, " ")
			text = text $0
			lines++
		}
		END {
			end()
			if (n != all)
				print "# " n " of " all " paths"
			for (i = 1; i <= n; i++) {
				m = split(wanted[i], step, / > /)
				plain = texts[i]
				gsub(/ /, "", plain)
				for (k = 1; k <= m; k++) {
					sub(/^.*% +|^.*%. +/, "", step[k])
					sub(/^ */, "", step[k])
					name = step[k]
					gsub(/ /, "", name)
					if (name ~ /^(own_|main|leaf)/ && !index(plain, name) && plain !~ /more/)
						print "# lacks " name ": " texts[i]
				}
			}
		}' whole table
}
for columns in 40 47 60 80 100 132 240; do
	for file in one two; do
		for ask in 'set form list; up leaf 0.5%' 'set form list; up std::leaf 0.5%' 'down main 0.5%' \
			'set form list; down main 0.5%'; do
			is "$(check $columns $file "$ask")" "" \
				"$columns columns, $file: $ask"
		done
	done
done

# Names of C++ that no line holds: some differ in what is within the arguments alone,
# some in parameters, some in a namespace.  No path takes more than three lines.
templates() { # NAME COMPANY
	awk -v company="$2" 'function draw(n) { return int(rand() * n) }
		function type(depth,  k) {
			k = draw(depth > 2 ? 3 : 5)
			return k == 0 ? company "::product::Key" : k == 1 ? "long" \
				: k == 2 ? company "::Record_" draw(3) \
				: k == 3 ? "std::map<" type(depth + 1) ", " type(depth + 1) ">" \
				: "std::vector<" type(depth + 1) ">"
		}
		BEGIN {
			srand(7)
			for (i = 0; i < 24; i++)
				f[i] = company "::" (i % 2 ? "product" : "storage") \
					"::Cache_" int(i / 6) "<" type(0) ", " type(0) \
					">::compute_" int(i / 3) "(" type(1) " const&)"
			for (i = 0; i < 300; i++) {
				s = "_start;__libc_start_main;main"
				for (n = 1 + draw(9); n > 0; n--)
					s = s ";" f[draw(24)]
				print s ";leaf " 1 + draw(50)
			}
		}' >"$1.folded"
	"$cpprof" import -q --from=folded -o "$1" "$1.folded" || exit 99
}
templates short co
templates long company::corporation::internal
for case in 40:short 80:long 200:long; do
	columns=${case%:*}
	file=${case#*:}
	for ask in 'set form list; up leaf 0.5%' 'down main 0.5%'; do
		is "$(check $columns $file "$ask"; awk '
			/^[0-9]+ more|^\?|^\*/ { exit }
			{ lines = / %/ ? 1 : lines + 1 }
			lines == 4 { print "# of four lines: " $0 }' table)" "" \
			"$columns columns, templates: $ask"
	done
	COLUMNS=$columns "$cpprof" shell -c 'function 0.1%' $file |
		sed '1,/function/d; /more function/,$d' >table
	is "$(awk '{ key = $0; sub(/^.*%[ ?] +/, "", key) }
		/ %/ { if (all != "") print all; all = "" } { all = all " " key }
		END { print all }' table | sort | uniq -d)" "" \
		"$columns columns: functions that read alike"
	is "$(awk -v most=$((columns > 40 ? 3 : 4)) '
		{ lines = / %/ ? 1 : lines + 1 } lines == most + 1' table)" "" \
		"... or take more than three lines, of 40 columns four"
done

# Threads of a library, in a program that has no function above them: who waits is
# told by what they were started as, and by where a branch begins.
{
	echo "# resource blocked: gtick us; interval 1; hits 9; samples 9; in samples 9"
	for stack in "60 futex:libc.so.6 wait:libc.so.6 idle:libw.so.1 next:libw.so.1" \
		"40 futex:libc.so.6 lock:libc.so.6 push:libw.so.1 flush:libw.so.1"; do
		set -- $stack
		echo "x 1/1 1.0: $1 blocked:"
		shift
		for f in "$@" run:libw.so.1 boot:libw.so.1 worker:libw.so.1 \
			start_thread:libc.so.6 clone3:libc.so.6; do
			echo "	10 ${f%:*}+0x1 (/lib/${f#*:})"
		done
		echo
	done
} >threads.txt
"$cpprof" import -q --from=perf -o threads threads.txt
is "$(COLUMNS=80 "$cpprof" shell -c 'down [all]' threads | grep ' %')" \
	"  100.0 %? worker > boot > run
   60.0 %?   next > idle > wait > futex
   40.0 %?   flush > push > lock > futex" "a library's threads"

# What the last library is asked for tells a lock of malloc's from a wait for work.
{
	echo "# resource blocked: gtick us; interval 1; hits 9; samples 9; in samples 9"
	echo "x 1/1 1.0: 60 blocked:"
	for f in '[futex-wait]' wait futex _int_free free drop:libw.so.1 pop:libw.so.1 \
		recv:libw.so.1 worker:x main:x; do
		case $f in *:*) ;; *) f=$f:libc.so.6 ;; esac
		echo "	10 ${f%:*}+0x1 (/lib/${f#*:})"
	done
	echo
} >asked.txt
"$cpprof" import -q --from=perf -o asked asked.txt
like "$(COLUMNS=80 "$cpprof" shell -c 'up [futex-wait]' asked)" \
	'\[futex-wait\] < \[libc: 3\] < free < \[libw: 2\] < recv < worker < main$' \
	"what was asked of the last library"

# What is folded differs in number alone: a step tells the paths apart.  A fold of one
# step is no longer than its name, and no line ends within an address.
{
	echo "# resource cpu: gtick us; interval 1; hits 9; samples 9; in samples 9"
	for stack in "60 futex leaf:libw.so.1 deep:libw.so.1 mid:libw.so.1" \
		"40 futex leaf:libw.so.1 mid:libw.so.1"; do
		set -- $stack
		echo "x 1/1 1.0: $1 cpu:"
		shift 2
		for f in "$@" more:libw.so.1 enter:libw.so.1 call_it:x main:x; do
			echo "	10 ${f%:*}+0x1 (/lib/${f#*:})"
		done
		echo
	done
} >folds.txt
"$cpprof" import -q --from=perf -o folds folds.txt
is "$(COLUMNS=80 "$cpprof" shell -c 'set form list; down main 40%' folds |
	grep 'leaf')" \
	"   60.0 %? main > call_it > enter > [libw: 2] > deep > leaf
   40.0 %? main > call_it > enter > more > mid > leaf" "folds that differ in number"
{
	printf _start
	printf ';a_function_%s' 1 2 3 4 5 6 7
	printf ';libnothingatall.so.0.8.6+0x339e0 9\n'
} >one.folded
"$cpprof" import -q --from=folded -o one one.folded
is "$(COLUMNS=40 "$cpprof" shell -c 'down _start' one | grep -c '+0x339e0')" 1 \
	"an address is on one line"
done_testing
