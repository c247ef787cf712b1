#!/bin/sh
# Foreign programs, as a distribution ships them: optimized and stripped.  Each
# behaves as without cpprof, has whole stacks and a main, and samples and losses
# add up; where perf is installed, both find the time in the same functions.
# Runs alone: other load would change the outcome.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

can_profile || skip_all "no profiles here: $why"
have() {
	command -v "$1" >/dev/null 2>&1
}

# The distribution's own, not one that somebody built for himself.
system_python() {
	for python in /usr/bin/python3 python3; do
		"$python" -c '' 2>/dev/null && return 0
	done
	return 1
}

# bare_and_profiled NAME COMMAND...: the same output and status either way;
# leaves the profile in $tmp/NAME.data
bare_and_profiled() {
	name=$1
	shift
	"$@" >"$tmp/bare.out" 2>"$tmp/bare.err" </dev/null
	bare=$?
	"$cpprof" run -q -r cpu,pagefaults -o "$tmp/$name.data" -- "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	is $? "$bare" "$name: the exit status is its own"
	cmp -s "$tmp/bare.out" "$tmp/out"
	ok $? "$name: writes the same"
	cmp -s "$tmp/bare.err" "$tmp/err"
	ok $? "$name: complains as little"
}

# stacks NAME RESOURCE: "WHOLE TRUNCATED" of the resource
stacks() {
	"$cpprof" info "$tmp/$1.data" | awk -v r="$2" '
		$1 == "resource" || /^[^ ].*:/ { in_it = index($0, r " ") || $1 == r || index($0, r ":") }
		in_it && $1 == "stacks:" { print $2, $4; exit }'
}

# whole NAME RESOURCE: 95 % of the stacks reach _start or a thread's start
whole() {
	counts=$(stacks "$1" "$2")
	echo "$counts" | awk '{ exit !(NF == 2 && $1 > 0 && $1 >= 0.95 * ($1 + $2)) }'
	ok $? "$1: whole stacks of $2 (whole, truncated: $counts)"
}

