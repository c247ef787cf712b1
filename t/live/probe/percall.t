#!/bin/sh
# What a call costs, by its callers: fig1 calls c from a dearly and from b
# cheaply, ten times as often.
. "$(dirname "$0")/../../lib/lib.sh"
cd "$tmp" || exit 99

why=$("$cpprof" run -q -o can -r cpu,calls=c -- "$samples/fig1" 2>&1 >truth) ||
	skip_all "no breakpoints here: $why"

# figure PATH COLUMN [FILE]: of the CSV
figure() {
	"$cpprof" report --percall=c --format=csv -r cpu "${3:-can}" |
		awk -F, -v path="\"$1\"" -v column="$2" \
			'$3 == path { print $column }'
}
# Calls are exact: 40 rounds of 10 and of 100.
is "$(figure 'a;c' 6) $(figure 'b;c' 6) $(figure c 6)" "400 4000 4400" \
	"calls by caller, each counted"
dear=$(figure 'a;c' 4) cheap=$(figure 'b;c' 4)
# as much in all, by the hits that each has: but for chance, and a tenth
data=can
awk -v a="$dear" -v b="$cheap" -v each="$(each cpu)" 'BEGIN {
	a *= 400 / 1000
	b *= 4000 / 1000
	off = a > b ? a - b : b - a
	exit !(a && b && off <= 4.4 * sqrt((a + b) * each) + (a + b) / 10) }'
ok $? "a call from a costs ten times as much as one from b: $dear and $cheap us"
awk -v part="$(figure c 5)" 'BEGIN { exit !(part > 0.01 && part < 0.5) }'
ok $? "its uncertainty is that of some hundred samples or more"
out=$("$cpprof" shell -c 'percall' can)
like "$out" "^cpu per call of c, every call counted" "the one function that there is"
like "$out" "[0-9] %  a > c$" "a path of the table"

is "$("$cpprof" shell -c 'resource calls=c; percall' can 2>&1)" \
	"cpprof: -c: calls=c: percall: it is the calls, not a cost
hint: choose another resource: 'resource cpu', -r cpu" "calls cost no calls"
"$cpprof" run -q -o alone -r calls=a -- "$samples/fig1" >/dev/null
like "$("$cpprof" report --percall alone 2>&1)" \
	"^hint: a run has both: cpprof run -r cpu,calls=a -- PROG" \
	"... and a file of calls alone has no cost"
is "$("$cpprof" shell -c 'percall d' can 2>&1)" \
	"cpprof: -c: d: percall: its calls were not counted
hint: this file has: calls=c" "calls that were not counted"
if "$cpprof" run -q -o uncalled -r "cpu,calls=a+libc.so.6:labs" -- "$samples/fig1" >/dev/null 2>err; then
	like "$("$cpprof" report --percall uncalled 2>&1)" "[0-9] %  a$" \
		"functions of which one was not called"
else
	skip 1 "$(head -n 1 err)"
fi
# The file of a function is no part of its name, nor is one of several all.
"$cpprof" run -q -o of_file -r "cpu,calls=$samples/fig1:c" -- "$samples/fig1" >/dev/null
"$cpprof" run -q -o two -r "cpu,calls=a+fig1:b" -- "$samples/fig1" >/dev/null
for asked in percall 'percall c' "percall $samples/fig1:c"; do
	like "$("$cpprof" shell -c "$asked" of_file)" "[0-9] %  a > c$" "$asked: c of a file"
done
is "$("$cpprof" shell -c percall two | awk '$NF == "a" || $NF == "b" { print $(NF - 3) }')" \
	"40
40" "two functions, each with its calls"
is "$("$cpprof" shell -c 'percall b' two 2>&1)" \
	"cpprof: -c: b: percall: its calls were not counted
hint: this file has: calls=a+fig1:b" "one of two was not counted apart"
# What another file's function of that name consumed is none of its.
if why=$("$cpprof" run -q -o mains -r "cpu,calls=$samples/fig1:main" -- \
	sh -c '"$1/fig1"; "$1/queens"' sh "$samples" 2>&1 >truth); then
	is "$("$cpprof" report --percall --format=csv mains |
		awk -F'"' '$4 == "main" { print $6 }')" fig1 "main of one file of two"
else
	skip 1 "$why"
fi
"$cpprof" run -q -o bare -r pagefaults:1 -- true
is "$("$cpprof" report --percall=f bare 2>&1)" \
	"cpprof: f: percall: its calls were not counted
hint: count them beside the resource: cpprof run -r cpu,calls=f -- PROG" \
	"no calls at all"

done_testing
