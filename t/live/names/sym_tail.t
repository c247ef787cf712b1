#!/bin/sh
# Functions that left by a tail call stand where they were, as their callers'
# call instructions name them: held against disassembly.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no profiles here: $why"
needs objdump readelf cc
cd "$tmp" || exit 99

cat >prog.c <<'END'
#define FN __attribute__((noinline, noclone))
static volatile unsigned long sink;
static FN void spin(unsigned long n) { while (n--) sink += n; sink++; }
FN int leaf(int n) { spin(25000000ul + (unsigned long)n); return sink == 0; }
FN int hop(int n) { sink++; return leaf(n + 1); }
FN int straight(int n) { int r = leaf(n); sink++; return r; }
static int (*volatile pointer)(int) = hop;
FN int through(int n) { int r = pointer(n); sink++; return r; }
FN int odd(int n);
FN int even(int n) { sink++; return n == 0 ? leaf(0) : odd(n - 1); }
FN int odd(int n) { sink++; return n == 0 ? leaf(1) : even(n - 1); }
FN int top(int n)
{
	int r = hop(n) + straight(n) + through(n) + even(5);
	sink++;
	return r;
}
int main(int argc, char **argv) { (void)argv; return top(argc) + top(argc); }
END
if ! cc -O2 -fno-ipa-icf -o prog prog.c ||
	! objdump -d prog | sed -n '/<hop>:/,/^$/p' | grep -q 'jmp.*<leaf>'; then
	skip_all "this compiler makes no tail calls"
fi
"$cpprof" run -q -o data ./prog
paths=$("$cpprof" report --format=paper --down=top --threshold=0.02 data |
	sed -n 's/^[0-9.]* (\(.*\)) \[.*/\1/p' | grep ' leaf$' | sort)
is "$paths" "top even leaf
top hop leaf
top straight leaf
top through leaf" \
	"a direct call's function is back, one through a pointer is not known"
out=$("$cpprof" report --format=paper --sites --down=top --threshold=0.02 data)
like "$out" '\(top:[^ ]* hop:\[tail\] leaf\)' "its call site is [tail]"
like "$out" '\(top:[^ ]* straight:\+0x[0-9a-f]* leaf\)' "an ordinary one is not"
out=$("$cpprof" report --format=paper --no-inlines --down=top --threshold=0.02 data)
like "$out" '\(top hop leaf spin\)' "without inlined calls too"
cp prog bare && strip bare
"$cpprof" run -q -o data ./bare
hop=$(nm prog | awk '$3 == "hop" { print $1 }' | sed 's/^0*//')
leaf=$(nm prog | awk '$3 == "leaf" { print $1 }' | sed 's/^0*//')
like "$("$cpprof" report --format=paper --up="bare+0x$leaf" --threshold=0.02 data)" \
	"\\(bare\\+0x$hop bare\\+0x$leaf\\)" "in a stripped program too"

### chains of tail calls: whole where the jumps leave one way, else as far as it
### is sure

cat >chain.c <<'END'
#define FN __attribute__((noinline, noclone))
static volatile unsigned long sink;
static FN void spin(unsigned long n) { while (n--) sink += n; sink++; }
FN int leaf(int n) { spin(15000000ul + (unsigned long)n); return sink == 0; }
FN int three(int n) { sink++; return leaf(n + 3); }
FN int two(int n) { sink++; return three(n + 2); }
FN int one(int n) { sink++; return two(n + 1); }
FN int left(int n) { sink += 2; return leaf(n + 4); }
FN int right(int n) { sink += 3; return leaf(n + 5); }
FN int either(int n) { sink++; return n & 1 ? left(n) : right(n); }
FN int start(int n) { sink++; return either(n + 1); }
static int (*volatile pointer)(int) = three;
FN int far(int n) { sink++; return pointer(n); }
FN int astray(int n) { sink++; return far(n); }
FN int dead(int n) { sink++; return n; }
FN int maybe(int n) { sink++; return n > 100 ? dead(n) : three(n); }
FN int top(int n)
{
	int r = one(n) + start(n) + astray(n) + maybe(n);
	sink++;
	return r;
}
int main(int argc, char **argv) { (void)argv; return top(argc) + top(argc); }
END
chain="top astray far leaf
top maybe three leaf
top one two three leaf
top start either leaf"
# chains FILE: the paths from top to leaf; names of nameless functions of
# FILE's copy "chain" that is not stripped
chains() {
	nm chain | awk '{ sub(/^0*/, "", $1); print "s/\\<bare+0x" $1 "\\>/" $3 "/g" }' >names
	"$cpprof" report --format=paper --no-inlines -d '[all]' --threshold=0 data |
		sed -f names | sed -n 's/^[0-9.]* (.*\(\<top .* leaf\)) \[.*/\1/p' |
		sort -u
}
for c in cc clang; do
	for g in -g0 -gdwarf-5; do
		if ! $c -O2 $g -fno-ipa-icf -no-pie -o chain chain.c \
			2>log && ! $c -O2 $g -no-pie -o chain chain.c 2>log
		then
			skip 2 "no $c"
			continue
		fi
		"$cpprof" run -q -o data ./chain
		is "$(chains)" "$chain" "$c $g: chains of tail calls"
		strip -o bare chain
		"$cpprof" run -q -o data ./bare
		is "$(chains)" "$chain" "$c $g: in a stripped program too"
	done
