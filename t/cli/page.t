#!/bin/sh
# The page of `export --format=html', in a browser: it computes the profiles that
# the program does, entry by entry, and does what its controls say.
. "$(dirname "$0")/../lib/lib.sh"

browser=
for name in chromium chromium-browser google-chrome; do
	command -v "$name" >/dev/null && browser=$name && break
done
[ -n "$browser" ] || skip_all "no chromium"

# in_browser PAGE SCRIPT [LINE]: what the script, appended to the page, writes
in_browser() {
	{
		cat "$1"
		printf '<script>\n%s\n' "${3:-}"
		cat "$top_srcdir/t/lib/page_user.js" "$top_srcdir/t/lib/$2"
		echo '</script>'
	} >"$tmp/tried.html"
	timeout -k 5 120 "$browser" --headless --no-sandbox --disable-gpu \
		--disable-dev-shm-usage --user-data-dir="$tmp/browser" \
		--window-size="${window:-1200,900}" --virtual-time-budget=60000 --dump-dom \
		"file://$tmp/tried.html" 2>"$tmp/log" |
		sed -n 's/^.*<pre id="result">//; s/^@@//p' |
		sed 's/&lt;/</g; s/&gt;/>/g; s/&nbsp;/ /g; s/&amp;/\&/g'
}

# Real recursion, and a real profile where one can be had.
fixture() { "$top_builddir/t/lib/make_fixture" "$tmp/$1" "$1"; }
fixture full
fixture recursive
fixture tasks
printf '%s\n' 'main;f;g 9000000000' 'main;f 5000000000' 'main;g;f;g 1' \
	'main;a;b;c;d;b;e 7000000000' >"$tmp/folded"
"$cpprof" import -q --from=folded -o "$tmp/heavy" "$tmp/folded"
if can_profile && "$cpprof" run -q -o "$tmp/real" -r cpu:500us,pagefaults:10 -- \
	"$samples/burn" --threads=2 >/dev/null 2>&1; then
	real=real
fi
for file in full recursive tasks heavy $real; do
	"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/$file"
	is "$?" 0 "$file: a page"
	"$top_builddir/t/lib/profiles" "$tmp/$file" 0 0.05 |
		LC_ALL=C sort >"$tmp/wanted"
	in_browser "$tmp/page.html" page_profiles.js \
		"const thresholds = [0, 0.05];" >"$tmp/lines"
	is "$(tail -n 1 "$tmp/lines")" end "$file: the page computes"
	is "$(grep '^bad: ' "$tmp/lines" | head -n 3)" "" \
		"$file: boxes are partitions and tell their paths' figures"
	grep -v '^bad: \|^end$' "$tmp/lines" | LC_ALL=C sort >"$tmp/got"
	[ "$(wc -l <"$tmp/wanted")" -gt 10 ]
	ok $? "$file: $(wc -l <"$tmp/wanted") entries of profiles"
	is "$(diff "$tmp/wanted" "$tmp/got" | head -n 4)" "" \
		"$file: as the program computes them"
done

"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/full"
in_browser "$tmp/page.html" page_clicks.js >"$tmp/lines"
said() { sed -n "s/^$1: //p" "$tmp/lines"; }
# shown LINE WANTED WHAT
shown() { is "$(said "$1")" "$2" "$3"; }

# 50 hits of main > invoice > db_get_property > db_read_record, 30 with receipt
# for invoice, and of main's callees 10 of invoice, 6 of push_back, 3 of sell and
# 1 of receipt.
shown title "shop --big a b; shop --big a b - cpprof" "the program"
shown functions "100.0 % 0.0 % _start shop; 100.0 % 0.0 % main shop; \
80.0 % 0.0 % db_get_property libdb.so.2; \
80.0 % 80.0 % db_read_record libdb.so.2; 60.0 % 10.0 % invoice shop; \
31.0 % 1.0 % receipt shop; \
6.0 % 6.0 % std::vector<int>::push_back shop; \
3.0 % 3.0 % <&'a T as shop::Sell>::sell; now shop" \
	"the functions with total and self"
shown accounting "consumed 100 ms; in samples 100 ms, 6 samples; \
truncated stacks 0 of 6 samples" "the accounting"
shown "row clicked" \
	"db_get_property; db_get_property: 80.0 % of the stacks, 80.0 ms, 2 samples" \
	"a click on a row makes root"
shown "row entered" "main; true" "Enter does so, too, and the row keeps the focus"
shown callers "50.0 % invoice; 30.0 % receipt" "its callers"
shown callees "80.0 % db_read_record" "and callees"
# it, invoice, receipt, and of each main and _start
shown up "db_get_property: 80.0 % of the stacks, 80.0 ms, 2 samples; 7" \
	"the stacks upward"
