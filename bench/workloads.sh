# The workloads: programs from the distribution that nobody here wrote, each
# for a second or some on input made here, the same on every machine.
#
# workload_NAME prints one line, the command, and fails where a program is not
# installed, with a word in $why.  make_NAME makes its input in $work/in, once.
# $scale multiplies the work.

workloads='cc1plus sqlite python xz perl git sort pigz fork dd touch deep'
quick_workloads='cc1plus python touch'

# need PROG...: false, with $why, where one of them is not there
need() {
	for need_prog; do
		command -v "$need_prog" >/dev/null 2>&1 || {
			why="$need_prog is not installed"
			return 1
		}
	done
}

# input FILE: where it lies; made by the commands on stdin if it is not there
input() {
	[ -e "$work/in/$1" ] || {
		mkdir -p "$work/in"
		cat >"$work/in/$1.make"
		(cd "$work/in" && scale=$scale sh -e ./"$1.make") \
			>"$work/in/$1.log" 2>&1 || {
			why="no input: $(tail -n 1 "$work/in/$1.log")"
			rm -rf "${work:?}/in/$1"
			return 1
		}
	}
}

about_cc1plus='the C++ compiler on <bits/stdc++.h> and generated templates'
workload_cc1plus() {
	need g++ awk || return
	cc1plus=$(g++ -print-prog-name=cc1plus)
	input big.ii <<-'END' || return
		{
		echo '#include <bits/stdc++.h>'
		awk -v n=$((8 * scale)) 'BEGIN {
			for (i = 0; i < n; i++)
				printf "struct s%d { int a; std::string b;" \
					" bool operator<(const s%d &o) const" \
					" { return std::tie(a, b) < std::tie" \
					"(o.a, o.b); } };\n" \
					"int f%d(std::map<std::string, " \
					"std::vector<s%d>> &m) { for (auto &p" \
					" : m) std::sort(p.second.begin(), " \
					"p.second.end()); return (int)m.size" \
					"(); }\n", i, i, i, i
		}'
		} >big.cc
		g++ -E -P big.cc -o big.ii
	END
	echo "'$cc1plus' -quiet -O1 '$work/in/big.ii' -o /dev/null"
}

about_sqlite='sqlite3: rows inserted, joined, grouped, matched'
workload_sqlite() {
	need sqlite3 awk || return
	input load.sql <<-'END' || return
		awk -v n=$((150000 * scale)) 'BEGIN {
			print "pragma journal_mode=off; begin;"
			print "create table t(a integer, b integer, c text);"
			print "create table u(a integer primary key, d text);"
			for (i = 0; i < n; i++) {
				x = (x * 1103 + 12345) % 1048573
				printf "insert into t values(%d,%d,%cv%d%c);\n",
					x, x % 977, 39, x * 7 % 100003, 39
				if (i % 10 == 0)
					printf "insert or ignore into u " \
						"values(%d,%cu%d%c);\n",
						x % 977, 39, i, 39
			}
			print "create index tb on t(b, a);"
			print "select count(*), sum(length(c)) from t;"
			print "select b, count(*), max(c) from t group by b " \
				"order by 2 desc limit 5;"
			print "select u.d, sum(t.a) from t join u on t.b = " \
				"u.a group by u.d order by 2 limit 5;"
			print "select count(distinct c) from t where c like " \
				"\"%7%9%\";"
			print "commit;"
		}' >load.sql
	END
	echo "sqlite3 -init /dev/null :memory: '.read $work/in/load.sql'"
}

about_python='python3, a call-heavy script'
workload_python() {
	# A wrapper script may stand before the interpreter itself.
	python=$(/usr/bin/python3 -c 'import sys; print(sys.executable)' \
		2>/dev/null) || python=$(python3 -c \
		'import sys; print(sys.executable)' 2>/dev/null) || {
		why='python3 is not installed'
		return 1
	}
	input calls.py <<-'END' || return
		cat >calls.py <<-'PY'
			import sys
			class Node:
			    def __init__(self, key):
			        self.key, self.left, self.right = key, None, None
			    def insert(self, key):
			        side = 'left' if key < self.key else 'right'
			        child = getattr(self, side)
			        if child is None:
			            setattr(self, side, Node(key))
			        else:
			            child.insert(key)
			    def depth(self):
			        return 1 + max((c.depth() for c in
			            (self.left, self.right) if c), default=0)
			def fib(n):
			    return n if n < 2 else fib(n - 1) + fib(n - 2)
			for turn in range(int(sys.argv[1])):
			    root, x = Node(500000), 1
			    for i in range(12000):
			        x = x * 16807 % 2147483647
			        root.insert(x % 1000000)
			    print(fib(23), root.depth())
		PY
	END
	echo "'$python' '$work/in/calls.py' $((20 * scale))"
}

