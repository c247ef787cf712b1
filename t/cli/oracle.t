#!/bin/sh
# Commands whose answers nothing else holds to a second way of finding them:
# list --asm, advise, processes and threads, of random recursive stacks.  Each
# oracle takes the flat list of stacks, one by one.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
rounds=12

# same WHAT: what the program says in `said' is what `oracle' has
same() {
	if cmp -s said oracle && [ -s oracle ]; then
		return
	fi
	diff said oracle | sed -n '1,12s/^/# /p'
	ok 1 "$1"
	bad=1
}

# --- list --asm ---

# Four functions of 32 bytes, each with a call of each of them, 5 bytes long, a
# nop and a ret: what lies where is known.
code() {
	awk 'BEGIN {
		for (f = 0; f < 4; f++) {
			print "\t.p2align 5\n\t.globl f" f "\n\t.type f" f \
				", @function\nf" f ":"
			for (c = 0; c < 4; c++)
				print "\tcall f" c
			print "\tnop\n\tret\n\t.size f" f ", . - f" f
		} }' >program.s
	as -o program.o program.s &&
		ld -Ttext=0x401000 -e f0 --build-id=none -o program program.o
}

# A caller is at the return address, 5 bytes behind its call.
stacks() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		base = 4198400 # 0x401000
		for (f = 0; f < 4; f++)
			printf "function f%d %x %x\n", f, base + 32 * f,
				base + 32 * f + 22
		for (s = 0; s < 40; s++) {
			f = 0
			line = "stack " 1 + int(4 * rand())
			for (deep = int(10 * rand()); deep > 0; deep--) {
				c = int(4 * rand())
				line = line sprintf(" %x", base + 32 * f + 5 * c + 5)
				f = c
			}
			at = int(6 * rand())
			print line sprintf(" %x", base + 32 * f + \
				(at < 4 ? 5 * at : 16 + at))
		}
	}'
}

# Each instruction on a stack counts once, the innermost by itself, too.
code_oracle() {
	awk 'function number(hex, n, i) {
		n = 0
		for (i = 1; i <= length(hex); i++)
			n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return n
	}
	/^stack/ {
		split("", seen)
		for (i = 3; i <= NF; i++) {
			at = number($i) - (i < NF ? 5 : 0)
			if (!seen[at]++)
				total[at] += $2
		}
		self[at] += $2
	}
	END { for (at in total)
		printf "0x%x %d %d\n", at, 1000 * total[at], 1000 * self[at] }' |
		sort
}

if [ "$(uname -m)" = x86_64 ] && code 2>err; then
	bad=0
	for seed in $(seq $rounds); do
		stacks "$seed" >list
		"$top_builddir/t/lib/make_fixture" data code "$tmp/program" <list
		code_oracle <list >oracle
		for f in f0 f1 f2 f3; do
			"$cpprof" list --asm $f data -f csv
		done | awk -F, '$(NF - 2) + 0 { print $5, $(NF - 2), $(NF - 1) }' |
			sort >said
		same "list --asm, round $seed"
	done
	ok $bad "list --asm: each instruction of $rounds random runs"
else
	skip 1 "no as and ld for x86-64"
fi

# --- processes and threads ---

# Samples as perf script prints them; the period is the weight.
tasks() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (s = 0; s < 60; s++) {
			pid = 100 + int(3 * rand())
			tid = pid + 10 * int(3 * rand())
			printf "prog%d %d/%d [000] %d.%06d: %d cpu-clock:\n", pid,
				pid, tid, 50 + s, s, 1 + int(999 * rand())
			for (deep = 1 + int(6 * rand()); deep > 0; deep--) {
				f = int(4 * rand())
				printf "\t%x f%d+0x1 (/bin/prog)\n", 4096 + 16 * f, f
			}
			print ""
		}
	}'
}
bad=0
for seed in $(seq $rounds); do
	tasks "$seed" >script
	"$cpprof" import -q --from=perf -o data script || exit 99
	for kind in process:1:7 thread:2:7; do
		column=${kind#*:}
		awk -v column="${column%:*}" '/cpu-clock/ {
			split($2, id, "/")
			n[id[column]]++
			weight[id[column]] += $5
			sum += $5
		}
		END { for (i in n) printf "%d %d %d %.5f\n", i, n[i], weight[i],
			weight[i] / sum }' "column=${column%:*}" script |
			sort >oracle
		"$cpprof" report --"${kind%%:*}"$(
			[ "${kind%%:*}" = process ] && echo es || echo s) -t 0 \
			-f csv data | awk -F, 'NR > 1 { print $7, $9, $10, $8 }' |
			sort >said
		same "${kind%%:*}, round $seed"
	done