shown box "30.0 %  30.0 ms  receipt > db_get_propertythis box: 30.0 % of the \
stacks, 30.0 ms, 1 sample" "a box's label"
shown back "main; true" "Back undoes"
shown "box clicked" \
	"invoice; invoice: 60.0 % of the stacks, 60.0 ms, 2 samples" \
	"a click on a box makes root"
shown threshold "100.0 % 0.0 % _start shop; 100.0 % 0.0 % main shop; \
80.0 % 0.0 % db_get_property libdb.so.2; \
80.0 % 80.0 % db_read_record libdb.so.2; 60.0 % 10.0 % invoice shop" \
	"a threshold of 50 %"
shown search "80.0 % match; 80.0 % 80.0 % db_read_record libdb.so.2" \
	"a search by a regular expression, with its part of the root"
shown "no search" "not a regular expression" "one that is none"
shown typed receipt "a part of a name as root"
shown lit "0; -1" "and nothing stays marked"
shown mistyped "false; No function has ‘nosuch’ in its name." "a name that is none"
shown ambiguous "false; 2 functions have ‘db_’ in their names." "a part of several"
shown "no threshold" "A threshold is 0 to 100 %." "and what is no threshold"
shown amounts "1.00 s; 100 ms; 1.00 s; 1234 s" "amounts have three figures"
like "$(said labels)" "^db_get_property  30.0 %; db_[a-z_]*…  30.0 %; db_[a-z_]*…\$" \
	"a label that has no room for all gives up its name, not its figure"
shown columns false "tables are side by side"
shown keys "100.0 %  100 ms  _startthis box: 100.0 % of the stacks, \
100 ms, 6 samples" "arrow keys choose"
shown zoomed "false; 100000" "Z zooms"
shown unzoomed true "Escape zooms out"
# of 35 faults 30 are in a sample, 5 in none
shown resource "35 faults, 1 sample, each for 10 faults or more; \
85.7 % 0.0 % _start shop; 85.7 % 0.0 % main shop; 85.7 % 85.7 % invoice shop" \
	"another resource"
shown dark true "dark"
window=400,900
in_browser "$tmp/page.html" page_clicks.js >"$tmp/lines"
shown columns true "in a narrow window tables are below each other"
window=

# csv OPTIONS: rows of reports, percent and path
csv() {
	"$cpprof" report -t 0 -f csv "$@" "$tmp/$file" 2>/dev/null |
		sed -n 's/^[a-z]*,"[^"]*","\([^"]*\)",\([0-9.]*\),[0-9]*,\([0-9]*\),.*/\3 \2 \1/p' |
		sort -rn | awk '{ printf "%.1f", 100 * $2; sub(/^[^ ]* [^ ]*/, ""); print }'
}

# What a person does first; it agrees with what the shell says.
{
	printf '# resource %s; hits 1; samples 1; in samples 1\n' \
		'cpu: gtick us; interval 1000' 'faults: gtick fault; interval 1'
	while read -r event weight stack; do
		printf 'shop 7/7 1.0: %s %s: \n' "$weight" "$event"
		for name in $stack; do
			printf '\t10 %s+0x1 (/bin/shop)\n' "$name"
		done
		echo
	done
} >"$tmp/text" <<'X'
cpu 30000 read parse main
cpu 20000 read lex parse main
cpu 35000 mul step solve main
cpu 5000 mul step step solve main
cpu 4000 step solve main
cpu 6000 mul print main
faults 70 read parse main
faults 20 mul step solve main
faults 10 print main
X
"$cpprof" import -q --from=perf -o "$tmp/shop" "$tmp/text"
for file in shop $real; do
	"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/$file"
	in_browser "$tmp/page.html" page_tasks.js >"$tmp/lines"
	# names in CSV are as they are, not told apart by their modules
	path=$(said hottest | sed 's/ > /;/g; s/[^;!]*!//g')
	first=cpu other=faults
	[ $file = shop ] || other=pagefaults
	is "$(csv -r $first --down='[all]' | grep -Fx -- \
		"$(said figure | cut -d' ' -f1) $path" | wc -l)" 1 \
		"$file: a path, and what it costs"
	[ $file != shop ] || is "$path" "[all];main;parse;read" "the hottest"
	is "$(said function | sed 's/.*!//')" "${path##*;}" \
		"$file: its function"
	is "$(said caller | cut -d' ' -f1,3- | sed 's/ .*!/ /')" \
		"$("$cpprof" callgraph -t 0 -r $first -f csv --around="$(said function)" \
			"$tmp/$file" | awk -F, '{ gsub(/"/, "") }
			$3 == "caller" && $9 > n { n = $9; s = $8; f = $6 }
			END { printf "%.1f %s\n", 100 * s, f }')" \
		"$file: who calls it most"
	is "$(said cost | sed 's/^[^:]*: \([^ ]*\).*/\1/; s/^No stack.*//')" \
		"$(csv -r $other -F | awk -v f="${path##*;}" \
			'{ s = $1; sub(/^[^ ]* /, "") } $0 == f { print s }')" \
		"$file: what it costs under another resource"