# has_main NAME: what main calls is all but the loader's and the exit's work
has_main() {
	top=$("$cpprof" report --format=paper --down=main --resource=cpu --threshold=0 \
		"$tmp/$1.data" | awk '
		/ hits? in / { all = $1 }
		$2 ~ /^\(([^ ]+!)?main\)$/ && !main { gsub(/[][]/, "", $3); main = $3 }
		END { print main + 0, all + 0 }')
	echo "$top" | awk '{ exit !($2 > 0 && $1 >= 0.8 * $2 && $1 <= $2) }'
	ok $? "$1: main is found (hits there, in all: $top)"
}

# balanced NAME: per resource, samples and losses are the kernel's count
balanced() {
	for resource in cpu pagefaults; do
		"$cpprof" report --format=json --resource=$resource --body \
			--threshold=0 "$tmp/$1.data" >"$tmp/json" 2>/dev/null
		awk '{
			while (match($0, /"(weight|gticks|lost|unsampled|kernel)": ?[0-9]+/)) {
				split(substr($0, RSTART, RLENGTH), f, /": ?/)
				key = substr(f[1], 2)
				if (!(key in seen)) { value[key] = f[2]; seen[key] = 1 }
				$0 = substr($0, RSTART + RLENGTH)
			}
		} END { exit !(value["gticks"] > 0) }' "$tmp/json"
		ok $? "$1: the kernel counted $resource"
	done
	"$cpprof" report --format=paper --tree --resource=pagefaults --threshold=0 \
		"$tmp/$1.data" | awk '
		/ faults? consumed(:| \(an estimate\):) / {
			total = $1
			for (i = 1; i <= NF; i++)
				if ($(i + 1) ~ /^(in|\[)/ && $i ~ /^[0-9]+$/)
					sum += $i
		} END { exit !(total > 0 && total == sum) }'
	ok $? "$1: page faults in samples and losses are all there were"
}

check() {
	bare_and_profiled "$@"
	whole "$1" cpu
	whole "$1" pagefaults
	has_main "$1"
	balanced "$1"
}

# Some data to work on, the same every time.
awk 'BEGIN { for (i = 0; i < 400000; i++) print i * 7919 % 100003, i % 977 }' \
	>"$tmp/numbers"

if system_python; then
	check python3 "$python" -c 'print(sum(i * i % 7 for i in range(2000000)))'
else
	skip 8 "python3 is not installed"
fi
if have sqlite3; then
	check sqlite3 sqlite3 :memory: 'with recursive c(x) as (select 1 union
		all select x + 1 from c where x < 400000)
		select count(*), sum(x * x % 7) from c'
else
	skip 8 "sqlite3 is not installed"
fi
if have xz; then
	# newer ones take threads of their own
	check xz xz -T1 -3 -c "$tmp/numbers"
else
	skip 8 "xz is not installed"
fi
if have perl; then
	check perl perl -e 'my %h; $h{$_ % 1000} += $_ for 1 .. 1500000;
		print join(",", map { $h{$_} } sort keys %h), "\n"'
else
	skip 8 "perl is not installed"
fi
cc1plus=$(g++ -print-prog-name=cc1plus 2>/dev/null)
if [ -x "${cc1plus:-/none}" ]; then
	echo '#include <algorithm>
#include <map>
#include <regex>
#include <string>
int main() { return std::regex_match(std::string("x"), std::regex("a*x")); }' \
		>"$tmp/big.cc"
	g++ -E -P "$tmp/big.cc" >"$tmp/big.ii"
	check cc1plus "$cc1plus" -quiet -O1 "$tmp/big.ii" -o -
else
	skip 8 "g++ is not installed"
fi
if have git && git init -q "$tmp/repo" 2>/dev/null; then
	(
		cd "$tmp/repo" || exit
		for i in 1 2 3 4 5 6; do
			awk -v i=$i 'NR % 7 != i { print $1 * i }' \
				../numbers >file
			git add file
			git -c user.name=t -c user.email=t@example.org \
				commit -q -m "change $i"
		done
	)
	check git git -C "$tmp/repo" --no-pager log -p
else
	skip 8 "git is not installed"
fi

# A script that starts several programs: each has its own, all are there.
cat >"$tmp/script" <<'EOF'
sort -n "$1" | tail -n 1
awk '{ n += $1 } END { print n }' "$1" &
wait
sed 's/1/2/g' "$1" | cksum
EOF
bare_and_profiled script sh "$tmp/script" "$tmp/numbers"
whole script cpu
whole script pagefaults
out=$("$cpprof" info "$tmp/script.data")
for program in sh sort awk sed cksum; do
	like "$out" "(^|[ /])([mg]|or)?$program" "script: $program is listed"
done
out=$("$cpprof" report --format=paper --function --resource=cpu --threshold=0 \
	"$tmp/script.data")
like "$out" "^0\.[0-9]+ ([a-z]+!)main \[" "script: each main with its program"
out=$("$cpprof" -c 'root' "$tmp/script.data")
is "$out" "root [all]" "script: with several programs the root is [all]"

# perf on the same program: both agree on functions with 4 % or more.  A program
# that works in the cache, since both runs have to be alike.
if perf record -q -e cpu-clock -c 1000000 -o "$tmp/perf.data" true 2>/dev/null
then
	perf record -q -e cpu-clock -c 1000000 -o "$tmp/perf.data" \
		"$samples/queens" >/dev/null 2>"$tmp/err"
	perf report -i "$tmp/perf.data" --stdio -s dso,sym -F sample,dso,sym \
		2>>"$tmp/err" | awk '$1 ~ /^[0-9]+$/ { print $1, $NF }' >"$tmp/perf"
	"$cpprof" run -q -o "$tmp/queens.data" -- "$samples/queens" >/dev/null
	"$cpprof" report --format=paper --body --no-inlines --threshold=0 \
		"$tmp/queens.data" | awk '
		/^0\./ { gsub(/[][]/, "", $3); print $3, $2 }' >"$tmp/ours"
	out=$(awk 'NR == FNR { perf[$2] += $1; np += $1; next }
		{ ours[$2] += $1; n += $1 }
		END {
			for (f in ours) {
				p = ours[f] / n; q = perf[f] / np
				if (f ~ /\+0x/ || (p < 0.04 && q < 0.04)) continue
				both = (ours[f] + perf[f]) / (n + np)
				noise = sqrt(both * (1 - both) * (1 / n + 1 / np))
				compared++
				if ((p - q) ^ 2 > (4.4 * noise + 0.02) ^ 2)
					print f, p, q
			}
			if (compared < 3) print "only", compared, "to compare"
		}' "$tmp/perf" "$tmp/ours")
	if [ -s "$tmp/perf" ]; then
		is "$out" "" "perf and cpprof agree on who takes the time"
	else
		skip 1 "perf tells nothing: $(tr '\n' ' ' <"$tmp/err")"
	fi
else
	skip 1 "perf does not work here"
fi
done_testing