# Text of words of a made-up language, some alike, for xz, perl, sort, pigz.
make_text() {
	input text <<-'END'
		awk -v n=$((220000 * scale)) 'BEGIN {
			x = 1
			for (i = 0; i < n; i++) {
				line = ""
				for (k = 0; k < 8; k++) {
					x = x * 16807 % 2147483647
					line = line "w" x % (k * k * 577 + 11) \
						(x % 3 ? "en " : "o ")
				}
				print line
			}
		}' >text
	END
}

about_xz='xz -6 in one thread'
workload_xz() {
	need xz awk && make_text || return
	input xz-text <<-'END' || return
		head -c $((1200000 * scale)) text >xz-text
	END
	echo "xz -T1 -6 -k -c '$work/in/xz-text'"
}

about_perl='perl: words counted, sorted, matched'
workload_perl() {
	need perl awk && make_text || return
	input words.pl <<-'END' || return
		cat >words.pl <<-'PL'
			sub key { my $w = shift; $w =~ tr/a-z//cd; return $w }
			while (<>) {
				for my $w (split) {
					$n{$w}++;
					$k{key($w)} += length $w;
					$odd++ if $w =~ /^w(\d)\d*\1[eo]/;
				}
			}
			my @top = sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n;
			print "$odd @top[0..4] ", scalar(keys %k), "\n";
		PL
	END
	echo "perl '$work/in/words.pl' '$work/in/text'"
}

about_git='git log --stat -p over a generated repository'
workload_git() {
	need git awk || return
	input repo.git <<-'END' || return
		git init -q --bare repo.git
		awk -v n=$((1500 * scale)) 'BEGIN {
			for (i = 1; i <= n; i++) {
				print "commit refs/heads/master"
				printf "committer A <a@b> %d +0000\n",
					1000000000 + i * 60
				print "data 8\ncommit x"
				for (f = 0; f < 4; f++) {
					text = ""
					name = (i * 7 + f * 31) % 60
					for (l = 0; l < 120; l++)
						text = text "line " l " of " \
							name " " (l % 17 == \
							i % 17 ? i : "") "\n"
					printf "M 100644 inline d%d/f%d\n" \
						"data %d\n%s\n", name % 7,
						name, length(text), text
				}
			}
		}' | git --git-dir=repo.git fast-import --quiet
	END
	echo "git --git-dir='$work/in/repo.git' --no-pager log --stat -p master"
}

about_sort='sort with a buffer of 256 KiB: many small reads and files'
workload_sort() {
	need sort awk && make_text || return
	input sort-text <<-'END' || return
		cat text text text text text text >sort-text
	END
	echo "env LC_ALL=C sort -S 256K --parallel=1 -T '$work' -k2,2 -k1,1r '$work/in/sort-text'"
}

about_pigz='pigz, a thread per processor (xz -T0 where it is not there)'
workload_pigz() {
	make_text || return
	input pigz-text <<-'END' || return
		cat text text >pigz-text
	END
	if need pigz; then
		echo "pigz -6 -c '$work/in/pigz-text'"
	else
		need xz || return
		echo "xz -T0 -1 -k -c '$work/in/pigz-text'"
	fi
}

about_fork='a shell loop that starts programs'
workload_fork() {
	echo "sh -c 'i=0; while [ \$i -lt $((1500 * scale)) ]; do" \
		"/bin/true; i=\$((i + 1)); done'"
}

about_dd='one-byte reads and writes by dd'
workload_dd() {
	need dd || return
	echo "dd if=/dev/zero of=/dev/null bs=1 count=$((2000000 * scale))" \
		"status=none"
}

about_touch='first touches of pages, each a page fault'
workload_touch() {
	echo "'$bench/load' touch $((400000 * scale))"
}

about_deep='samples/deep: 100 000 frames of recursion'
workload_deep() {
	echo "'$samples/deep'"
}
