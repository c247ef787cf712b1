#!/bin/sh
# Other tools' samples: what comes in is what was there, what is malformed is
# told, and what cpprof writes for others comes back as the same profiles.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
fixture=$top_builddir/t/lib/make_fixture
"$fixture" full && "$fixture" tasks tasks && "$fixture" hostile hostile &&
	"$fixture" large large && "$fixture" varied varied || exit 99

# import_ ARGS: $rc and $err
import_() {
	err=$("$cpprof" import "$@" 2>&1 >out)
	rc=$?
}

# profiles FILE: what reports say of each resource
profiles() {
	for profile in -F -B -T '-T --sites'; do
		"$cpprof" report $profile -t 0 -f csv "$1" 2>/dev/null | sort
	done
}

# folded
cat >stacks <<'X'
main;parse;read 40
main;parse 7
main;operator();call <int> 3
[truncated];deep 2

main;with\x3bsemicolon 1
X
import_ stacks -o in
is "$rc$err" "0cpprof: 53 samples of folded in in; a stack's weight is its count" \
	"folded stacks"
is "$("$cpprof" export in)" "$(grep . stacks)" "come out as they came in"
like "$("$cpprof" report -B in)" "53 samples" "with their samples"
is "$("$cpprof" report -F -t 0 -f csv in | sed -n 's/^function,"samples","with\(.*\)sem.*/\1/p')" \
	'\x3b' "a ; in a name is one"
like "$("$cpprof" info in)" "^  consumed: not known$" "what was consumed is unknown"
like "$("$cpprof" info in)" "^exit status: not known$" "so is how it ended"
unlike "$("$cpprof" info in)" "difference:|1970|user 0" "and nothing is made up"
echo 'runtime.goexit.abi0;main.main 1' | "$cpprof" import -q - -o piped
is "$("$cpprof" export piped)" 'runtime.goexit;main.main 1' "Go's names are as cpprof has them"
"$cpprof" import -q - -o piped <stacks
is "$("$cpprof" export piped)" "$(grep . stacks)" "from standard input"
grep . stacks | cat | "$cpprof" import -q - -o piped
is "$("$cpprof" export piped)" "$(grep . stacks)" "from a pipe"
for kind in full hostile large; do
	"$cpprof" export "$kind" >"$kind.folded"
	import_ -q "$kind.folded" -o back
	"$cpprof" export back >again
	cmp -s "$kind.folded" again
	ok $? "$kind: folded, in and out"
	"$cpprof" export -f pprof back >p.gz && import_ p.gz -o back2 &&
		"$cpprof" export back2 >again
	cmp -s "$kind.folded" again
	ok $? "$kind: folded, pprof, folded"
done

# What has the same text is one line, and lines of one count are in its order.
cat >same <<'X'
# resource r: gtick event; interval 10; hits 4; samples 3; in samples 40
a 1/1 1.0: 10 r: 
	10 f+0x1 (/bin/a)
	20 z+0x1 (/bin/a)

a 1/1 1.1: 10 r: 
	10 f+0x1 (/lib/b)
	20 z+0x1 (/lib/b)

a 1/1 1.2: 20 r: 
	30 y+0x1 (/bin/a)

a 1/1 1.3: 15 r: 
	20 [unsampled] ([unknown])

X
import_ -q --from=perf same -o in
is "$("$cpprof" export in)" "[unsampled] 2
y 2
z;f 2" "functions of one name in two files are one in folded stacks"
"$cpprof" export in | "$cpprof" import -q - -o back
is "$("$cpprof" export back)" "$("$cpprof" export in)" "which come back so"
cat >uneven <<'X'
a 1 1.0: 3 faults: 
	10 f (/bin/a)

a 1 1.1: 60 faults: 
	10 g (/bin/a)

X
import_ -q uneven -o in
is "$("$cpprof" export in)" "g 60
f 3" "where the interval varied, a count is what the sample weighs"

# What flame graph programs add to names stays: folded in and out is identical.
printf '%s\n' 'main;a;b_[i];c_[i];d 4' 'java;run_[j];sys_read_[k] 3' 'main;b 2' \
	'x_[i];_[k] 1' >marked
