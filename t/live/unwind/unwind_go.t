#!/bin/sh
# Stacks of Go programs, with symbols and without: whole, the same either way.
# What runs on another stack for a goroutine has its functions as callers; where a
# timer does not know them, the stack ends where the goroutine's was left, and not
# in what lies there.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no sampling here: $why"
needs go

mkdir "$tmp/prog"
cat >"$tmp/prog/main.go" <<'END'
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"sort"
	"sync"
	"time"
)

type rec struct {
	Name string
	Sub  map[string]int
}

func work(seed int) int {
	var recs, back []rec
	var packed bytes.Buffer
	for i := 0; i < 300; i++ {
		r := rec{fmt.Sprintf("n%d", i*seed%977), map[string]int{}}
		for j := 0; j < 20; j++ {
			r.Sub[fmt.Sprint(j)] = i * j
		}
		recs = append(recs, r)
	}
	sort.Slice(recs, func(a, b int) bool { return recs[a].Name < recs[b].Name })
	text, _ := json.Marshal(recs)
	json.Unmarshal(text, &back)
	w := gzip.NewWriter(&packed)
	w.Write(text)
	w.Close()
	return len(back) + packed.Len() + int(time.Now().Unix()&1)
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	var all sync.WaitGroup
	sizes := make([]int, 6)
	for g := range sizes {
		all.Add(1)
		go func(g int) {
			defer all.Done()
			for k := 0; k < 6; k++ {
				sizes[g] += work(g*7 + k + 1)
			}
		}(g)
	}
	all.Wait()
	fmt.Println(len(sizes), fib(34))
}
END
GOPATH=$tmp/gopath GOCACHE=$tmp/gocache GO111MODULE=off
export GOPATH GOCACHE GO111MODULE
build() { # FOLDER NAME FLAGS...
	(
		cd "$tmp/$1" || exit
		name=$2
		shift 2
		go build -o "../$name" "$@" ./*.go
	) >"$tmp/log" 2>&1
}

# Where no goroutine's stack begins: Go's own threads, the program's start, and
# what a thread does between two goroutines.  _start is the loader's, and runs on
# into _dl_start_user, which calls the constructors.  runtime.gogo jumps to gogo,
# which is of no package.
ends='goexit|mstart|rt0_go|mcall|gogo|clone|cgocallback|gosave_systemstack_switch'
# What the runtime does for a goroutine on the stack of its thread only without BPF,
# but for what it does to let another one run, or before the first sample of one.
left='^runtime\.(systemstack|morestack)[^;]*;.*runtime\.(gopreempt_m|main\.func1)'
"$cpprof" run -q -o "$tmp/data" -- true
if "$cpprof" info "$tmp/data" | grep -q 'per-CPU'; then
	resumes=yes
else
	resumes=
	ends="$ends|systemstack|morestack|asmcgocall|nanotime1|walltime|vgetrandom1"
fi

# cut_short: the nodes of a tree right below [truncated] that were not
# interrupted: name and hits
cut_short() {
	awk -v larger="$larger" '
	function last() {
		# five of thousands: what is beyond the copy was read too late
		if (hits > 5 && name !~ /^runtime\.clone$/ && name != larger)
			print name, hits
		hits = 0
	}
	/^-----/ { on = 1; next }
	on {
		match($0, /^ */)
		depth = RLENGTH / 2
		n = substr($NF, 2) + 0
		if (depth <= 1)
			last()
		if (depth == 0)
			inside = $1 == "[truncated]"
		else if (inside && depth == 1) {
			name = $1
			hits = n
		} else if (inside && depth == 2 && $1 ~ /^runtime\.sigreturn/)
			hits -= n
	}
	END { last() }'
}

