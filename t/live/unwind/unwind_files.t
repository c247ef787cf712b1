#!/bin/sh
# Code that is not where its path says, or that changes under one address: each
# sample is read against the mappings of its own moment.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no sampling here: $why"

# whole FILE: the share of stacks that are whole, per mille.  A sample of many hits
# is one stack; stacks from another's probe, which perl meets in libc where
# somebody counts requests for memory, are not asked about.
whole() {
	data=$1
	"$cpprof" export --format=folded "$1" | awk -v each="$(each cpu)" '
		/;\[uprobes\]/ || /^\[(lost|unsampled|kernel|probes)\]/ { next }
		{ all += $NF / each }
		/^\[truncated\]/ { cut += $NF / each }
		END { print int((all - cut) * 1000 / (all + !all)) }'
}

# run FILE PROG...
run() {
	file=$1
	shift
	"$cpprof" run -q -r cpu:1ms -o "$file" -- "$@" >/dev/null
}

# same_as FILE WHAT: its stacks are whole and lead to the functions of queens
same_as() {
	[ "$(whole "$1")" -ge 980 ]
	ok $? "$2: $(whole "$1") of 1000 stacks are whole"
	like "$("$cpprof" export --format=folded "$1")" ';main;.*eval' \
		"$2: its functions have their names"
}

run "$tmp/plain" "$samples/queens"
same_as "$tmp/plain" "where it was built"

cat >"$tmp/deleted.sh" <<'E2'
cp "$1" "$2"
"$2" &
until grep -q gone /proc/$!/comm; do :; done
rm "$2"
wait $!
E2
run "$tmp/deleted" sh "$tmp/deleted.sh" "$samples/queens" "$tmp/gone"
same_as "$tmp/deleted" "deleted while it runs"

cat >"$tmp/replaced.sh" <<'E2'
cp "$1" "$2"
"$2" &
until grep -q other /proc/$!/comm; do :; done
cp "$3" "$2.new" && mv "$2.new" "$2"
wait $!
E2
run "$tmp/replaced" sh "$tmp/replaced.sh" "$samples/queens" "$tmp/other" \
	"$samples/forms"
same_as "$tmp/replaced" "replaced by another while it runs"

# A path of the target's choosing may be something else where cpprof is: it is
# not opened to see what.  A pipe's writer waits until somebody does.
if unshare -m true 2>/dev/null; then
	mkdir "$tmp/trap"
	mkfifo "$tmp/trap/queens"
	(
		trap '' PIPE
		echo >"$tmp/trap/queens"
		echo >"$tmp/woken"
	) 2>/dev/null &
	run "$tmp/trapped" unshare -m sh -c "mount -t tmpfs none '$tmp/trap' &&
		cp '$samples/queens' '$tmp/trap' && exec '$tmp/trap/queens'"
	same_as "$tmp/trapped" "where cpprof has a pipe of its name"
	ok "$([ ! -e "$tmp/woken" ]; echo $?)" "... which was not opened"
	[ -e "$tmp/woken" ] || cat "$tmp/trap/queens" >/dev/null
	wait $!
else
	skip 3 "no mount namespace of one's own"
fi

if unshare -m true 2>/dev/null; then
	mkdir "$tmp/mnt"
	run "$tmp/mounted" unshare -m sh -c "mount -t tmpfs none '$tmp/mnt' &&
		cp '$samples/queens' '$tmp/mnt/q' && '$tmp/mnt/q'"
	same_as "$tmp/mounted" "in another mount namespace"
else
	skip 2 "no mount namespaces for this user"
fi

if perl -e 'my $n = "x"; exit(syscall(319, $n, 0) < 0)' 2>/dev/null; then
	run "$tmp/memfd" perl -MIO::Handle -e '
		my $name = "program"; my $fd = syscall(319, $name, 0);
		open(my $to, ">&=", $fd); open(my $from, "<", $ARGV[0]);
		local $/; print $to readline($from); $to->flush;
		open(my $again, "<", "/proc/self/fd/$fd"); close($to);
		fcntl($again, 2, 0); exec("/proc/self/fd/" . fileno($again));
		' "$samples/queens"
	same_as "$tmp/memfd" "a file without a name"
else
	skip 2 "no perl, or no memfd_create"
fi