import_ -q marked -o in
"$cpprof" export in | cmp -s - marked
ok $? "_[i], _[j] and _[k] stay in names"

# pprof, which says of a function without a declaration where its code is
no_files() {
	sed 's/,"[^"]*","\([^"]*\)"$/,"\1"/'
}
for kind in full tasks hostile large varied; do
	profiles $kind | no_files >wanted
	"$cpprof" export -f pprof $kind | "$cpprof" import -q - -o back
	profiles back | no_files >got
	cmp -s wanted got && [ -s got ]
	ok $? "$kind: pprof comes back as the same profiles"
done
is "$("$cpprof" report -F -f csv back | sed -n 's/.*"receipt".*"shop","\(.*\)",""$/\1/p')" \
	shop.go "with the files that declare them"
"$cpprof" export varied >folded
"$cpprof" export back | cmp -s - folded
ok $? "and as the same folded stacks"
# counts FILE: what is summed over threads, and of each resource
counts() {
	for profile in -F -B -T; do
		"$cpprof" report $profile -t 0 -f csv "$1" 2>/dev/null | sort
	done
	"$cpprof" info "$1" | grep "hits in"
}
for kind in full tasks varied; do
	counts $kind | no_files >wanted
	"$cpprof" export -f pprof --no-labels $kind | "$cpprof" import -q - -o back
	counts back | no_files >got
	cmp -s wanted got && [ -s got ]
	ok $? "$kind: without labels of threads too"
done
printf '%s 1/%d 1.%d: %d cpu: \n\t10 f (/bin/a)\n\n' a 1 1 10 b 2 2 20 |
	"$cpprof" import -q -o two --from=perf -
for labels in "" --no-labels; do
	"$cpprof" export -f pprof --group=thread $labels two |
		"$cpprof" import -q - -o back
	is "$("$cpprof" export back)" "$("$cpprof" export --group=thread two)" \
		"threads as groups keep their figures${labels:+ with }$labels"
done
if command -v protoc >/dev/null; then
	coded() {
		protoc --proto_path="$top_srcdir/t/lib" \
			--$1=perftools.profiles.Profile profile.proto
	}
	"$cpprof" export -f pprof full | gzip -dc | coded decode |
		sed '/^  label {/,/^  }/d' | coded encode | "$cpprof" import -q - -o back
	like "$("$cpprof" info back)" "samples: how many hits and samples a stack had is estimated" \
		"where somebody took the labels away they are estimated"
	is "$("$cpprof" report -T -f csv back | cut -d, -f6 | tail -n +2 | sort -u | tail -n 1)" \
		"$("$cpprof" report -T -f csv full | cut -d, -f6 | tail -n +2 | sort -u | tail -n 1)" "weights are exact"
else
	skip 2 "no protoc"
fi
"$cpprof" export -f pprof tasks | "$cpprof" import -q - -o back
"$cpprof" report --threads -f csv tasks | cut -d, -f2,4,7 >wanted
"$cpprof" report --threads -f csv back | cut -d, -f2,4,7 >got
is "$(sort got)" "$(sort wanted)" "threads by name and number"
"$cpprof" export -f pprof full | gzip -dc >plain
import_ plain -o back
is "$rc" 0 "pprof that is not packed"
"$cpprof" export -f pprof full >packed
head -c 200 packed >cut
import_ cut -o none
is "$rc" 1 "pprof that is cut"
like "$err" "cut: unpack: it is cut or broken" "is told"
[ ! -e none ] && [ ! -e none.partial ]
ok $? "and nothing is written"
head -c 300 plain >cut
import_ cut -o none --from=pprof
like "$err" "^cpprof: cut: byte [0-9]+ of what is unpacked: " "unpacked, with the byte"

# go's own: two types, nanoseconds, a period
if go version >/dev/null 2>&1 && [ -z "${SANITIZERS:-}" ]; then
	mkdir go && cat >go/main.go <<'X'
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

var kept [1000]*[64]byte

func init() {
	runtime.MemProfileRate = 1
	for i := range kept {
		kept[i] = new([64]byte)
	}
}

//go:noinline
func work(n int) (s int) {
	for i := 0; i < n; i++ {
		s += i % 7
	}
	return
}

