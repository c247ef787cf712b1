#!/bin/sh
# --count-calls: how often each function is called from where, against what
# programs know of themselves.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data
target=$top_builddir/t/live/target/arcs
calls=$samples/calls

# count OPTIONS... -- COMMAND...: its output to $tmp/out, messages to $tmp/err
count() {
	"$cpprof" run -o "$data" "$@" >"$tmp/out" 2>"$tmp/err"
}

count --count-calls=leaf -- "$calls"
status=$?
if ! "$cpprof" --version | grep -q 'libbpf *yes'; then
	is "$status:$(cat "$tmp/err")" \
		"125:cpprof: arcs: bpf: this cpprof was built without libbpf
hint: install libbpf (1.0 or newer) and clang, then configure and build it anew" \
		"without libbpf: what it lacks, before anything runs"
	done_testing
	exit
fi
[ $status = 0 ] || skip_all "no uprobes here: $(head -n 1 "$tmp/err")"

# pairs: of the profile, the outermost and innermost function of each path
pairs() {
	"$cpprof" export --format=folded --resource=arcs "$data" |
		sed 's/^\([^; ]*\)[^ ]*;/\1 /'
}

# added_up: lines "CALLER CALLEE N", those of a pair as one
added_up() {
	awk '{ n[$1 " " $2] += $3 } END { for (p in n) print p, n[p] }' | sort
}

# books WHAT
books() {
	is "$(of arcs weight) $(of arcs lost) $(of arcs unsampled)" \
		"$(of arcs total) 0 0" "$1: what was counted adds up"
}

# Wherever the probe is: each call once, none from elsewhere.
count --count-calls='*' -- "$target"
is $? 0 "functions that begin in every way: it runs"
grep -v ' locked ' "$tmp/out" | added_up >"$tmp/truth"
pairs | grep -E '^(main|one|two|call_later) ' | added_up >"$tmp/got"
is "$(cat "$tmp/got")" "$(cat "$tmp/truth")" "... each by who calls, exactly"
books ...
like "$(cat "$tmp/err")" "takes no probe .* locked: not counted" \
	"... one that the kernel cannot probe is named"
"$cpprof" info "$data" >"$tmp/info"
like "$(cat "$tmp/info")" "takes no probe .* locked" "... and in the file, too"
like "$(cat "$tmp/err")" "of 2[0-9] functions, .*step through: .*none_at_all" \
	"... and those that cost more are, before it runs"
unlike "$(cat "$tmp/err")" "step through: .*(push_first|branch_later|call_later)" \
	"... and no others"

# 0.5 us and more each, of a program that does little else; an emulator is so slow
# that they are little of it, too
count --count-calls=leaf -- "$calls" --times=200000 --threads=0 --children=0
little=$("$cpprof" report -f json "$data" | head -n 1 | jq -r \
	'.resources[0].gticks as $n | if $n / 2 < 0.03 * .cpu
		then "\($n) calls in \(.cpu) us" else "" end')
like "$(cat "$tmp/err")$little" \
	"arcs: the probes took [0-9]+ % of the program's CPU|calls in" \
	"what the probes took is told"
unlike "$("$cpprof" report "$data")" "of CPU is the kernel's" \
	"... and its reason is looked for nowhere else"

# What threads, forks and an exec call, and a signal's handler.
count -q --count-calls='*' -- "$calls" --truth --threads=300 --children=50
awk '$2 ~ /^calls=(leaf|once)$/ {
	n = split($3, f, ";")
	print f[n - 1], f[n], $4
}' "$tmp/out" | added_up >"$tmp/truth"
"$cpprof" export --format=folded --resource=arcs "$data" |
	sed -n 's/^.*;\(.*\);\(leaf\|once\) /\1 \2 /p
		s/^\([^;]*\);\(leaf\|once\) /\1 \2 /p' |
	added_up >"$tmp/got"
