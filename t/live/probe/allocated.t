#!/bin/sh
# bytes-allocated and allocations, compared with a program's own count, path by
# path, with every kind of allocator, and with memcheck's count of foreign
# programs.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data truth=$tmp/truth folded=$tmp/folded
both=bytes-allocated:1,allocations:1
target=$samples/alloc
cc=$(command -v gcc || command -v cc)

# run RESOURCES COMMAND...: into $data, output to $truth
run() {
	spec=$1
	shift
	"$cpprof" run -q -r "$spec" -o "$data" -- "$@" >"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" "$how: $(basename "$1") runs"
}

# exactly: both resources as the truth says
exactly() {
	for r in bytes-allocated allocations; do
		"$cpprof" export --format=folded --resource=$r "$data" >"$folded"
		awk -f "$top_srcdir/t/lib/truth.awk" -v resource=$r -v exact=1 \
			"$truth" "$folded"
		ok $? "$how: $r, path by path, exactly"
	done
}

# error STATUS REASON HINT WHAT: of the last command, in $tmp/err
error() {
	is "$1:$(wc -l <"$tmp/err")" 125:2 "$4: an error in two lines"
	like "$(cat "$tmp/err")" "$2" "$4: why"
	like "$(cat "$tmp/err")" "^hint: .*$3" "$4: the way out"
}

# Users without uprobes.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir "$tmp/user" && chmod 777 "$tmp/user"
	user="setpriv --reuid=65534 --regid=65534 --clear-groups"
	for r in bytes-allocated allocations; do
		$user "$cpprof" run -q --no-preload -r $r -o "$tmp/user/d" -- true \
			2>"$tmp/err"
		error $? "$r: .*--no-preload forbids it" "as root" \
			"an ordinary user: $r"
	done
	like "$($user "$cpprof" resources bytes-allocated 2>&1 | tr -s '\n ' ' ')" \
		"as root|libbpf" \
		"... and the list says so"
else
	skip 7 "not root, or no setpriv"
fi
"$cpprof" run -q --timer=per-task -r allocations -o "$data" -- true 2>"$tmp/err"
error $? "no per-task timer" auto "--timer=per-task"

if ! "$cpprof" run -q --timer=per-cpu -r allocations -o "$data" -- true \
	2>"$tmp/err"; then
	skip 1 "no uprobes here: $(head -n 1 "$tmp/err")"
	done_testing
fi

how=dynamic
run $both "$target" --truth
exactly
for r in bytes-allocated allocations; do
	is "$(of $r weight)" "$(of $r total)" "$r: the books balance"
done
run $both "$target" --truth --times=1 --threads=300 --children=100
exactly
run bytes-allocated:65536,allocations:7 "$target" --threads=0 --children=0
is "$(($(of bytes-allocated total) / 65536)) $(($(of allocations total) / 7))" \
	"$(of bytes-allocated hits) $(of allocations hits)" \
	"every whole interval is a hit"
run bytes-allocated:1 "$target" --truth --threads=0 --children=0
bytes=$(of bytes-allocated total)
run allocations:1 "$target" --truth --threads=0 --children=0
requests=$(of allocations total)
run $both,cpu "$target" --truth --threads=0 --children=0
is "$(of bytes-allocated total) $(of allocations total)" "$bytes $requests" \
	"one alone counts as both, and beside others"

# Other allocators: linked in, of another C library, preloaded.
build() { # COMMAND...: the sample's sources into $tmp/alloc
	"$@" -O2 -g -pthread -D_GNU_SOURCE -fno-builtin -fno-optimize-sibling-calls \
		-I"$top_srcdir" -o "$tmp/alloc" "$top_srcdir/samples/alloc.c" \
		"$top_srcdir/samples/sample.c" 2>/dev/null
}
for how in "$cc -static" musl-gcc "musl-gcc -static"; do
	if command -v ${how%% *} >/dev/null && build $how; then
		run $both "$tmp/alloc" --truth
		exactly
	else
		skip 3 "no $how"
	fi
done
for how in libtcmalloc.so.4 libtcmalloc_minimal.so.4 libjemalloc.so.2 \
	libmimalloc.so.2; do
	if LD_PRELOAD=$how env true 2>&1 | grep -q .; then
		skip 3 "no $how"
		continue
	fi
	run $both env LD_PRELOAD=$how "$target" --truth
	exactly