check() { # NAME
	"$cpprof" run -q -r cpu:1ms,pagefaults -o "$tmp/data" -- "$tmp/$1" \
		>"$tmp/out" 2>&1
	is "$(cat "$tmp/out")" "6 5702887" "$1: runs as bare"
	# Its frame is larger than the copy, and by the time the rest is read the
	# program may be through with it.
	larger=runtime.getproccount
	for resource in cpu pagefaults; do
		"$cpprof" export --format=folded --resource=$resource \
			"$tmp/data" >"$tmp/folded"
		# A goroutine that a signal interrupted is on another stack than
		# its handler, beyond any copy: its last function is known at
		# most, with what is inlined there.  And for two instructions a new
		# thread, on its own stack, is where the old one is that made it.
		is "$("$cpprof" report --format=paper --tree --no-inlines --threshold=0 \
			--resource=$resource "$tmp/data" | cut_short)" \
			"" "$1: which stacks of $resource are truncated"
		n=$(awk '{ n += $NF } END { print n + 0 }' "$tmp/folded")
		[ "$n" -gt 50 ]
		ok $? "$1: $n stacks of $resource"
		# two of thousands: a program of another counter had the room where
		# the goroutine's stack goes
		found=$(grep -Ev "$left" "$tmp/folded" | awk '{
				hits = $NF
				sub(/(;.*| [0-9]*)$/, "")
				n[$0] += hits
			} END { for (root in n) if (n[root] > 2) print root }' |
			grep -Ev "^(runtime\.($ends)|gogo|_rt0_.*|_start|_dl_start_user|\[.*\])\$")
		is "$found" "" "$1: stacks of $resource end where they may"
	done
	like "$("$cpprof" export --format=folded "$tmp/data")" \
		'^runtime.goexit;runtime.main;main.main;main.fib;main.fib' \
		"$1: main is called by Go's main"
}

# Deep recursion in a goroutine, whose stack is larger than any copy and ends
# where no thread's does; and a return from a signal handler, where the sample
# of the system call is behind an instruction that is followed by no other.
mkdir "$tmp/deep"
cat >"$tmp/deep/main.go" <<'END'
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

//go:noinline
func leaf(n int) (s int) {
	for i := 0; i < n; i++ {
		s += i ^ s
	}
	return s
}

//go:noinline
func deep(n int) int {
	var a [64]int
	for i := range a {
		a[i] = n + i
	}
	if n == 0 {
		return leaf(2000000)
	}
	return deep(n-1) + a[n&63]
}

func main() {
	c := make(chan os.Signal, 10)
	signal.Notify(c, syscall.SIGUSR1)
	done := make(chan int)
	go func() {
		s := 0
		for i := 0; i < 60; i++ {
			s += deep(400)
			syscall.Kill(syscall.Getpid(), syscall.SIGUSR1)
			<-c
		}
		done <- s
	}()
	<-done
	fmt.Println("done")
}
END
cat >"$tmp/cgo.go" <<'END'
package main

// #include <stdlib.h>
import "C"

func init() { C.free(nil) }
END

# What runs for main.main's goroutine on another stack: the collector's help with
# what it allocates, the kernel's code for the time, C functions, system calls.
mkdir "$tmp/work"
cat >"$tmp/work/main.go" <<'END'
package main

import (
	"fmt"
	"syscall"
	"time"
)

type node struct{ l, r *node }

//go:noinline
func grow(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{grow(depth - 1), grow(depth - 1)}
}

//go:noinline
func ticks(n int) (odd int64) {
	for i := 0; i < n; i++ {
		odd += time.Now().UnixNano() & 1
	}
	return odd
}

//go:noinline
func maps(n int) {
	for i := 0; i < n; i++ {
		m, _ := syscall.Mmap(-1, 0, 4096, 1, 0x22)
		syscall.Munmap(m)
	}
}

func main() {
	keep := grow(18)
	for i := 0; i < 300; i++ {
		grow(14)
	}
	fmt.Println(keep != nil, ticks(8000000) >= 0, inC(1000000))
	maps(200)
}
END
echo 'package main; func inC(n int) bool { return n > 0 }' >"$tmp/work/pure.go"
cat >"$tmp/with.go" <<'END'
package main

// static int __attribute__((noinline)) spin(int n)
// { volatile int x = 1; for (int i = 0; i < 200 * n; i++) x += i; return x; }
import "C"