is "$(cat "$tmp/got")" "$(cat "$tmp/truth")" "threads and forks, exactly"
is "$("$cpprof" report --body --format=csv -r arcs -t 0 "$data" |
	awk -F, '$3 == "\"choice\"" { print $5 }')" 20 "... and a signal's handler"
books ...
count -q --count-calls="$calls:o*,$calls:leaf" -- \
	sh -c "'$calls'; exec '$calls'"
is "$("$cpprof" report --body --format=csv -r arcs -t 0 "$data" |
	awk -F, '/^body/ { print $3, $5 }' | tr -d '"' | sort | tr '\n' ' ')" \
	"leaf 286 odd 60 often 20 once 20 " \
	"patterns of a program that it runs twice"
books ...

# With a limit: one that is called too often is left alone, others are not, and
# the program goes on without probes.
all=1000000000
grep -q 'QEMU TCG' /proc/cpuinfo && all=30000000
count -r cpu:50us --count-calls='push_*' --count-limit=1000 -- "$target" $all
like "$(cat "$tmp/err")" "more than 1000 calls .*: push_first: .*less" \
	"$all calls: --count-limit names who was left alone"
pairs | sort >"$tmp/got"
is "$(awk '$2 == "push_later" { print $3 }' "$tmp/got")" 10 \
	"... counts the others exactly"
within "$(awk '$2 == "push_first" { print $3 }' "$tmp/got")" 1000 \
	$((all / 4)) "... and counts it in part: most calls met no probe"
books ...
like "$("$cpprof" info "$data")" "more than 1000 calls" "... says the file, too"
like "$("$cpprof" callgraph -t 0 -r cpu -f json "$data")" \
	'"function": *"push_first"[^}]*"calls": *null' \
	"... in the call graph it has no number of calls"
like "$("$cpprof" report --percall=push_first -r cpu "$data" 2>&1)" \
	"had more calls than were counted" "... and a call of it no cost"

# A program that was started by several names has its file's in the profile.
ln -sf "$target" "$tmp/one" && ln -sf "$target" "$tmp/two"
count -r cpu:50us --count-calls="$tmp/one:push_*" --count-limit=1000 -- \
	sh -c "'$tmp/one' $((all / 10)) && '$tmp/two' $((all / 10))"
like "$("$cpprof" report --percall=push_first -r cpu "$data" 2>&1)" \
	"had more calls than were counted" \
	"... nor where the program was started by two names"

# More places that call than there is room for.
cat >"$tmp/many.s" <<'EOF'
	.text
	.globl main, busy
	.type main, @function
	.type busy, @function
busy:	push %rbx
	pop %rbx
	ret
	.size busy, . - busy
main:	push %rbx
	.rept 300000
	call busy
	.endr
	xor %eax, %eax
	pop %rbx
	ret
	.size main, . - main
	.section .note.GNU-stack,"",@progbits
EOF
if cc -o "$tmp/many" "$tmp/many.s" 2>"$tmp/err"; then
	count --count-calls=busy -- "$tmp/many"
	lost=$(of arcs lost)
	is "$(($(of arcs weight) + lost)) $(of arcs total)" "300000 300000" \
		"300 000 places: what is counted and what is lost add up"
	ok "$((lost < 300000 - 262144))" "... $lost calls, those of places without room"
	like "$(cat "$tmp/err")" "arcs: $lost .*lost.*fewer functions" "... it is told"
	unlike "$(cat "$tmp/err")$("$cpprof" report "$data")" "-r arcs|interval" \
		"... and no interval is said to help"
else
	skip 4 "no assembler: $(head -n 1 "$tmp/err")"
fi

# A stripped library; C++ that throws; no PIE, no libraries at all.
cat >"$tmp/shared.c" <<'EOF'
static volatile int done;
void shared_often(void) { done++; }
void shared(void) { done++; for (int i = 0; i < 9; i++) shared_often(); }
EOF
echo 'void shared(void); int main() { shared(); shared(); return 0; }' \
	>"$tmp/uses.c"