done
how="static, of another"
if build "$cc" -static; then
	run $both env "$tmp/alloc"
	like "$("$cpprof" info "$data")" "1 program made no request for memory" \
		"what another program asks for, and cannot be seen: a word"
	run $both env "$target"
	unlike "$("$cpprof" info "$data")" "made no request" "... else none"
	run $both sh -c '"$1" >/dev/null; exec env true' sh "$target"
	unlike "$("$cpprof" info "$data")" "made no request" \
		"... nor of programs that make none"
else
	skip 5 "no static programs"
fi
how="static, stripped"
if [ -n "$cc" ] && build "$cc" -static && strip "$tmp/alloc"; then
	"$cpprof" run -q -r allocations -o "$data" -- "$tmp/alloc" 2>"$tmp/err"
	error $? "no malloc is found" "stripped" "$how"
	echo 'void mallocgc(void) __asm__("runtime.mallocgc"); void mallocgc(void) { }
		int main(void) { mallocgc(); return 0; }' >"$tmp/go.c"
	"$cc" -nostdlib -static -o "$tmp/go" "$tmp/go.c" -Wl,-emain
	"$cpprof" run -q -r cpu,allocations -o "$data" -- "$tmp/go" 2>"$tmp/err"
	error $? "no malloc is found" \
		"calls=runtime.mallocgc counts.*; the rest can be had: -r cpu" "Go's"
else
	skip 6 "no static programs, or no strip"
fi

# A program's own wrappers: one that jumps to either of two functions with the
# same stack and size, and one in a library that comes before the allocator.
cat >"$tmp/jumps.c" <<'END'
#include <malloc.h>
#include <stdlib.h>
__attribute__((noinline, noclone)) void *either(size_t alignment, size_t n)
{
	return alignment > 16 ? memalign(alignment, n) : malloc(n);
}
__attribute__((noinline, noclone)) void work(void)
{
	for (int i = 0; i < 100; i++)
		free(either(i % 2 ? 64 : 16, 50));
}
int main(void)
{
	work();
	return 0;
}
END
cat >"$tmp/wrap.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
static void *(*next)(size_t);
void *malloc(size_t n)
{
	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	void *p = next(n);
	__asm__ volatile("" : "+r"(p));
	return p;
}
END
how=wrappers
if [ -n "$cc" ] && $cc -O2 -fno-builtin -o "$tmp/jumps" "$tmp/jumps.c" &&
	$cc -O2 -shared -fPIC -o "$tmp/wrap.so" "$tmp/wrap.c" -ldl; then
	run $both "$tmp/jumps"
	is "$(of bytes-allocated total) $(of allocations total)" "5000 100" \
		"a wrapper that jumps"
	run $both env LD_PRELOAD="$tmp/wrap.so" "$tmp/jumps"
	"$cpprof" export --format=folded --resource=allocations "$data" >"$folded"
	is "$(awk '/;work;.*malloc/ { n += $NF } /;work;.*memalign/ { m += $NF }
		END { print n, m }' "$folded")" "50 50" \
		"a wrapper in a library: each request once"
else
	skip 4 "no C compiler here"
fi

# C++: operator new is in the path where it asks malloc, and counts once.
cat >"$tmp/new.cc" <<'END'
#include <new>
struct alignas(64) wide { char x[64]; };
int *volatile a;
wide *volatile w;
extern "C" __attribute__((noinline)) void work()
{
	for (int i = 0; i < 50; i++) {
		a = new int; delete a;
		a = new int[25]; delete[] a;
		a = new (std::nothrow) int[10]; delete[] a;
		w = new wide[2]; delete[] w;
	}
}
int main()
{
	work();
}
END
for how in dynamic -static libtcmalloc_minimal.so.4 libjemalloc.so.2; do
	link= preload=
	case $how in
	-static) link=-static ;;
	lib*) preload=$how ;;
	esac
	if LD_PRELOAD=$preload env true 2>&1 | grep -q . || ! g++ -std=c++17 -O1 \
		$link -o "$tmp/new" "$tmp/new.cc" 2>/dev/null; then
		skip 3 "no g++, or no $how"
		continue
	fi
	if [ -n "$preload" ]; then
		run $both env LD_PRELOAD=$preload "$tmp/new"
	else
		run $both "$tmp/new"
	fi
	for r in bytes-allocated:13600 allocations:200; do
		"$cpprof" export --format=folded --resource=${r%:*} "$data" |
			awk '/;work;/ { n += $NF } END { print n }' >"$folded"
		is "$(cat "$folded")" ${r#*:} "C++, $how: ${r%:*}"
	done
done

# A process that runs already: its requests from now on.
cat >"$tmp/there.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline, noclone)) void work(void)
{
	free(malloc(123));
}
int main(void)
{
	puts("there");
	fflush(stdout);
	for (int i = 0; i < 100000; i++) {
		work();
		usleep(1000);
	}
	return 0;
}
END
if [ -n "$cc" ] && $cc -O1 -fno-builtin -o "$tmp/there" "$tmp/there.c"; then
	"$tmp/there" >"$tmp/said" &
	pid=$!
	i=0
	until [ -s "$tmp/said" ] || [ $((i += 1)) -gt 600 ]; do sleep 0.05; done
	"$cpprof" attach -q --duration=500ms -r $both -o "$data" $pid 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "attached"
	n=$(of allocations total)
	[ "$n" -gt 0 ]
	ok $? "... what it asks for meanwhile is counted"
	is "$(of bytes-allocated total)" $((n * 123)) "... each request"
	is "$("$cpprof" export --format=folded --no-inlines --resource=allocations "$data" |
		awk '!/;main;work;malloc [0-9]*$/')" "" "... at its place"
	kill $pid
	wait $pid 2>/dev/null
