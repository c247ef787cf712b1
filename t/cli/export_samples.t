#!/bin/sh
# Exports that go sample by sample: perf-script, as the tools that read perf's
# output do, and the Firefox Profiler's format, by its own validator.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
fixture=$top_builddir/t/lib/make_fixture
"$fixture" cpprofdata && "$fixture" tasks tasks && "$fixture" hostile hostile &&
	"$fixture" varied varied || exit 99

# perf-script
# profiles FILE: what reports say of each resource, but for files and call sites,
# which perf does not print
profiles() {
	for profile in -F -B -T; do
		"$cpprof" report $profile -t 0 -f csv "$1" 2>/dev/null |
			sed 's/,"[^"]*","[^"]*"$//' | sort
	done
	"$cpprof" report --processes -f csv "$1" | cut -d, -f2,3,7,9,10 | sort
	"$cpprof" report --threads -f csv "$1" | cut -d, -f2,3,7,9,10 | sort
}
for file in cpprofdata tasks hostile varied; do
	"$cpprof" export -f perf-script $file -o $file.txt
	"$cpprof" import -q $file.txt -o back
	# It has two functions of one name in one module, which perf's text has not.
	if [ $file != varied ]; then
		profiles $file >wanted
		profiles back >got
		cmp -s wanted got && [ -s got ]
		ok $? "perf-script of $file comes back as the same profiles"
	fi
	"$cpprof" export -f perf-script back -o again.txt
	is "$(grep -c ': $' again.txt)" "$(grep -c ': $' $file.txt)" \
		"sample by sample"
	# Each line is what flame graph tools know it by: a comment, an event, a
	# frame, or nothing.
	is "$(grep -Evn '^#|^$|^[^ 	]+( [^ ]*)? +[0-9]+/[0-9]+ +[0-9]+\.[0-9]+: +[0-9]+ .*: $|^	 *[0-9a-f]+ .+ \(.*\)$' \
		$file.txt)" "" "lines as perf prints them"
	is "$(sed -n 's/^[^#	].* \([0-9.]*\): [0-9]* [^ ]*: $/\1/p' $file.txt |
		LC_ALL=C sort -c -n 2>&1)" "" "in order of time"
	is "$(awk '/^[^#	].*: $/ { w[$NF] += $(NF - 1) }
		END { for (r in w) print r, w[r] }' $file.txt | sort)" \
		"$("$cpprof" info $file | awk '/^resource / { r = $2 }
		/samples and losses: / && $4 > 0 { print r ":", $4 }' | sort)" \
		"weights add up to the books"
done
"$cpprof" export -f perf-script --elide='/./' cpprofdata >elided
like "$(cat elided)" " 0 \[elided\] \(\[unknown\]\)$" \
	"what has no frame to show is told"
"$cpprof" export -f perf-script --thread worker tasks >kept
is "$(grep -c '^worker ' kept) $(grep -c '^sh' kept)" "3 0" "filters count"
# Code of a clone that lies elsewhere is at no offset of its function.
printf 'prog 1 1.0: 1 cpu:\n\t500010 work.cold+0x10 (/p)\n\t401100 main+0x9 (/p)\n\n' |
	"$cpprof" import -q --from=perf -o clone -
"$cpprof" export -f perf-script clone >clone.txt
is "$(sed -n 's/^	 *[0-9a-f]* \(.*\) (.*/\1/p' clone.txt | tr '\n' ' ')" \
	"work main+0x9 " "perf-script: no offset for a clone's code"
# Names that end a script or a line, turn the text around or look like something
# else.
{
	printf '%s\n' 'main;</script> 4' 'main;it"s\ {"a":1} 3' 'main;# x 1' \
		'main;f (inlined) 2' 'main;f+0x12 (/bin/x) 1'
	printf 'main;a\342\200\256b\001\033[31mc\011d 1\n'
} | "$cpprof" import -q --from=folded -o evil -
profiles evil >wanted
for format in folded perf-script firefox; do
	"$cpprof" export -f $format -o evil.out evil
	unlike "$(cat evil.out)" "$(printf '\342\200\256|[\001\033]')" \
		"$format: no control characters, no marks of direction"
	like "$(cat evil.out)" 'a\\{1,2}xe2\\{1,2}x80\\{1,2}xaeb' "... but their bytes"
done
for format in perf-script pprof; do
	"$cpprof" export -f $format evil | "$cpprof" import -q -o back -
	profiles back >got
	cmp -s wanted got && [ -s got ]
	ok $? "$format: odd names come back"
done
"$cpprof" export -f perf-script - <tasks >out 2>err
is "$?" 1 "standard input is read once only"
like "$(cat err)" "standard input: export: it cannot be read a second time" \
	"which is told"

# names as in reports: short ones where the format or the user wants them
for format in folded perf-script firefox html; do
	for names in usual short full; do
		option=--names=$names was="names $names; "
		[ $names != usual ] || option= was=
		case $names-$format in
		short-* | usual-html) style=short name='std::vector<int>::push_back' ;;
		*) style=full name='std::vector<int, std::allocator<int> >::push_back' ;;
		esac
		"$cpprof" export -f $format $option cpprofdata >named
		"$cpprof" shell -c "${was}export $format" cpprofdata >named.shell
		cmp -s named named.shell && if [ $format = html ]; then
			# the data is packed: two styles differ, the usual one is short
			"$cpprof" export -f html --names=$style cpprofdata | cmp -s - named
		else
			grep -qF "$name" named
		fi
		ok $? "$format: $names names are $style"
	done