done
ok $bad "processes and threads of $rounds random runs"

# --- advise ---

# Stacks in which one context has most of a function more often than by chance.
contexts() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (s = 0; s < 14; s++) {
			line = "main"
			for (deep = 1 + int(5 * rand()); deep > 0; deep--)
				line = line ";f" int(7 * rand())
			n = 1 + int(30 * rand())
			print line, rand() < 0.3 ? 20 * n : n
		}
	}'
}

# cpprof-advise(1): a function that has 5 % by itself, in 20 samples or more;
# the longest context that has 80 % of its total, up to where others part from
# it last (more than 1 %), or where those have next to nothing, first.  Its
# outermost occurrence is the one that counts.
advise_oracle() {
	awk '{
		n = split($1, path, ";")
		all += $2
		self[path[n]] += $2
		split("", seen)
		for (i = 1; i <= n; i++) {
			if (seen[path[i]]++)
				continue
			f = path[i]
			total[f] += $2
			context = f
			for (k = i - 1; k > 0 && i - k < 16; k--) {
				context = path[k] ";" context
				weight[context] += $2
				size[context] = i - k + 1
				whose[context] = f
			}
		}
	}
	END {
		for (c in weight)
			if (weight[c] >= 0.8 * total[whose[c]]) {
				had[whose[c], size[c]] = weight[c]
				name[whose[c], size[c]] = c
			}
		for (f in self) {
			if (self[f] < 0.05 * all || self[f] < 20)
				continue
			before = total[f]
			first = last = 0
			for (l = 2; (f, l) in had; l++) {
				if (had[f, l] < 0.99 * before)
					last = l
				if (had[f, l] < before && !first)
					first = l
				before = had[f, l]
			}
			l = last ? last : first
			if (l)
				printf "%.5f %s %d\n", total[f] / all, name[f, l],
					had[f, l]
		}
	}' list | sort -rn >contexts
	# of two on one stack the larger: one leads to the other, or most stacks
	# of the lesser have both
	awk 'NR == FNR {
			stack[++stacks] = ";" $1 ";"
			weight[stacks] = $2
			all += $2
			next
		}
		function ends(path) { sub(/.*;/, "", path); return ";" path ";" }
		function both(f, g,  i, sum) {
			for (i = 1; i <= stacks; i++)
				if (index(stack[i], f) && index(stack[i], g))
					sum += weight[i]
			return sum / all
		}
		{
			f = ends($2)
			for (i = 1; i <= n; i++) {
				g = ends(path[i])
				if (index(";" path[i] ";", f) ||
					index(";" $2 ";", g) || both(f, g) > $1 / 2)
					next
			}
			path[++n] = $2
			print $1, once($2), $3
		}
		# what calls itself stands once
		function once(path,  i, k, f, all) {
			k = split(path, f, ";")
			for (i = 1; i <= k; i++)
				if (f[i] != f[i - 1])
					all = all (all == "" ? "" : ";") f[i]
			return all
		}' list contexts
}

# At most two are printed, the largest.  Which of equal ones is taken first may be
# either: such rounds are no test.
bad=0 given=0
for seed in $(seq 40); do
	contexts "$seed" >list
	counted data <list
	advise_oracle >wanted
	[ -z "$(cut -d ' ' -f 1 contexts | uniq -d)" ] || continue
	"$cpprof" advise -f csv data | sed 1d | awk -F, '$1 == "repeated" {
		gsub(/"/, "", $3); print $4, $3, $6 }' >said
	given=$((given + $(wc -l <said)))
	# the shares are those of the largest, and each line is the oracle's
	{
		head -n 2 wanted | cut -d ' ' -f 1
		cat wanted
	} >oracle
	awk 'NR == FNR { if (NF == 1) share[++n] = $1; else line[$0] = 1; next }
		!($0 in line) || $1 != share[++m] { bad = 1 }
		END { exit bad || m != n }' oracle said
	[ $? -eq 0 ] || {
		ok 1 "advise, round $seed"
		sed 's/^/# wanted /' wanted
		sed 's/^/# said /' said
		bad=1
	}
done
ok $bad "advise: contexts of 40 random runs"
within $given 10 80 "which have some"
done_testing
