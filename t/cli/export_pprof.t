#!/bin/sh
# What pprof itself makes of our profiles: the figures are those of our reports,
# and of totals and losses.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
fixture=$top_builddir/t/lib/make_fixture
"$fixture" cpprofdata && "$fixture" tasks tasks && "$fixture" hostile hostile ||
	exit 99

is "$("$cpprof" export -f pprof | head -c 2 | od -An -tx1)" " 1f 8b" "it is gzip"
"$cpprof" export -f pprof -o full.pb.gz
is "$?$(ls)" "0cpprofdata
full.pb.gz
hostile
tasks" "-o leaves nothing else"
"$cpprof" export -f pprof >again.pb.gz
cmp -s full.pb.gz again.pb.gz
ok $? "the same each time, on standard output too"

if command -v protoc >/dev/null; then
	# decoded PROFILE: as text, by a reader that knows nothing of ours
	decoded() {
		gzip -dc "$1" | protoc --proto_path="$top_srcdir/t/lib" \
			--decode=perftools.profiles.Profile profile.proto
	}
	decoded full.pb.gz >text 2>err
	is "$?$(cat err)" 0 "protoc decodes it"
	is "$(grep -c '^sample_type {' text)" 3 "a type for each resource"
	is "$(grep -c '^ *has_functions: true' text)" "$(grep -c '^mapping {' text)" \
		"nobody need look for symbols"
	# each sample has one value that is not 0
	is "$(awk '/^sample \{/ { n = 0 } /^  value: [1-9]/ { n++ }
		/^  value:/ { all++ } /^\}/ { if (n) print n; n = 0 }' text |
		sort -u)" 1 "a sample has a value of its own type alone"
	# locations lie in their mappings, and no two mappings overlap
	awk '/^mapping \{/ { id = lo = hi = 0; at = 1 }
		/^location \{/ { m = a = 0; at = 2; lines = 0 }
		/^  id: / && at == 1 { id = $2 }
		/memory_start: / { lo = $2 } /memory_limit: / { hi = $2 }
		/^  mapping_id: / { m = $2 } /^  address: / { a = $2 }
		/^  line \{/ { lines++ }
		/^\}/ && at == 1 { start[id] = lo; limit[id] = hi; at = 0
			for (i in start)
				if (i != id && lo < limit[i] && start[i] < hi)
					print "overlap", i, id }
		/^\}/ && at == 2 { at = 0
			if (!lines || m && (a < start[m] || a >= limit[m]))
				print "location", m, a }' text >wrong
	is "$(cat wrong)" "" "locations lie in their mappings"
	"$cpprof" export -f pprof hostile -o hostile.pb.gz
	decoded hostile.pb.gz >text 2>err
	is "$?$(cat err)" 0 "hostile names too"
	like "$(cat text)" '^string_table: "new.{1,2}x0aline!"$' \
		"control characters are escaped"
else
	skip 7 "no protoc"
fi

if ! go tool pprof -h >go.log 2>&1 && ! grep -q '^  Output formats' go.log; then
	skip 11 "no go tool pprof"
	done_testing
	exit
fi
export HOME="$tmp" PPROF_TMPDIR="$tmp"

# pprof OPTIONS: what go's pprof prints of a profile
pprof() {
	go tool pprof -symbolize=none "$@" 2>err
}

pprof -top -nodecount=100000 -nodefraction=0 -unit=us full.pb.gz >top
is "$?$(cat err)" 0 "pprof reads it"
"$cpprof" report -B -t 0 -f csv -r cpu | sed -n 's/^body,"cpu","\(.*\)",[0-9.]*,[0-9]*,\([0-9]*\),.*/\2 \1/p' |
	sed 's/\\x3b/;/g' | sort >ours
awk 'body && $1 != "0" { self = $1; sub(/us$/, "", self)
	sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, "")
	sub(/ \(inline\)$/, ""); print self, $0 }
	/^ *flat  flat%/ { body = 1 }' top | sort >theirs
is "$(cat theirs)" "$(cat ours)" "bodies of functions, as pprof adds them up"
like "$(cat top)" 'Total samples = ' "a total"
total=$(pprof -raw full.pb.gz | sed -n '/^Samples:/,/^Locations/p' |
	awk '/^ *[0-9]+ +[0-9]+ +[0-9]+: / { sub(/:$/, "", $3)
		cpu += $1; fault += $2; major += $3 }
		END { print cpu, fault, major }')
is "$total" "$("$cpprof" info | sed -n 's/^  samples and losses: \([0-9]*\).*/\1/p' |
	tr '\n' ' ' | sed 's/ $//')" "totals are the books'"
pprof -comments full.pb.gz >comments
like "$(cat comments)" "^resource cpu: gtick us; interval 1000; hits 100;" \
	"the books are in the comments"
like "$(cat comments)" "^command: shop --big a b$" "and the command"
for way in '-top -lines' -traces -dot -callgrind -tree; do
	pprof $way full.pb.gz >out
	[ $? -eq 0 ] && [ -s out ] && [ ! -s err ]
	ok $? "pprof $way"
done
pprof -top -diff_base=full.pb.gz full.pb.gz >out
like "$(cat out)" "accounting for 0, " "a profile less itself is nothing"

"$cpprof" export -f pprof tasks -o tasks.pb.gz
pprof -tags tasks.pb.gz >tags
like "$(cat tags)" "worker 202" "a thread is a label"
pprof -raw -tagfocus='thread=worker 203' tasks.pb.gz >focused
like "$(cat focused)" "^ *6000: " "by which pprof selects"
"$cpprof" export -f pprof --no-labels tasks -o less.pb.gz
pprof -tags less.pb.gz >tags
unlike "$(cat tags)" "worker" "--no-labels leaves them out"
"$cpprof" export -f pprof --thread worker tasks -o kept.pb.gz
pprof -raw kept.pb.gz >kept
is "$(sed -n '/^Samples:/,/^Locations/p' kept | awk '/^ *[0-9]+: / {
	sub(/:$/, "", $1); n += $1 } END { print n }')" \
	"$("$cpprof" report -T -t 0 -f csv --thread worker tasks |
		awk -F, '$8 == 0 { n += $6 } $8 == 1 { m += $6 } END { print m }')" \
	"filters keep what they keep in reports"
done_testing