func main() {
	f, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(f)
	for i := 0; i < 60; i++ {
		work(10000000)
	}
	pprof.StopCPUProfile()
	f.Close()
	h, _ := os.Create("heap.pb.gz")
	pprof.WriteHeapProfile(h)
	h.Close()
}
X
	(cd go && HOME=$tmp GOFLAGS=-mod=mod GO111MODULE=off \
		timeout -k 5 120 go run main.go) >go.log 2>&1
fi
if [ -s go/heap.pb.gz ]; then
	import_ go/heap.pb.gz -o gh
	like "$("$cpprof" report -B -r alloc_objects gh | head -n 1)" \
		'^alloc_objects [1-9] [0-9]* +[0-9]+ samples   what was' \
		"one sample has many objects: they are not each sampled"
else
	skip 1 "no heap profile of Go: $(tail -n 1 go.log 2>&1)"
fi
if [ -s go/cpu.pb.gz ]; then
	import_ go/cpu.pb.gz -o gp
	is "$rc" 0 "a profile of Go's runtime"
	is "$("$cpprof" report -F -t 0 -f csv -r cpu gp | sed 1d |
		sed -n 's/.*"main.work",[0-9.]*,\([0-9]*\),\([0-9]*\),\([0-9]*\),.*/\1 \2 \3/p')" \
		"$(HOME=$tmp go tool pprof -raw go/cpu.pb.gz 2>/dev/null | awk '
			/^Locations/ { at = 2 } /^Samples:/ { at = 1 }
			at == 1 && /: / { v[++n] = $0 }
			at == 2 && / main\.work / { sub(/:.*/, ""); w[$1] = 1 }
			END { for (i = 1; i <= n; i++) {
				split(v[i], p, ":"); split(p[2], l, " ")
				for (k in l) if (l[k] in w) {
					split(p[1], x, " "); hits += x[1]
					ns += x[2]; break } }
				print hits, ns / 1000, hits }')" \
		"its samples and microseconds, as pprof has them"
	like "$("$cpprof" report -F -f csv -r cpu gp)" '"main.work".*main.go"' \
		"and its files"
	profiles gp >wanted
	"$cpprof" export -f pprof gp | "$cpprof" import -q - -o back
	profiles back >got
	cmp -s wanted got && [ -s got ]
	ok $? "from which a profile of ours comes back, too"
else
	skip 4 "no go, or it took too long"
fi

# perf script
cat >script <<'X'
# ========
# cmdline : /usr/bin/perf record -g ./prog
#
prog  1234/1234 [001]  5000.000100:     250250 cpu-clock:pppH: 
	    55d0c0de1149 leaf+0x9 (/opt/me/prog)
	    55d0c0de1180 helper<int, char (*)(int)>+0x20 (inlined)
	    55d0c0de1180 main+0x20 (/opt/me/prog)
	    7f6fd92461ca __libc_start_call_main+0x7a (/usr/lib/libc.so.6)

Web Content 2  1234/1240 [000]  5000.000200:     250250 cpu-clock:pppH: 
	    55d0c0de1149 leaf+0x9 (/opt/me/prog)
	    7fffdeadbeef [unknown] (/tmp/a (b) (deleted))
	    55d0c0de1180 operator()(int)+0x20 (/opt/me/prog)

      dd  99/99 5000.000300:          7 page-faults:u: 
	ffffffff8104f45a native_write_msr+0x4 ([kernel.kallsyms])

swapper     0 [000] 5001.570607: sched:sched_switch: prev_comm=swapper/0 prev_pid=0
        ffffffff8103ce3b native_safe_halt ([kernel.kallsyms])
        ffffffff8101c6a3 default_idle ([kernel.kallsyms])

   cafe  77 5002.1: cycles:      7f00aa11 fn+0x1 (/bin/cafe)
   cafe  77 5002.2: cycles:      7f00aa11 fn+0x1 (/bin/cafe)
X
import_ script
is "$rc" 0 "perf script"
like "$err" "6 samples of perf .*its period, or 1 where none is printed" \
	"which weight it took is told"
is "$("$cpprof" report -T -t 0 -f csv | sed -n 's/^tree,//p' | cut -d, -f1-8 |
	sed -E 's/,[01]\.[0-9]+//g')" '"cpu-clock:pppH","__libc_start_call_main",1,250250,1,1