done

# The rule of paths is that of reports, whoever calls whom in which library.
{
	echo '# resource cpu: gtick us; interval 1000; hits 1; samples 1; in samples 1'
	for stack in "mul:libm.so.6 solve:shop main:shop __libc_start_main:libc.so.6" \
		"d:libc.so.6 c:libstdc++.so.6 b:libc.so.6 a:libc.so.6 f:shop main:shop" \
		"lock:libc.so.6 _int_free:libc.so.6 free:libc.so.6 drop:libz.so.1 pop:libz.so.1 recv:libz.so.1 f:shop main:shop" \
		"f:shop d:libc.so.6 c:libc.so.6 b:libz.so.1 main:shop _start:shop" \
		"_PyEval_EvalFrameDefault:python3.12 py::f:perf-7.map x:python3.12 y:python3.12 main:python3.12"; do
		printf 'shop 7/7 1.0: 1000 cpu: \n'
		for step in $stack; do
			echo "	10 ${step%:*}+0x1 (/bin/${step##*:})"
		done
		echo
	done
} >"$tmp/text"
while read -r line; do
	case $line in
	*hits*) head=$line ;;
	shop*) { echo "$head"; echo "$line"; } >"$tmp/one" ;;
	'')	"$cpprof" import -q --from=perf -o "$tmp/one.data" "$tmp/one"
		"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/one.data"
		in_browser "$tmp/page.html" page_tasks.js >"$tmp/lines"
		is "$(said path)" "$(COLUMNS=200 "$cpprof" report -t 0 \
			--down='[all]' --form=list "$tmp/one.data" |
			sed -n 's/^ *100.0 %. *//p' | tail -n 1)" \
			"a path as reports have it: $(said path)" ;;
	*) echo "	$line" >>"$tmp/one" ;;
	esac
done <"$tmp/text"

# 100 functions of 11 pixels, 3000 of less than a tenth.
awk 'BEGIN { for (i = 0; i < 3100; i++)
	printf "main;f%d %d\n", i, i < 100 ? 400 : 1 }' >"$tmp/folded"
"$cpprof" import -q --from=folded -o "$tmp/small" "$tmp/folded"
"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/small"
in_browser "$tmp/page.html" page_small.js >"$tmp/lines"
shown boxes "100; 1" "functions of less than a pixel are one box"
like "$(said accounting)" "in samples 43 000 samples, 43 000 samples" \
	"counts in the accounting are in groups of digits"
shown filled true "and none is lost"
shown others "functions of less than a pixel each: 7.0 %, 3 000 samples" \
	"which says what they have"

awk 'BEGIN { printf "main"; for (i = 1; i <= 90; i++) printf ";f%d", i
	print " 9" }' >"$tmp/folded"
"$cpprof" import -q --from=folded -o "$tmp/deep" "$tmp/folded"
"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/deep"
in_browser "$tmp/page.html" page_deep.js >"$tmp/lines"
shown deepest "90; true" "the graph scrolls to the box that keys choose"

in_browser "$tmp/page.html" page_colours.js >"$tmp/lines"
for theme in light dark; do
	for kind in text all protan deutan tritan; do
		shown "$theme $kind" true "$theme colours: $kind"
	done
done