done
"$cpprof" export -f pprof --names=short cpprofdata | "$cpprof" import -q -o back -
like "$("$cpprof" export back)" 'main;std::vector<int>::push_back 6$' "pprof: short names"
"$cpprof" export -f html --names=full cpprofdata | cmp -s - named
is "$?" 0 "html: full names, in the shell too"
"$cpprof" export -f html cpprofdata | cmp -s - named
is "$?" 1 "... which are others"
like "$("$cpprof" export --names=long 2>&1)" "^cpprof: long: names: no such value" \
	"no third kind"

# firefox
for file in cpprofdata tasks hostile; do
	"$cpprof" export -f firefox $file -o $file.json
	ok $? "firefox"
done
if command -v python3 >/dev/null; then
	cat >check.py <<'X'
import json, sys
profile = json.load(open(sys.argv[1]))
sums = {}
for t in profile["threads"]:
    for name in ("samples", "stackTable", "frameTable", "funcTable",
                 "resourceTable", "markers"):
        table = t[name]
        for column, values in table.items():
            if isinstance(values, list):
                assert len(values) == table["length"], (name, column)
    stacks, frames, funcs = t["stackTable"], t["frameTable"], t["funcTable"]
    strings = t["stringArray"]
    assert all(p is None or p < i for i, p in enumerate(stacks["prefix"]))
    assert all(f < frames["length"] for f in stacks["frame"])
    assert all(f < funcs["length"] for f in frames["func"])
    assert all(n < len(strings) for n in funcs["name"])
    assert all(r < t["resourceTable"]["length"] for r in funcs["resource"])
    assert all(l < len(profile["libs"]) for l in t["resourceTable"]["lib"])
    assert all(s < stacks["length"] for s in t["samples"]["stack"])
    assert t["samples"]["time"] == sorted(t["samples"]["time"])
    resource = t["tid"].split(" ", 1)[1]
    sums[resource] = sums.get(resource, 0) + sum(t["samples"]["weight"])
    assert t["samples"]["weightType"] in ("samples", "bytes", "tracing-ms")
print(" ".join("%s=%.10g" % x for x in sorted(sums.items())))
X
	is "$(python3 check.py cpprofdata.json)" "cpu=100 pagefaults=35" \
		"tables fit, and weights are the books' (in ms)"
	is "$(python3 check.py tasks.json)" "cpu=100" "with losses"
	python3 check.py hostile.json >/dev/null
	ok $? "hostile names are JSON"
	unlike "$(cat hostile.json)" "</script|$(printf '\033')" "without what a page obeys"
else
	skip 4 "no python3"
fi
# The front end's own code, from the npm registry.
if [ -n "${SANITIZERS:-}" ]; then
	skip 5 "looks at what is written, not at memory"
elif ! command -v npm >/dev/null; then
	skip 5 "no npm"
elif ! HOME=$tmp timeout -k 5 100 npm install --no-audit --no-fund \
	--prefix "$tmp/npm" @firefox-devtools/profiler-cli@0.10.0 >npm.log 2>&1; then
	skip 5 "profiler-cli cannot be installed: $(tail -n 1 npm.log)"
else
	# cli ARGS: of a session whose files are in $tmp
	cli() {
		HOME=$tmp PROFILER_CLI_SESSION_DIR=$tmp/session timeout -k 5 60 \
			node "$tmp/npm/node_modules/.bin/profiler-cli" "$@"
	}
	# It gives its own server 10 * 50 ms to start, before it reads a profile;
	# that takes 200 ms of CPU time, and longer where much else runs.
	sed -i 's/,g=10,y=0;for(;y<g;)/,g=1000,y=0;for(;y<g;)/' \
		npm/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js
	cli load "$tmp/tasks.json" >load.log 2>&1
	like "$(cat load.log)" "^Session started" "the Firefox Profiler loads it"
	cli thread list >list 2>&1
	like "$(cat list)" "worker" "with its threads"
	cli thread select t-1 >/dev/null 2>&1
	cli thread samples >samples 2>&1
	like "$(cat samples)" "db_read_record - self: 50ms" \
		"and the figures of reports"
	cli thread list --json >list.json 2>&1
	awk -F'"' '$2 == "threadHandle" { handle = $4 }
		$2 == "tid" { print handle, $4 }' list.json |
		while read -r handle tid resource; do
			echo "$tid $(cli thread functions --thread $handle --limit 0 --json 				2>&1 </dev/null |
				awk '/"selfSamples":/ { ms += $2 } END { print ms }')"
		done | sort >theirs
	is "$(grep -v '^0 ' theirs)" "$("$cpprof" report --threads -t 0 -f csv tasks |
		awk -F, 'NR > 1 { print $7, $10 / 1000 }' | sort)" \
		"each thread's total"
	is "$(awk '{ ms += $2 } END { print ms }' theirs)" 100 \
		"losses of no one thread make it what was consumed"
	cli stop --all >/dev/null 2>&1
fi
done_testing