"cpu-clock:pppH","main",1,250250,1,2
"cpu-clock:pppH","helper<int, char (*)(int)>",1,250250,1,3
"cpu-clock:pppH","leaf",1,250250,1,4
"cpu-clock:pppH","operator()(int)",1,250250,1,1
"cpu-clock:pppH","[unknown]",1,250250,1,2
"cpu-clock:pppH","leaf",1,250250,1,3
"page-faults:u","native_write_msr",1,7,1,1
"sched:sched_switch","default_idle",1,1,1,1
"sched:sched_switch","native_safe_halt",1,1,1,2
"cycles","fn",2,2,2,1' "stacks, with inlined calls and odd names"
is "$("$cpprof" report --threads -t 0 -f csv -r cpu-clock:pppH |
	grep -c '"Web Content 2"')" 1 "a thread whose name has blanks and a number"
like "$("$cpprof" info)" "^  1234 prog, 2 threads$" "processes by number"
# A libc without symbols has no name for what starts a thread.
cat >unnamed <<'X'
x 1/11 1.0: 500 cpu-clock:
	10 decode+0x1 (/lib/liblzma.so.5)
	10 worker_start+0x1 (/lib/liblzma.so.5)
	10 libc.so.6+0x110771 (/lib/libc.so.6)

X
import_ -q -o unnamed.cpd unnamed
is "$("$cpprof" report --threads -f csv unnamed.cpd | sed -n '2s/.*,//p')" \
	'"worker_start"' "what a thread runs is not what starts it"
# What perf prints besides, by its options, changes nothing.
cat >plain <<'X'
node 7/7 1.0: 5 faults:u: 
	7f12 LazyCompile:*fib n.js:12 (/tmp/perf-7.map)
	7f34 inside (inlined)
	7f34 main+0x4 (/bin/node)

node 7/7 2.0: 5 faults:u: 
	7f34 main+0x4 (/bin/node)

X
cat >rich <<'X'
node     7/7     0.000000: PERF_RECORD_NAMESPACES 7/7 - nr_namespaces: 2
		[0/net: 4/0xeffffff9, 
		 1/uts: 4/0xeffffffb]
         node     7/7     0.100000: PERF_RECORD_COMM exec: node:7/7
node 7/7 1.0: 5 faults:u: 
	7f12 LazyCompile:*fib n.js:12 (/tmp/perf-7.map)
  perf-7.map[7f12]
	7f34 inside
  inside.h:33 (inlined)
	7f34 main+0x4 (/bin/node)
  ??:0
node 7/7 1.5: PERF_RECORD_MMAP2 7/7: [0x7fa8(0x26000) @ 0x1000 fe:00 3 0]: r-xp /usr/l
PERF_RECORD_FINISHED_ROUND
node 7/7 2.0: 5 faults:u: 
7f34 main+0x4 (/bin/node)
X
import_ plain -o in
profiles in | sed '/inside/,$s/"[^"]*"$/""/' >wanted
import_ rich -o in
profiles in | sed '/inside/,$s/"[^"]*"$/""/' >got
is "$rc$err" "0cpprof: 2 samples of perf in in; a sample's weight is its period" \
	"records of other kinds are no samples"
cmp -s wanted got && [ -s got ]
ok $? "... and lines of sources are no frames"
# The lines that -F +srcline tells are call sites; what has no line has none.
cat >lines <<'X'
prog 7/7 1.0: 5 faults:u: 
	7f12 leaf+0x2 (/bin/prog)
  leaf.c:12
	7f34 inside
  inside.h:33 (inlined)
	7f34 main+0x4 (/bin/prog)
  main.c:40
	7f56 start+0x4 (/lib/libc.so.6)
  libc.so.6[7f56]

prog 7/7 2.0: 5 faults:u: 
	7f12 leaf+0x2 (/bin/prog)
  leaf.c:12
	7f3a main+0xa (/bin/prog)
  vector.h:41 (discriminator 2)
	7f56 start+0x4 (/lib/libc.so.6)
  ??:0