done
"$cpprof" run -q -o data ./chain
"$cpprof" run -q -o data2 ./chain
"$cpprof" merge -o merged data data2 2>log && mv merged data
is "$(chains)" "$chain" "in a merged file"
like "$("$cpprof" report --format=paper --sites --no-inlines --down=top data)" \
	'\(top:[^ ]* one:\[tail\] two:\[tail\] three:\[tail\] leaf\)' \
	"each call site is [tail]"

### of the functions on the way only the code up to the jump that leads on is
### read: what is behind it does not matter, and is read when another way needs it

{
	cat <<'END'
#define FN __attribute__((noinline, noclone))
static volatile unsigned long sink;
static FN void spin(unsigned long n) { while (n--) sink += n; sink++; }
FN int leaf(int n) { spin(15000000ul + (unsigned long)n); return sink == 0; }
FN int leaf2(int n) { spin(15000001ul + (unsigned long)n); return sink == 1; }
FN int w70(int n) { sink++; return n; }
END
	# more than are followed to a goal, each with one more
	i=69
	while [ $i -ge 0 ]; do
		echo "FN int w$i(int n) { sink += $i; return w$((i + 1))(n + $i); }"
		i=$((i - 1))
	done
	cat <<'END'
FN int hub(int n) { sink++; return n > 1000 ? w0(n) : leaf(n); }
FN int one(int n) { sink++; return hub(n + 1); }
FN int fork2(int n) { sink++; return n & 1 ? leaf(n) : leaf2(n); }
FN int two(int n) { sink++; return fork2(n + 2); }
FN int top(int n)
{
	int r = one(n) + two(n) + two(n + 1);
	sink++;
	return r;
}
int main(int argc, char **argv) { (void)argv; return top(argc) + top(argc); }
END
} >wide.c
if cc -O2 -fno-ipa-icf -no-pie -o chain wide.c 2>log; then
	"$cpprof" run -q -o data ./chain
	is "$("$cpprof" report --format=paper --no-inlines --down=top \
		--threshold=0.02 data | sed -n 's/^[0-9.]* (\(.*leaf2*\)) .*/\1/p' |
		sort)" "top one hub leaf
top two fork2 leaf
top two fork2 leaf2" "what follows the jump to the goal hides no chain"
else
	skip 1 "no compiler: $(head -n 1 log)"
fi

### calls into libraries name a symbol: through stubs of the linkage table,
### through pointers, and where just debug information tells

cat >far.c <<'END'
static volatile unsigned long sink;
void spin(unsigned long n) { while (n--) sink += n; sink++; }
END
cat >near.c <<'END'
void spin(unsigned long n);
static volatile unsigned long sink;
static __attribute__((noinline)) void work(unsigned long n)
{
	while (n--) sink += n;
	sink++;
}
void api(unsigned long n) { sink++; work(n); }
void plain(unsigned long n) { work(n); sink++; }
void hop_far(unsigned long n) { sink++; spin(n); }
END
cat >user.c <<'END'
void api(unsigned long), plain(unsigned long), hop_far(unsigned long);
static volatile unsigned long sink;
#define N 10000000ul
__attribute__((noinline)) void top(void)
{
	api(N);
	plain(N);
	hop_far(N);
	sink++;
}
int main(void) { for (int i = 0; i < 8; i++) top(); return 0; }
END
want="top api work
top hop_far spin
top plain work"
# libraries CC OPTIONS...: the paths below top
libraries() {
	"$@" -O2 -fPIC -shared -o libfar.so far.c &&
		"$@" -O2 -fPIC -shared -o libnear.so near.c -L. -lfar &&
		"$@" -O2 -fno-pie -no-pie -o user user.c -L. -lnear -lfar || return
	strip libnear.so
	LD_LIBRARY_PATH=. "$cpprof" run -q -o data ./user
	"$cpprof" report --format=paper --down=top --threshold=0.02 data |
		sed -n 's/^[0-9.]* (\(.*\)) \[.*/\1/p' |
		sed 's,libnear.so+0x[0-9a-f]*,work,' | grep -v '\[' |
		awk 'NF == 3' | sort
}
for c in cc clang; do
	if ! command -v $c >which; then
		skip 5 "no $c"
		continue
	fi
	is "$(libraries $c -Wl,-z,lazy)" "$want" \
		"$c: through the linkage table, bound lazily"
	is "$(libraries $c -Wl,-z,now)" "$want" "$c: and at once"
	is "$(libraries $c -fno-plt)" "$want" "$c: through a pointer"
	is "$(libraries $c -Wl,--hash-style=sysv)" "$want" \
		"$c: of libraries without a table by GNU's hash"
	echo 'void spin(unsigned long); void api(unsigned long n) { spin(n); }' \
		>other.c
	$c -O2 -fPIC -shared -o libother.so other.c
	LD_LIBRARY_PATH=. "$cpprof" run -q -o data -- \
		env LD_PRELOAD=./libother.so ./user
	like "$("$cpprof" report --format=paper --down=top --threshold=0.02 data)" \
		'\(top spin\)' "$c: of two modules with one name nothing is said"
	# A large program loads each function's address into a register first;
	# clang does not tell which it was.
	[ $c = cc ] || continue
	for g in -g0 -gdwarf-4 -gdwarf-5; do
		$c -O2 $g -mcmodel=large -fno-pic -no-pie -fno-ipa-icf \
			-o large prog.c 2>log && "$cpprof" run -q -o data ./large
		"$cpprof" report --format=paper --down=top --threshold=0.02 data |
			sed -n 's/^[0-9.]* (\(top.* leaf\)) .*/\1/p' | sort |
			tr '\n' ','
	done >large.paths
	is "$(cat large.paths)" "$(
		p="top straight leaf,top through leaf,"
		q="top even leaf,top hop leaf,$p"
		echo "top leaf,$p$q$q"
	)" "$c: where just DWARF tells, versions 4 and 5"