# Over the time of the run; a child keeps what it has to its end, and no longer.
cat >"$tmp/lives.c" <<'X'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void *volatile kept[1000];
static void get(int n)
{
	for (int i = 0; i < n; i++)
		kept[i] = malloc(1000);
	usleep(200000);
}
int main(void)
{
	get(100);
	for (int i = 0; i < 60; i++)
		free(kept[i]);
	usleep(200000);
	if (fork() == 0) {
		get(300);
		_exit(0);
	}
	wait(NULL);
	for (int i = 400; i < 1000; i++)
		kept[i] = malloc(1000);
	for (int i = 400; i < 1000; i++)
		free(kept[i]);
	usleep(200000);
	return 0;
}
X
cc=$(command -v gcc || command -v cc)
: >"$tmp/log"
if can_profile && [ -n "$cc" ] && "$cc" -fno-builtin -w -o "$tmp/lives" "$tmp/lives.c" &&
	"$cpprof" run -q -r bytes-freed:1,cpu -o "$tmp/lived" -- "$tmp/lives" \
		2>"$tmp/log" && [ -s "$tmp/lived" ]; then
	"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/lived"
	in_browser "$tmp/page.html" page_time.js >"$tmp/lines"
	shown bytes-allocated "false; 1000000; 200" "over time: what was allocated"
	shown bytes-freed "false; 660000; 200" "over time: what was freed"
	like "$(said 'live levels')" \
		'(^| )100000 (.* )?40000 (.* )?340000 (.* )?40000( |$)' \
		"over time: what lives, and an end of a process ends it"
	is "$(said 'live says'); $(said 'peak says'); $(said 'live most')" \
		"at most 625 KiB at once; at most 625 KiB at once; 640000" \
		"over time: the most that lived, however briefly"
	is "$(said 'live leaks' | sed 's/[^ ]*!//')" \
		"$("$cpprof" report --leaks -f csv "$tmp/lived" | awk -F, '
		function s(n) {
			if (n >= 1)
				return sprintf("%.2f s", n)
			return sprintf("%.0f ms", 1000 * n)
		}
		NR > 1 {
			gsub(/;/, " > ")
			gsub(/"/, "")
			print "false; 100.0 % " $3, "332 KiB", s($7), s($8)
		}')" "what lives at the end, with its ages"
	shown 'peak leaks' true "... and what lived at the peak has none"
	"$cpprof" export --format=html --window=300ms.. -o "$tmp/page.html" \
		"$tmp/lived"
	in_browser "$tmp/page.html" page_time.js >"$tmp/lines"
	is "$(said bytes-allocated | cut -d ' ' -f 2)" "$("$cpprof" report -f csv -F \
		-r bytes-allocated --window=300ms.. "$tmp/lived" |
		awk -F, '$3 == "\"main\"" { print $6 ";" }')" "of a part of the run"
	# begins between what is got and the first end of it
	begin=0
	until [ "$("$cpprof" export -r bytes-allocated --window=${begin}ms.. \
		"$tmp/lived" | awk '{ n += $NF } END { print n + 0 }')" -lt 900001 ]; do
		begin=$((begin + 50))
	done
	"$cpprof" export --format=html --window=${begin}ms.. -o "$tmp/page.html" \
		"$tmp/lived"
	in_browser "$tmp/page.html" page_time.js >"$tmp/lines"
	is "$(said 'live says')" "at most 586 KiB at once" "... of which what began before is no part"
	"$cpprof" export --format=html -o "$tmp/page.html" - <"$tmp/lived"
	in_browser "$tmp/page.html" page_time.js >"$tmp/lines"
	like "$(said live)" '^true; ' "what can be read but once has none"
else
	skip 9 "what is freed cannot be seen: $(head -n 1 "$tmp/log")"
fi

# A time passed before its sample, and not in the instant when that was taken.
if can_profile && "$cpprof" run -q -r blocked -o "$tmp/wait" -- sleep 0.5 2>"$tmp/log"; then
	"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/wait"
	in_browser "$tmp/page.html" page_time.js >"$tmp/lines"
	parts=$(said 'blocked parts')
	[ "${parts:-0}" -ge 20 ]
	ok $? "one sample of a wait is in all the parts in which it passed ($parts)"
else
	skip 1 "no waits: $(head -n 1 "$tmp/log")"
fi

# What is counted or timed in system calls has them, as in a report.
if can_profile && "$cpprof" run -q -r cpu,syscalls:1 -o "$tmp/calls" -- \
	"$samples/sysmix" >/dev/null 2>&1; then
	"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/calls"
	in_browser "$tmp/page.html" page_time.js >"$tmp/lines"
	is "$(said 'syscalls functions' | tr ';' '\n' |
		sed -n 's/^ *\([0-9.]* %\) .* \([[]read]\) .*/\1 \2/p')" \
		"$("$cpprof" report -F -r syscalls "$tmp/calls" |
			sed -n 's/^ *\([0-9.]* %\) .* \([[]read]\) .*/\1 \2/p')" \
		"system calls are functions"
	unlike "$(said 'cpu functions')" '[[]read]' "... of cpu they are not"
else
	skip 2 "no system calls can be counted"
fi

# Names that would end the script, or turn the text around.
printf '%s\n' 'main;</script> 4' 'main;<img src=x onerror=alert(1)> 3' \
	"main;x'\"&<!-- 2" "$(printf 'main;a\342\200\256b\001c 1')" \
	>"$tmp/folded"
"$cpprof" import --from=folded -o "$tmp/evil" "$tmp/folded" 2>"$tmp/log"
"$cpprof" export --format=html -o "$tmp/page.html" "$tmp/evil"
in_browser "$tmp/page.html" page_names.js >"$tmp/lines"
shown names "main; </script>; <img src=x onerror=alert(1)>; \
x'\"&<!--; a\\xe2\\x80\\xaeb\\x01c" "hostile names are text"
shown images 0 "and no elements"
done_testing