cat >"$tmp/hidden.c" <<'E2'
static volatile unsigned long sink;
void work_hidden(void);
void work_hidden(void)
{
	for (unsigned long n = 0; n < 300000000ul; n++)
		sink += n;
	sink++;
}
E2
cat >"$tmp/loads.c" <<'E2'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char path[64], bytes[4096];
	FILE *from = fopen(argv[argc - 1], "r");
	int fd = memfd_create("hidden", 0);
	size_t n;
	void *lib;
	while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
		if (write(fd, bytes, n) != (ssize_t)n)
			return 1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	lib = dlopen(path, RTLD_NOW);
	if (!lib)
		return 2;
	((void (*)(void))dlsym(lib, "work_hidden"))();
	return 0;
}
E2
if cc -O2 -shared -fPIC -o "$tmp/hidden.so" "$tmp/hidden.c" 2>/dev/null &&
	cc -O2 -o "$tmp/loads" "$tmp/loads.c" -ldl 2>/dev/null; then
	run "$tmp/hidden" "$tmp/loads" "$tmp/hidden.so"
	like "$("$cpprof" export --format=folded "$tmp/hidden")" \
		';main;work_hidden ' "a library without a name"
else
	skip 1 "no cc"
fi

# A library without build id whose path leads to another one right after it was
# mapped: who may not open the mapping itself does not know its names.
for name in old new; do
	echo "static volatile unsigned long sink;
	void work_$name(void)
	{
		for (unsigned long n = 0; n < 300000000ul; n++)
			sink += n;
		sink++;
	}" >"$tmp/$name.c"
done
cat >"$tmp/swaps.c" <<'E2'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *lib = dlopen(argv[argc - 2], RTLD_NOW);
	void (*work)(void);
	if (!lib || rename(argv[argc - 1], argv[argc - 2]))
		return 2;
	work = (void (*)(void))dlsym(lib, "work_old");
	work();
	return 0;
}
E2
mkdir -m 777 "$tmp/swap"
user=
[ "$(id -u)" -ne 0 ] ||
	user="setpriv --reuid=65534 --regid=65534 --clear-groups"
if for name in old new; do
	cc -O2 -shared -fPIC -Wl,--build-id=none -o "$tmp/swap/$name.so" \
		"$tmp/$name.c" 2>/dev/null || exit 1
done && cc -O2 -o "$tmp/swaps" "$tmp/swaps.c" -ldl 2>/dev/null; then
	$user "$cpprof" run -q -r cpu:1ms -o "$tmp/swap/data" -- "$tmp/swaps" \
		"$tmp/swap/old.so" "$tmp/swap/new.so" >/dev/null
	folded=$("$cpprof" export --format=folded "$tmp/swap/data")
	unlike "$folded" 'work_new' "a library that took another's path: no names"
	like "$folded" 'work_old|old\.so' "... of it for code of the other"
else
	skip 2 "no cc"
fi

# generated FLAG WHAT: code that was made at run time, down to its callers; in a file
# it has addresses, else one name for all
generated() {
	run "$tmp/jit" "$samples/jit" --clean $1
	[ "$(whole "$tmp/jit")" -ge 980 ]
	ok $? "$2: $(whole "$tmp/jit") of 1000 stacks are whole"
	counts=$("$cpprof" export --format=folded "$tmp/jit" | awk '
		{ n = $NF; $NF = "" }
		{ gsub(/;(\[generated code\]|[^;]*\+0x[^; ]*)/, ";made") }
		/;main;run_(framed|bare);made;made *$/ { two += n }
		/;main;run_leaf;made *$/ { one += n }
		/;main;run_back;made;work_below *$/ { back += n }
		!/^\[(lost|unsampled|kernel)\]/ { all += n }
		END { print two + 0, one + 0, back + 0, all + 0 }')
	set -- "$2" $counts
	[ "$2" -gt 0 ] && [ "$3" -gt 0 ] && [ "$4" -gt 0 ] &&
		[ $((($2 + $3 + $4) * 100)) -ge $(($5 * 98)) ]
	ok $? "$1: $2 + $3 + $4 of $5 samples are where the program was"
}
generated "" "generated code"
generated --memfd "generated code in a file without a name"

run "$tmp/dl" "$samples/dl"
[ "$(whole "$tmp/dl")" -ge 980 ]
ok $? "two libraries at one address: $(whole "$tmp/dl") of 1000 are whole"
folded=$("$cpprof" export --format=folded "$tmp/dl")
like "$folded" 'main;.*_a' "the first one's functions are there"
like "$folded" 'main;.*_b' "and the second one's"
done_testing
