# How near each tool's profile is to callgrind's, which counts every
# instruction: the distortion of csprof (Froyd, Mellor-Crummey and Fowler, ICS
# 2005), the sum over all functions of the absolute difference of percentages.
# 0 is the same profile, 200 has nothing in common with it for bodies; with
# callees included it is the sum over all functions and may be larger.
#
# All are user mode alone, as callgrind is.  What has no symbol has no name
# that two tools share: it is put together by module, and so are libc's
# variants for different processors (valgrind's processor is not this one).
#
# Where a program is recursive callgrind counts callees once per level, to more
# than 100 %: such a profile is no measure, and its column is left out.  The
# last column compares with perf's unwinding of the largest copies instead.

accuracy_programs='fig1 forms queens pqr sqlite perl xz'
accuracy_rate=1000

# The targets; samples/ have symbols, so all their functions are compared.
accuracy_command() {
	case $1 in
	fig1 | queens | pqr | forms) echo "'$samples/$1'" ;;
	*) "workload_$1" ;;
	esac
}

accuracy_variants() {
	cat <<-END
		cpprof user:$((1000000 / accuracy_rate))us cpprof
		perf $accuracy_rate:none perf
		perf $accuracy_rate:fp perf fp
		perf $accuracy_rate:dwarf,8192 perf dwarf 8K
		perf $accuracy_rate:dwarf,65528 perf dwarf 64K
		gperftools $accuracy_rate gperftools
		callgrind - callgrind
	END
}

# The profiles as each tool prints them: PERCENT, a tab, NAME, a tab, MODULE;
# $1 the data, $2 body or function, $3 the command.
profile_of_cpprof() {
	"$cpprof" report "--$2" --no-inlines --threshold=0 \
		--format=json "$1" |
		awk -f "$srcdir/bench/entries.awk"
}

profile_of_perf() {
	case $2 in
	body) set -- "$1" --no-children -F overhead ;;
	*) set -- "$1" --children -F overhead_children ;;
	esac
	perf_data=$1
	shift
	perf report --stdio -i "$perf_data" --no-inline -g none "$1" "$2" \
		"$3,dso,sym" -t '|' 2>/dev/null |
		awk -F '|' '/^#/ || NF < 3 { next } {
			gsub(/ +$/, "", $2)
			sub(/^\[[^]]*\] /, "", $3)
			print $1 + 0 "\t" $3 "\t" $2
		}'
}

profile_of_gperftools() {
	[ -n "$pprof" ] || return 1
	"$pprof" --text --nodefraction=0 "$(program_of "$3")" "$1" \
		2>/dev/null | awk -v c="$([ "$2" = body ] && echo 2 || echo 5)" '
		$2 ~ /%$/ && NF >= 6 {
			x = $c
			$1 = $2 = $3 = $4 = $5 = ""
			sub(/^ +/, "")
			print x + 0 "\t" $0 "\t"
		}'
}

profile_of_callgrind() {
	callgrind_annotate --auto=no --threshold=100 \
		"--inclusive=$([ "$2" = body ] && echo no || echo yes)" "$1" |
		awk -f "$srcdir/bench/callgrind.awk"
}

# distortion A B KIND: of the profile in file A from that in file B
distortion() {
	awk -F '\t' -v kind="$3" -f "$srcdir/bench/distortion.awk" "$1" "$2"
}

measure_accuracy() {
	title accuracy "$1" "accuracy, $1: distortion (%) from callgrind, and$(
		) of bodies from perf without call graphs"
	command=$(accuracy_command "$1") || return
	accuracy_variants | while read -r peer what name; do
		listed "$peer" "$usable" || continue
		file=$(data_file "$name")
		case $peer in
		perf) line=$(again_perf "$what" "$file" "$command" |
			sed 's/-e cpu-clock/-e cpu-clock:u/') ;;
		*) line=$("run_$peer" "$what" "$file" "$command") ;;
		esac
		BENCH_CLOCK=$work/clock timeout "$limit" sh -c "$line" \
			>/dev/null 2>&1 </dev/null
		for kind in body function; do
			"profile_of_$peer" "$file" "$kind" "$command" \
				>"$file.$kind"
		done
	done
	accuracy_variants | while read -r peer what name; do
		file=$(data_file "$name")
		[ "$peer" != callgrind ] && [ -s "$file.body" ] || continue
		compared "$1" "$name" "$file"
	done
	rm -rf "$work"/data/*
}

# compared GROUP NAME FILE: its rows of results
compared() {
	oracle=$work/data/callgrind
	if [ -s "$oracle.body" ]; then
		emit accuracy "$1" "$2" bodies \
			"$(distortion "$3.body" "$oracle.body" body)"
		[ "$2" = perf ] ||
			! awk '$1 > 100.5 { exit 1 }' "$oracle.function" ||
			emit accuracy "$1" "$2" functions "$(distortion \
				"$3.function" "$oracle.function" function)"
	fi
	oracle=$work/data/perf
	[ "$2" = perf ] || [ ! -s "$oracle.body" ] ||
		emit accuracy "$1" "$2" 'bodies/perf' \
			"$(distortion "$3.body" "$oracle.body" body)"
	oracle=$work/data/perf-dwarf-64K
	case $2 in
	perf | 'perf dwarf 64K') ;;
	*) [ ! -s "$oracle.function" ] ||
		emit accuracy "$1" "$2" 'functions/perf dwarf' "$(distortion \
			"$3.function" "$oracle.function" function)" ;;
	esac
	emit accuracy "$1" "$2" samples "$("samples_${2%% *}" "$3")"
}

part_accuracy() {
	for program in $accuracy_programs; do
		say "  $program"
		measure_accuracy "$program"
	done
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

# gprof and uftrace want their target compiled for them.
with_pg() {
	mkdir -p "$work/pg"
	[ -x "$work/pg/$1" ] || "${CC:-cc}" -D_GNU_SOURCE -std=gnu11 -O2 -g \
		-pg -pthread -fno-optimize-sibling-calls -I"$srcdir" -o \
		"$work/pg/$1" "$srcdir/samples/$1.c" \
		"$srcdir/samples/sample.c" >"$work/err/pg" 2>&1
}

part_fig1() {
	title fig1 fig1 "samples/fig1: of the cost of c, what is under a (%); $(
		)50 is true, 9.1 is the share of calls"
	with_pg fig1
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
			"$(data_file "$name")" "$(fig1_program "$peer")")"
	done <"$work/variants" >>"$work/plan"
	"$bench/pair" -n 1 -t "$limit" -r "$results" -s fig1 -g fig1 \
		-d "$work/err" "$work/plan" || return
	while read -r peer what name; do
		file=$(data_file "$name")
		[ -e "$file" ] || continue
		program=$(fig1_program "$peer")
		under_a=$("fig1_of_$peer" "$file" "$(program_of "$program")")
		emit fig1 fig1 "$name" 'under a %' "$under_a" \
			"$([ -n "$under_a" ] || echo 'a and b are not in its stacks')"
	done <"$work/variants"
	rm -rf "$work"/data/*
}

fig1_program() {
	case $1 in
	uftrace | gprof) echo "'$work/pg/fig1'" ;;
	*) echo "'$samples/fig1'" ;;
	esac
}
