# What counting requests for memory costs programs that make many, at the default
# intervals: CPU time of the program alone.

memory_groups='perl malloc sqlite cc1plus maps btree'
about_malloc='python3 with PYTHONMALLOC=malloc: JSON made and read'
about_maps='C++: maps of strings made and dropped'
about_btree='Rust: the same'

memory_perl() { workload_perl; }
memory_sqlite() { workload_sqlite; }
memory_cc1plus() { workload_cc1plus; }

memory_malloc() {
	need /usr/bin/python3 && input rows.py <<-'END' || return
		cat >rows.py <<-'PY'
			import json, sys
			rows = [{'k%d' % k: [i * k, str(i), {'a': i}]
			    for k in range(8)} for i in range(2000)]
			for turn in range(int(sys.argv[1])):
			    assert json.loads(json.dumps(rows)) == rows
		PY
	END
	echo "env PYTHONMALLOC=malloc '$(/usr/bin/python3 -c \
		'import sys; print(sys.executable)')' '$work/in/rows.py'" \
		"$((20 * scale))"
}

memory_maps() {
	need g++ && input maps <<-'END' || return
		cat >maps.cc <<-'CC'
			#include <cstdlib>
			#include <map>
			#include <string>
			int main(int, char **arg) {
			    size_t n = 0;
			    for (int turn = atoi(arg[1]); turn; turn--) {
			        std::map<std::string, std::string> m;
			        for (unsigned i = 0, x = 1; i < 20000; i++) {
			            x = x * 1103515245 + 12345;
			            m["the key of number " + std::to_string(x)] =
			                "and its value " + std::to_string(i);
			        }
			        n += m.size();
			    }
			    return !n;
			}
		CC
		g++ -O2 -o maps maps.cc
	END
	echo "'$work/in/maps' $((40 * scale))"
}

memory_btree() {
	need rustc && input btree <<-'END' || return
		cat >btree.rs <<-'RS'
			use std::collections::BTreeMap;
			fn main() {
			    let turns = std::env::args().nth(1).unwrap();
			    let mut n = 0;
			    for _ in 0..turns.parse().unwrap() {
			        let mut m = BTreeMap::new();
			        let mut x = 1u32;
			        for i in 0..20000 {
			            x = x.wrapping_mul(1103515245).wrapping_add(12345);
			            m.insert(format!("the key of number {}", x),
			                format!("and its value {}", i));
			        }
			        n += m.len();
			    }
			    std::process::exit((n == 0) as i32);
			}
		RS
		rustc -O -o btree btree.rs
	END
	echo "'$work/in/btree' $((40 * scale))"
}

memory_plan() {
	printf 'bare\t%s\n' "exec '$bench/clock' $command"
	for resources in bytes-allocated allocations bytes-freed frees \
		bytes-allocated,bytes-freed,allocations,frees; do
		printf '%s\t%s\n' "$resources" "exec '$cpprof' run -q \
-r $resources -o '$work/data/memory' -- '$bench/clock' $command"
	done
}

part_memory() {
	for group in $memory_groups; do
		title memory "$group" "requests of $(
			eval "echo \"\$about_$group\"")"
		command=$("memory_$group") || continue
		say "  $group"
		memory_plan >"$work/plan"
		"$bench/pair" -e 1 -n "$rounds" -t "$limit" -r "$results" \
			-s memory -g "$group" -d "$work/err" "$work/plan"
	done
}
