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
	# of stacks deeper than 127 frames perf's own limit drops the rest
	perf report --stdio -i "$perf_data" --no-inline --max-stack 200000 \
		-g none "$1" "$2" \
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