if cc -O0 -shared -fPIC -s -o "$tmp/libshared.so" "$tmp/shared.c" \
	2>"$tmp/err" &&
	cc -O0 -o "$tmp/uses" "$tmp/uses.c" "$tmp/libshared.so" \
		-Wl,-rpath,"$tmp" 2>>"$tmp/err"; then
	count -q --count-calls='libshared.so:shared*' -- "$tmp/uses"
	is "$?:$(pairs | sort | tr '\n' ',')" \
		"0:main shared 2,shared shared_often 18," "a stripped library"
	"$cpprof" run -q -r cpu:50us --count-calls='libshared.so:shared*' \
		-o "$data" -- "$tmp/uses"
	like "$("$cpprof" report --percall=libshared:shared "$data" 2>&1)" \
		"^cpu per call of libshared:shared|no samples" \
		"percall of a library's function"
	like "$("$cpprof" report --percall=libsha:shared "$data" 2>&1)" \
		"^cpprof: libsha:shared: in no sample|no samples" \
		"and of no library of which the name is a part"
else
	skip 3 "no shared library: $(head -n 1 "$tmp/err")"
fi
cat >"$tmp/throws.cc" <<'EOF'
namespace ns {
template <class T> __attribute__((noinline)) T half(T n)
{
	if (n > 5)
		throw n;
	return n / 2;
}
}
volatile int n;
int main()
{
	for (int i = 0; i < 10; i++)
		try {
			n = n + ns::half(i);
		} catch (int) {
		}
}
EOF
for how in "" -static -no-pie; do
	if ! c++ -O1 $how -o "$tmp/throws" "$tmp/throws.cc" 2>"$tmp/err"; then
		skip 1 "no C++ compiler for ${how:-this}"
		continue
	fi
	count -q --count-calls='ns::h*' -- "$tmp/throws"
	like "$?:$(pairs)" "^0:main .*ns::half<int>.* 10\$" "C++ that throws ${how:-, PIE}"
done

# Beside samples: gprof's columns.
count -q -r cpu --count-calls='P,Q,R,S' -- "$samples/pqr"
"$cpprof" callgraph -t 0 -r cpu -f csv "$data" | tr -d '"' |
	awk -F, '$4 ~ /^[PQRS]$/ && ($6 ~ /^[PQRS]$/ || $3 == "function") {
		print $3, $4, $6, $NF
	}' | tr -s ' ' | sort >"$tmp/got"
is "$(cat "$tmp/got")" "callee P Q 1000
callee P R 400
callee P S 1400
callee Q P 1000
callee Q S 1000
callee R S 400
caller P Q 1000
caller Q P 1000
caller R P 400
caller S P 1400
caller S Q 1000
caller S R 400
function P 1400
function Q 1000
function R 400
function S 2800" "callgraph of cpu has the calls by caller"
like "$("$cpprof" callgraph --around=R -t 0 -r cpu "$data")" \
	' 400 +[0-9.]+ [mu]s +P$' "... and what each took"
"$cpprof" callgraph -f json -r cpu "$data" |
	"$top_builddir/t/lib/check_schema" \
		"$top_srcdir/man/cpprof-profile.schema.json" >"$tmp/out"
ok $? "... as the schema has it"
is "$("$cpprof" callgraph --around=R -t 0 -r cpu --contains=S "$data" |
	grep -c 'calls *each')" 0 "... and not of what a filter keeps"

# percall: what each call costs, by caller; the paths' weights are those of the
# call graph.
"$cpprof" report --percall=S -t 0 -r cpu -f csv "$data" >"$tmp/csv"
is "$(awk -F, 'NR > 1 { print $3, $6 }' "$tmp/csv" | tr -d '"' | sort |
	tr '\n' ',')" "P;S 1400,Q;S 1000,R;S 400,S 2800," \
	"percall has the calls by caller"