done

### the distribution's: X is shown before Y only if X's code leads to Y by
### jumps

pairs() { # of nameless functions of FILE: "X Y" in hexadecimal
	"$cpprof" report --format=paper --sites -d '[all]' --threshold=0.001 data |
		grep -o "[( ]$1+0x[0-9a-f]*:\[tail\] $1+0x[0-9a-f]*" |
		sed 's/.[^ ]*+0x\([0-9a-f]*\):\[tail\] .*+0x/\1 /' | sort -u
}
# follow X DEPTH: where the code of X jumps to, and the code there; "*" for a
# jump through a pointer
follow() (
	set -- $(awk -v x="$1" 'function le(a, b) {
			return length(a) < length(b) ||
				(length(a) == length(b) && a "" <= b "") }
		le($1, x) && !le($2, x) { print $1, $2; exit }' fdes) "$2"
	[ $# = 3 ] || return
	objdump -d --no-show-raw-insn "$file" --start-address="0x$1" \
		--stop-address="0x$2" |
		sed -n 's/.*[[:blank:]]j[a-z]*  *\(\**[0-9a-f]*\).*/\1/p' |
		sort -u | while read -r to; do
		case $to in
		"*"*) echo "*" ;;
		*)
			[ $((0x$to)) -ge $((0x$1)) ] &&
				[ $((0x$to)) -lt $((0x$2)) ] && continue
			echo "$to"
			[ "$3" -gt 1 ] && follow "$to" $(($3 - 1))
			;;
		esac
	done
)
# leads_to Y: of addresses, one a line, one is in the function at Y (a cold part
# is entered anywhere), or nobody knows it
leads_to() (
	end=$(sed -n "s/^$1 //p" fdes)
	while read -r to; do
		[ "$to" != "*" ] || exit 0
		[ $((0x$to)) -lt $((0x$1)) ] ||
			[ $((0x$to)) -ge $((0x${end:-$1})) ] || exit 0
		[ "$to" != "$1" ] || exit 0
	done
	exit 1
)
# try FILE COMMAND...
try() {
	file=$1
	shift
	if ! "$cpprof" run -q -o data "$@" >out 2>&1; then
		skip 1 "cannot profile $1"
		return
	fi
	readelf --debug-dump=frames "$file" 2>log |
		sed -n 's/.* FDE .*pc=0*\([0-9a-f]*\)\.\.0*\([0-9a-f]*\)$/\1 \2/p' >fdes
	pairs "$(basename "$file")" >pairs
	bad=
	while read -r x y; do
		follow "$x" 3 | leads_to "$y" || bad="$bad $x:$y"
	done <pairs
	is "$bad" "" "$(basename "$file"): each of $(wc -l <pairs) pairs is a jump"
}
cat >prog.py <<'END'
import json
for i in range(100): json.loads(json.dumps(list(range(2000))))
END
cc1=$(cc -print-prog-name=cc1 2>log)
cp prog.c many.c
for i in 1 2 3 4 5 6 7 8; do
	sed "s/\b\(spin\|leaf\|hop\|straight\|through\|even\|odd\|top\|main\|sink\|pointer\)\b/\1$i/g" prog.c |
		grep -v '^#define' >>many.c
done
if [ -x /usr/bin/python3 ]; then
	try "$(readlink -f /usr/bin/python3)" /usr/bin/python3 prog.py
else
	skip 1 "no python3"
fi
if [ -x "$cc1" ]; then
	try "$cc1" "$cc1" -quiet -O3 -o many.s many.c
else
	skip 1 "no cc1"
fi
done_testing
