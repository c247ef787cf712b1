# How the cost grows with the depth of stacks, threads, processes, the rate,
# the samples in a file, the functions in a program.

# point GROUP N RATE COMMAND: COMMAND under cpprof and perf at RATE a second,
# as row N of GROUP
point() {
	{
		listed cpprof "$usable" &&
			echo "cpprof cpu:$((1000000 / $3))us cpprof"
		listed perf "$usable" && echo "perf $3:none perf"
		case $1 in
		depth) listed perf "$usable" &&
			echo "perf $3:dwarf,65528 perf dwarf" ;;
		esac
	} >"$work/variants"
	: >"$work/point"
	plan "$4" <"$work/variants" >"$work/plan"
	"$bench/pair" -n "$growth_rounds" -t "$limit" -r "$work/point" -s p \
		-g p -d "$work/err" "$work/plan" || return
	while read -r peer what name; do
		for column in 'wall x' 'CPU x'; do
			emit growth "$1" "$2" "$name $column" \
				"$(figure p p "$name" "$column" "$work/point")"
		done
		file=$(data_file "$name")
		n=$("samples_$peer" "$file" 2>/dev/null)
		[ "${n:-0}" -gt 0 ] || continue
		used=$(figure p p "$name" 'collector s' "$work/point")
		[ -z "$used" ] || emit growth "$1" "$2" "$name us/sample" \
			"$(calculate "$used / $n * 1e6")"
		case $1:$name in
		rate:*) emit growth "$1" "$2" "$name samples" "$n" ;;
		depth:perf) ;;
		depth:*)
			[ "$peer" != perf ] || sh -c "$(again_perf "$what" \
				"$file" "$4")" >/dev/null 2>&1
			emit growth "$1" "$2" "$name whole %" \
				"$("whole_$peer" "$file")"
			;;
		esac
	done <"$work/variants"
	rm -rf "$work"/data/*
}

# The size of a file of N samples, and what a first look at it takes.
file_point() {
	"$top_builddir/t/lib/make_big" "$work/big" "$1" "$(($1 / 20 + 10))" \
		>/dev/null || return
	printf 'p\texec %s report %s\n' "'$cpprof'" "'$work/big'" >"$work/plan"
	: >"$work/point"
	"$bench/pair" -n "$growth_rounds" -t "$limit" -a p -r "$work/point" \
		-s p -g p -d "$work/err" "$work/plan"
	emit growth file "$1" 'file MB' \
		"$(calculate "$(size_of "$work/big") / 1e6")"
	emit growth file "$1" 'report s' "$(figure p p p 'p s' "$work/point")"
	emit growth file "$1" 'report MB' "$(figure p p p 'p MB' "$work/point")"
	rm -f "$work/big"
}

# A program of N functions, each called; its profile is named at its end.
symbols_point() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "static __attribute__((noinline)) unsigned " \
				"f%d(unsigned x) { return x * %du + %du; }\n",
				i, 2 * i + 1, i
		printf "static unsigned (*const all[])(unsigned) = {"
		for (i = 0; i < n; i++) printf "f%d,", i
		print "};\nint main(void) { unsigned x = 1, i;"
		print "for (i = 0; i < 200000000; i++)"
		printf "x = all[i %% %d](x); return x == 0; }\n", n
	}' >"$work/symbols.c"
	"${CC:-cc}" -O0 -o "$work/symbols" "$work/symbols.c" || return
	printf '%s\t%s\n' bare "exec '$bench/clock' '$work/symbols'" \
		>"$work/plan"
	printf '%s\t%s\n' cpprof "$(run_cpprof cpu:100us "$work/data/s" \
		"'$work/symbols'")" >>"$work/plan"
	: >"$work/point"
	"$bench/pair" -n "$growth_rounds" -t "$limit" -r "$work/point" -s p \
		-g p -d "$work/err" "$work/plan" || return
	emit growth symbols "$1" 'naming s' \
		"$(figure p p cpprof 'after s' "$work/point")"
	emit growth symbols "$1" 'collector s' \
		"$(figure p p cpprof 'collector s' "$work/point")"
	emit growth symbols "$1" 'peak MB' \
		"$(figure p p cpprof 'collector MB' "$work/point")"
	emit growth symbols "$1" 'file MB' \
		"$(calculate "$(size_of "$work/data/s") / 1e6")"
	rm -rf "$work"/data/*
}

part_growth() {
	growth_rounds=$(((rounds + 1) / 2))
	title growth depth 'depth of the stack, frames (1 kHz)'
	for n in 10 100 1000 10000 100000; do
		point depth $n 1000 "'$samples/deep' --depth=$n"
	done
	title growth threads 'threads (1 kHz)'
	for n in 1 10 100 1000; do
		point threads $n 1000 "'$bench/load' threads $n"
	done
	title growth procs 'processes (1 kHz)'
	for n in 1 10 100 1000; do
		point procs $n 1000 "'$bench/load' procs $n"
	done
	title growth rate 'samples a second, queens'
	for n in 100 300 1000 3000 10000 30000; do
		point rate $n $n "'$samples/queens'"
	done
	title growth file 'samples in the file: the first report'
	for n in 10000 100000 1000000 10000000; do
		file_point $n
	done
	title growth symbols 'functions in the program, all of them sampled'
	for n in 10 100 1000 10000 100000; do
		symbols_point $n
	done
}
