#!/bin/sh
# The call graph and the cycles of the papers' examples, run: what
# t/unit/analyzer/callgraph_test.c derives by hand, within the noise of a clock.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

can_profile || skip_all "cannot sample here: $why"
data=$tmp/data

# profile SAMPLE: by cpu
profile() {
	"$cpprof" run -q -r cpu:500us -o "$data" -- "$samples/$1" >/dev/null
	ok $? "$1 is profiled"
	"$cpprof" callgraph -t 0 -f csv "$data" | tr -d '"' >"$tmp/graph"
	chances=$(awk -v hits="$(of cpu hits)" -v each="$(each cpu)" \
		'BEGIN { print hits / each }')
}

# near RELATION F OTHER SELF CHILDREN: in %, of the run less what is outside of
# its main (_start, the loader), but for chance, and a point
near() {
	near_got=$(awk -F, -v relation="$1" -v f="$2" -v other="$3" '
		$3 == "function" && $4 == "main" { all = $9 }
		{ line[NR] = $0 }
		END {
			for (i in line) {
				split(line[i], c, ",")
				if (c[3] == relation && c[4] == f &&
					c[6] == other)
					printf "%.1f %.1f", 100 * c[10] / all,
						100 * c[11] / all
			}
		}' "$tmp/graph")
	awk -v got="${near_got:-0 0}" -v self="$4" -v children="$5" \
		-v n="$chances" '
		function far(got, p, by) {
			by = 1 + 4.4 * sqrt(p * (100 - p) / n)
			return got > p + by || got < p - by
		}
		BEGIN {
			split(got, g)
			exit far(g[1], self) || far(g[2], children)
		}'
	ok $? "$what: $1 $2 $3: $4 + $5 % ($near_got)"
}

# In 50 parts of 2 % each, see t/unit/analyzer/callgraph_test.c
what=pqr
profile pqr
near function P "" 0 100
near caller P main 0 24
near caller P Q 0 76
near callee P Q 0 40
near callee P R 0 32
near callee P S 28 0
near function Q "" 0 92
near caller Q P 0 92
near callee Q P 0 52
near callee Q S 40 0
near function R "" 0 32
near callee R S 32 0
near caller S P 28 0
near caller S Q 40 0
near caller S R 32 0
is "$(grep -c '^callgraph,cpu,caller,R,' "$tmp/graph")" 1 "R is called by P only"
"$cpprof" callgraph --cycles -f csv "$data" | tr -d '"' >"$tmp/cycles"
is "$(sed 1d "$tmp/cycles" | cut -d, -f 3)" "P;Q" "the one cycle that happened"
is "$(sed 1d "$tmp/cycles" | cut -d, -f 8)" 4 "went round four times at most"
like "$("$cpprof" callgraph --cycles "$data")" 'P > Q > P' "cycles in text"

what=fig1
profile fig1
near function c "" 50 50
near caller c a 25 25
near caller c b 25 25
near callee c d 50 0
near function a "" 0 50
near callee a c 25 25
near function b "" 0 50
near callee b c 25 25
is "$("$cpprof" callgraph --cycles -f csv "$data" | sed 1d)" "" "fig1 has no cycle"

# the three forms, and the shell, say the same
out=$("$cpprof" callgraph --around=c "$data")
like "$out" "^ +[0-9.]+ % .* a\$" "callers stand above"
like "$out" "^ +[0-9.]+ % .* {5,}d\$" "callees stand below"
is "$("$cpprof" shell -c 'peek c' "$data")" "$out" "peek of the shell is the same"
if python3 -c 'import json' 2>/dev/null; then
	is "$("$cpprof" callgraph --around=c -f json "$data" | python3 -c '
import json, sys
p = json.load(sys.stdin)
e = p["entries"][0]
print(len(p["entries"]), e["function"], sorted(
    x["function"] for x in e["callers"]), e["callees"][0]["function"],
    sum(x["weight"] for x in e["callers"]) == e["weight"])')" \
		"1 c ['a', 'b'] d True" "JSON"
else
	skip 1 "no python3"
fi
for form in '' --cycles; do
	"$cpprof" callgraph $form -f json "$data" |
		"$top_builddir/t/lib/check_schema" \
			"$top_srcdir/man/cpprof-profile.schema.json" --closed >"$tmp/said"
	is "$?" 0 "JSON${form:+ of the cycles} is as the schema says"
done
out=$("$cpprof" callgraph --around=nosuch "$data" 2>&1)
is "$?" 1 "a function that is not there is an error"
like "$out" "no function 'nosuch'" "and is named"
done_testing