func inC(n int) bool { return C.spin(C.int(n)) != 7 }
END

# lost NAME PATTERN: of the stacks with PATTERN those without main.main, in 1000;
# where a signal interrupts such a function nothing names the goroutine
lost() {
	grep -E "$2" "$tmp/$1.folded" | awk '{
			n += $NF
			lost += /;main\.main;/ ? 0 : $NF
		} END { print n < 20 ? 1000 : int(1000 * lost / n) }'
}

check_work() { # NAME
	"$cpprof" run -q -r cpu:1ms -o "$tmp/data" -- "$tmp/$1" >"$tmp/out" 2>&1
	is "$(cat "$tmp/out")" "true true true" "$1: runs as bare"
	"$cpprof" export --format=folded "$tmp/data" >"$tmp/$1.folded"
	within "$(lost "$1" 'runtime\.gcAssistAlloc1')" 0 20 \
		"$1: who allocates helps the collector"
	within "$(lost "$1" 'time\.now.*clock_gettime')" 0 20 \
		"$1: who asks for the time"
	[ ! -e "$tmp/work/with.go" ] ||
		within "$(lost "$1" ';_cgo_.*spin')" 0 20 "$1: who calls C"
}

check_deep() { # NAME
	for resource in cpu:1ms syscalls:1; do
		spec=$resource resource=${resource%:*}
		"$cpprof" run -q -r "$spec" -o "$tmp/$resource" -- "$tmp/$1" \
			>"$tmp/out" 2>&1
		is "$(cat "$tmp/out")" "done" "$1: runs as bare"
		"$cpprof" export --format=folded "$tmp/$resource" \
			>"$tmp/$resource.folded"
	done
	is "$(grep -c '^\[truncated\];runtime.sigreturn' \
		"$tmp/syscalls.folded")" 0 \
		"$1: what returns from a signal handler is whole"
	# The rest of a stack is read later.  Of 404 frames none is left out, and none
	# is there that the thread has come to since.
	is "$(awk '/^runtime.goexit.*;main.leaf / {
			sub(/ [0-9]*$/, "")
			print split($0, f, ";"), f[2], gsub(/;main.deep/, "")
		}' "$tmp/cpu.folded" | sort -u | grep -vx '404 main.main.func1 401')" "" \
		"$1: the recursion is as deep as it is"
}

tested=0
for kind in "symbols" "stripped -ldflags=-s -trimpath" \
	"pie -buildmode=pie -ldflags=-w"; do
	# shellcheck disable=SC2086
	if build prog $kind; then
		check "${kind%% *}"
		tested=$((tested + 1))
	fi
done
# The table is found, too, in a file that has lost its section headers: zeros for
# where they are, and how many there are and which one has their names.
if build prog no-sections -ldflags=-s; then
	printf '\0\0\0\0\0\0\0\0' |
		dd of="$tmp/no-sections" bs=1 seek=40 conv=notrunc 2>/dev/null
	printf '\0\0\0\0' |
		dd of="$tmp/no-sections" bs=1 seek=60 conv=notrunc 2>/dev/null
	check no-sections
fi
for kind in "recursion -trimpath" "stripped-recursion -ldflags=-s" \
	"cgo-pie -buildmode=pie -ldflags=-s"; do
	[ "${kind%% *}" = cgo-pie ] && cp "$tmp/cgo.go" "$tmp/deep"
	# shellcheck disable=SC2086
	if build deep $kind; then
		check_deep "${kind%% *}"
		tested=$((tested + 1))
	fi
done
for kind in "pure -trimpath" "with-c -trimpath"; do
	[ "${kind%% *}" = pure ] || {
		rm "$tmp/work/pure.go"
		cp "$tmp/with.go" "$tmp/work"
	}
	# shellcheck disable=SC2086
	if [ -n "$resumes" ] && build work $kind; then
		check_work "${kind%% *}"
	else
		skip 3 "${kind%% *}: no per-CPU timers, or it cannot be built"
	fi
done
[ $tested -gt 0 ] || skip 6 "Go programs cannot be built here"
done_testing