else
	skip 4 "no C compiler here"
fi

# A library beside the program's file is found by a link elsewhere, too.
mkdir "$tmp/beside"
echo 'void beside(void) {}' >"$tmp/beside.c"
echo 'void beside(void); int main(void) { beside(); return 0; }' >"$tmp/links.c"
if [ -n "$cc" ] && $cc -shared -fPIC -o "$tmp/beside/libbeside.so" "$tmp/beside.c" &&
	$cc -o "$tmp/beside/links" "$tmp/links.c" -L"$tmp/beside" -lbeside \
		-Wl,-rpath,'$ORIGIN'; then
	ln -s beside/links "$tmp/links"
	"$cpprof" run -q -r allocations -o "$data" -- "$tmp/links" 2>"$tmp/err"
	is "$?:$(grep error "$tmp/err")" 0: "a program by a link, with a library beside its file"
else
	skip 1 "no C compiler here"
fi

# What memcheck says: each does the same every time.  Of requests that fail it
# counts none.
sql='with recursive c(x) as (select 1 union all select x+1 from c where x<99)
	select count(*) from c;'
head -c 100000 "$cpprof" >"$tmp/input"
# checked FAILED THREADS COMMAND...: so many requests fail; libc requests 16 bytes
# more for each thread, for the counting object's variables
checked() {
	failed=$1 more=$(($2 * 16))
	shift 2
	if ! command -v "$1" >/dev/null || ! command -v valgrind >/dev/null ||
		! valgrind --tool=memcheck --log-file="$tmp/log" "$@" \
			>/dev/null 2>&1; then
		skip 2 "no $1 or no memcheck here"
		return
	fi
	how=memcheck
	run bytes-allocated,allocations "$@"
	is "$(($(of allocations total) - failed)) allocs, $(($(of bytes-allocated total) - more)) bytes" \
		"$(sed -n 's/,//g; s/.*usage: \(.*\) allocs .* frees \(.*\) bytes.*/\1 allocs, \2 bytes/p' "$tmp/log")" \
		"$1: as memcheck counts, to the byte"
}
checked 0 0 sqlite3 :memory: "$sql"
checked 0 0 xz -T1 -0 -k -c "$tmp/input"
checked 0 0 sort "$top_srcdir/configure.ac"
checked 6 1 "$target" --times=3 --children=0

# A uprobe is in all processes that have the file: one that is traced may die of
# it, and that is said before.  The counting object needs none in libc.
"$cpprof" run -q --timer=stop -r syscalls -o "$tmp/traced" -- \
	sh -c 'echo $$; exec sleep 600' >"$tmp/said" 2>"$tmp/err" &
i=0
until read -r pid 2>/dev/null <"$tmp/said" &&
	[ "$(cat /proc/$pid/comm 2>/dev/null)" = sleep ] ||
	[ $((i += 1)) -gt 600 ]; do
	sleep 0.05
done
if [ "$i" -le 600 ]; then
	for how in "--no-preload -r allocations" "-r calls=libc.so.6:getppid"; do
		"$cpprof" run $how -o "$data" -- true 2>"$tmp/err"
		like "$(cat "$tmp/err")" \
			"^cpprof: ${how##*-r }: .*\([0-9]+\).* may die of SIGTRAP" \
			"$how: uprobes beside a traced process"
	done
	"$cpprof" run -r allocations -o "$data" -- true 2>"$tmp/err"
	unlike "$(cat "$tmp/err")" "sleep \($pid\)" "in-process: none"
	kill "$pid"
else
	skip 3 "no stop timers here: $(cat "$tmp/err")"
fi
wait

done_testing