X
import_ lines -o in
is "$("$cpprof" report -t 0 -f csv --down=main --sites in |
	sed -n 's/^down,"faults:u",\("[^"]*"\),.*,\("[^"]*"\)$/\1 \2/p' | sort)" \
	'"main" ""
"main;inside" ";main.c:40"
"main;inside;leaf" ";main.c:40;inside.h:33"
"main;leaf" ";vector.h:41"' "lines of sources are call sites"
is "$("$cpprof" report -F -t 0 -f csv in | grep -c '"main",1.0')" 1 \
	"and a function whose lines are of two files is one"
# Names that perf-map-agent's unfoldall joins, and some that look like these.
cat >java <<'X'
java 8/8 3.0: 5 faults:u: 
	7f12 La/A;.f->Lb/B;::g->Lc/C;.h (/tmp/perf-8.map)
	7f13 La/A;.run (/tmp/perf-8.map)
	7f14 La/A;.f->b (/tmp/perf-8.map)
	7f15 La/A;.f->Lb/B;.g (/bin/x)
	7f16 T::operator-> (/tmp/perf-8.map)

X
import_ java -o in
is "$("$cpprof" export in)" \
	'T::operator->;La/A\x3b.f->Lb/B\x3b.g;La/A\x3b.f->b;La/A\x3b.run;La/A\x3b.f;Lb/B\x3b::g;Lc/C\x3b.h 1' \
	"Java methods that are inlined in others"
is "$("$cpprof" export --no-inlines in | sed 's/.*run;//')" 'La/A\x3b.f 1' \
	"are inlined calls"
printf 'a 1 1.0: 1 x: \n\t0 [lost] ([unknown])\n\t0 f ([unknown])\n' >over
import_ over -o in
is "$rc $("$cpprof" export in)" "0 f;[lost] 1" "a loss is a whole stack"
printf 'node   7 \n\t7f12 LazyCompile:*fib n.js:12\n\t7f34 main\n\n' >bare
import_ bare -o in
is "$rc $("$cpprof" export in)" "0 main;LazyCompile:*fib n.js:12 1" \
	"bare threads and frames are known for what they are"

# perf record -F 999; less than a microsecond of each period is lost, and the sum,
# 999.999 ms, is shown with three figures
yes 'a 1 1.0: 1001001 cpu-clock:
	12 f (x)
' | head -n 2997 >clock
import_ clock -o in
is "$rc $("$cpprof" report in | grep samples)" \
	"0 cpu-clock 1.00 s   999 samples, one every 1.001 ms" \
	"periods that are no whole microseconds are times"
printf 'a 1 1.0: 1001 cpu-clock:\n\t12 f (x)\n' >clock
import_ clock -o in
like "$("$cpprof" report in | grep sample,)" \
	"^cpu-clock 1 001   1 sample, one every 1001 nanoseconds" \
	"unless that loses more than a thousandth"

printf 'a 1 1.0: cycles:\n\t12 f (x)\n\nnonsense\n' >bad
import_ bad -o none
is "$rc" 1 "a line that is none"
like "$err" "^cpprof: bad: line 4: neither an event nor a frame" "is told by number"
printf 'a;b 1\na;b\n' >bad
import_ bad -o none
like "$err" "^cpprof: bad: line 2: no stack with a count" "in folded stacks, too"
printf 'a;b 1\n\000' >bad
import_ bad -o none --from=folded
like "$err" "^cpprof: bad: line 2: a NUL" "a NUL"
: >bad
import_ bad -o none
like "$err" "it is empty" "an empty file"
like "$err" "^hint: if a command was to write it, see what that says" "and its way out"
import_ full -o none
like "$err" "it is a cpprofdata file" "a cpprofdata file"
import_ --from=nosuch stacks -o none
like "$err" "no such import format" "a wrong format"
like "$err" "perf, folded, pprof" "... and those there are"
import_
like "$err" "no file to import" "no file"
import_ nosuch
like "$err" "nosuch: open: No such file" "a file that is not there"
import_ .
like "$err" "Is a directory" "a folder"
[ ! -e none ]
ok $? "and nothing was written"
import_ -q stacks -o /dev/full
is "$rc" 1 "a full disk"
done_testing
