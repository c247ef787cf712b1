# Peers that want their program compiled for them (-pg for gprof, that or
# -finstrument-functions for uftrace and contexts), beside the others on the same
# programs of samples/.

# compiled HOW PROGRAM: $work/HOW/PROGRAM, with what such tools want
compiled() {
	mkdir -p "$work/$1"
	[ -x "$work/$1/$2" ] || ${CC:-cc} -D_GNU_SOURCE -std=gnu11 -O2 -g \
		"-$1" -pthread -fno-optimize-sibling-calls -I"$srcdir" -o \
		"$work/$1/$2" "$srcdir/samples/$2.c" \
		"$srcdir/samples/sample.c" >"$work/err/$1" 2>&1
}

# sample_for PEER PROGRAM [VARIANT]: the command of its kind of that program
sample_for() {
	case $1:${3:-} in
	uftrace:hooks | cpprof:contexts:1) echo "'$work/finstrument-functions/$2'" ;;
	uftrace:* | gprof:* | cpprof:contexts) echo "'$work/pg/$2'" ;;
	*) echo "'$samples/$2'" ;;
	esac
}

# fig1: c costs the same from a and from b, though b calls it ten times as
# often.  SHARE_OF_A prints what a tool gives to a of what a and b have of c,
# from its data in $1 (the program in $2).
fig1_of_cpprof() {
	"$cpprof" export --format=folded "$1" | awk '
		/;a;c/ { a += $NF } /;b;c/ { b += $NF }
		END { if (a + b) print 100 * a / (a + b) }'
}

fig1_of_perf() {
	perf script --no-inline -F ip,sym -i "$1" 2>/dev/null | awk '
		NF == 0 { under_c = 0; next }
		under_c && $2 == "a" { a++ }
		under_c && $2 == "b" { b++ }
		{ under_c = $2 == "c" }
		END { if (a + b) print 100 * a / (a + b) }'
}

fig1_of_gperftools() {
	[ -n "$pprof" ] || return 1
	"$pprof" --collapsed "$2" "$1" 2>/dev/null |
		sed 's/<[0-9a-f]*>//g' | awk '
		/;a;c/ { a += $NF } /;b;c/ { b += $NF }
		END { if (a + b) print 100 * a / (a + b) }'
}

fig1_of_callgrind() {
	callgrind_annotate --auto=no --tree=caller --threshold=100 "$1" | tr -d , | awk '
		/ < .*:a \(/ { a = $1 } / < .*:b \(/ { b = $1 }
		/ \* .*:c / { print 100 * a / (a + b); exit }
		/ \* / { a = b = 0 }'
}

fig1_of_uftrace() {
	uftrace graph --no-pager -d "$1" c 2>/dev/null |
		awk -f "$srcdir/bench/uftrace.awk"
}

fig1_of_gprof() {
	gprof -b "$2" "$1/gmon.out" 2>/dev/null | awk '
		/^-----/ { a = b = 0 }
		$NF ~ /^\[/ && $(NF - 1) == "a" && !own { a = $1 + $2 }
		$NF ~ /^\[/ && $(NF - 1) == "b" && !own { b = $1 + $2 }
		/^\[[0-9]+\]/ && $(NF - 1) == "c" && a + b {
			print 100 * a / (a + b)
			exit
		}'
}

part_fig1() {
	title fig1 fig1 "samples/fig1: of the cost of c, what is under a (%); $(
		)50 is true, 9.1 is the share of calls"
	compiled pg fig1
	cat <<-END >"$work/variants"
		cpprof cpu:1ms cpprof 1 kHz
		perf 1000:fp perf fp 1 kHz
		perf 1000:dwarf,65528 perf dwarf 64K 1 kHz
		gperftools 1000 gperftools 1 kHz
		callgrind - callgrind
		uftrace - uftrace
		gprof - gprof
	END
	printf 'bare\t%s\n' "exec '$bench/clock' '$samples/fig1'" \
		>"$work/plan"
	while read -r peer what name; do
		listed "$peer" "$usable" || continue
		printf '%s\t%s\n' "$name" "$("run_$peer" "$what" \
			"$(data_file "$name")" "$(sample_for "$peer" fig1)")"
	done <"$work/variants" >>"$work/plan"
	"$bench/pair" -n "$rounds" -t "$limit" -r "$results" -s fig1 -g fig1 \
		-d "$work/err" "$work/plan" || return
	while read -r peer what name; do
		file=$(data_file "$name")
		[ -e "$file" ] || continue
		program=$(sample_for "$peer" fig1)
		under_a=$("fig1_of_$peer" "$file" "$(program_of "$program")")
		emit fig1 fig1 "$name" 'under a %' "$under_a" \
			"$([ -n "$under_a" ] || echo 'a and b are not in its stacks')"
	done <"$work/variants"
	rm -rf "$work"/data/*
}

# What the same programs cost under each: those that count calls pay per call.
compiled_programs='queens forms pqr'

compiled_variants() {
	cat <<-END
		cpprof cpu:1ms cpprof 1 kHz
		cpprof cpu:100us cpprof 10 kHz
		cpprof contexts cpprof contexts, -pg
		cpprof contexts:1 cpprof contexts, hooks
		perf 1000:none perf 1 kHz
		callgrind - callgrind
		uftrace - uftrace, -pg
		uftrace hooks uftrace, hooks
		gprof - gprof, -pg
	END
}

measure_compiled() {
	title compiled "$1" "samples/$1, compiled with -pg, or -finstrument-functions (hooks)"
	compiled pg "$1"
	compiled finstrument-functions "$1"
	printf 'bare\t%s\n' "exec '$bench/clock' '$samples/$1'" >"$work/plan"
	compiled_variants | while read -r peer what name; do
		listed "$peer" "$usable" || continue
		printf '%s\t%s\n' "$name" "$("run_$peer" "$what" \
			"$(data_file "$name")" "$(sample_for "$peer" "$1" "$what")")"
	done >>"$work/plan"
	"$bench/pair" -n "$rounds" -t "$limit" -r "$results" -s compiled \
		-g "$1" -d "$work/err" "$work/plan"
	compiled_variants | while read -r peer what name; do
		file=$(data_file "$name")
		[ -z "$(figure compiled "$1" "$name" 'wall x')" ] ||
			emit compiled "$1" "$name" 'data MB' \
				"$(calculate "$(size_of "$file") / 1e6")"
	done
	rm -rf "$work"/data/*
}

part_compiled() {
	for program in $compiled_programs; do
		say "  $program"
		measure_compiled "$program"
	done
}