awk -F, 'NR > 1 {
	each = $7 / $6
	if ($4 > each * 1.0001 || $4 < each * 0.9999)
		bad = 1
	if ($3 ~ /;/)
		by += $7
	else
		all = $7
} END { exit bad || !all || by != all }' "$tmp/csv"
ok $? "... divides by them, and what the callers have adds up"
is "$(awk -F, 'NR > 1 && $3 ~ /;/ { print $3, $7 }' "$tmp/csv" | tr -d '"' |
	tr ';' ' ' | sort)" \
	"$("$cpprof" callgraph -t 0 -r cpu -f csv "$data" | tr -d '"' |
		awk -F, '$3 == "caller" && $4 == "S" { print $6, $4, $9 }' | sort)" \
	"... and is what the call graph has"
for asked in callgraph "report --percall=S"; do
	# shellcheck disable=SC2086
	"$cpprof" $asked -f json -r cpu --thread=pqr "$data" >"$tmp/json"
	like "$(cat "$tmp/json")" '"calls": *1400' \
		"$asked: a thread's calls are known"
done
like "$("$cpprof" report --percall=S -r cpu --contains=R "$data" 2>&1)" \
	"S: percall: its calls were not counted" \
	"percall: not of what a filter keeps"
like "$("$cpprof" report --percall=main -r cpu "$data" 2>&1)" \
	"no call of it was counted" "... nor of a function without counts"
like "$("$cpprof" report --percall -r cpu "$data" 2>&1)" "which function" \
	"... and it wants a name"

# Call sites: work is called from two lines of main, dearly and cheaply.
cat >"$tmp/sites.c" <<'EOF'
static volatile int done;
__attribute__((noinline)) void work(int n) { while (n--) done++; }
int main()
{
	for (int i = 0; i < 30; i++)
		work(10000000 / 3);
	for (int i = 0; i < 300; i++)
		work(1000);
	return 0;
}
EOF
if cc -g -O1 -o "$tmp/sites" "$tmp/sites.c" 2>"$tmp/err"; then
	count -q -r cpu --count-calls=work -- "$tmp/sites"
	"$cpprof" report --percall=work --sites -t 0 -r cpu -f csv "$data" |
		tr -d '"' >"$tmp/csv"
	is "$(awk -F, 'NR > 1 { print $3, $6, $NF }' "$tmp/csv" | sort |
		tr '\n' ',')" \
		"main;work 30 sites.c:6,main;work 300 sites.c:8,work 330 ," \
		"--sites: percall has each call site's calls"
	# a call from line 6 turns 3333 times as often
	awk -F, '{ each[$NF] = $4 }
		END { exit each["sites.c:6"] <= 100 * each["sites.c:8"] }' \
		"$tmp/csv"
	ok $? "... and what one of them costs"
	like "$("$cpprof" report --percall=work --sites -r cpu "$data")" \
		" 30 +[0-9.]+ % +main:sites.c:6 > work" "... for people, too"
	"$cpprof" report --percall=work --sites -f json -r cpu "$data" |
		"$top_builddir/t/lib/check_schema" \
			"$top_srcdir/man/cpprof-profile.schema.json" >"$tmp/out"
	ok $? "... and as the schema has it"
else
	skip 4 "no compiler: $(head -n 1 "$tmp/err")"
fi

# error OPTION WANTED HINT WHAT: before the program has run
error() {
	"$cpprof" run "$1" -o "$data" -- sh -c "echo ran >$tmp/ran" \
		>/dev/null 2>"$tmp/err"
	is "$?:$(wc -l <"$tmp/err"):$(cat "$tmp/ran" 2>&1 | grep -c ran$)" \
		125:2:0 "$4: an error in two lines, before anything runs"
	like "$(cat "$tmp/err")" "$2" "$4: the reason"
	like "$(cat "$tmp/err")" "^hint: .*$3" "$4: the way out"
}
error --count-calls='no_such*' "no function matches" "count-calls=LIB:" \
	"no such function"
error --count-calls= "which function" "'f\*,LIB:g'" "no pattern"
error --count-calls=libno:f "no such library" "loads" "no such library"
done_testing
