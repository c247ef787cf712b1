# Each workload under each peer: what it costs, and what comes of it.

# One variant a line: peer, what run_PEER is told, and the row's name.  At less
# than 1 kHz all are alike: the two that stand for the rest are measured.
plain_variants() {
	for rate in $rates; do
		name=$(rate_name "$rate")
		listed cpprof "$usable" &&
			echo "cpprof cpu:$((1000000 / rate))us cpprof $name"
		listed perf "$usable" && echo "perf $rate:none perf $name"
		[ $quick = no ] || continue
		listed gperftools "$usable" && gperftools_variant "$rate"
		[ "$rate" -ge 1000 ] || continue
		listed perf "$usable" && cat <<-END
			perf $rate:fp perf fp $name
			perf $rate:dwarf,8192 perf dwarf 8K $name
			perf $rate:dwarf,65528 perf dwarf 64K $name
		END
	done
	[ $quick = no ] || ! listed perf "$usable" ||
		echo 'perf 1000:dwarf,65528 perf dwarf 64K 1 kHz'
}

# gperftools takes no more than 4000 Hz.
gperftools_variant() {
	if [ "$1" -gt 4000 ]; then
		set -- 4000
	fi
	echo "gperftools $1 gperftools $(rate_name "$1")"
}

# By workload: resources other than time, and who else can count them.
special_variants() {
	case $1 in
	touch) cat <<-END ;;
		cpprof pagefaults:1 cpprof each fault
		cpprof pagefaults:100 cpprof each 100th
		perf faults:none perf each fault
		perf faults:dwarf,8192 perf dwarf 8K each fault
		END
	esac
}

# Those that take many times as long: once is enough.
slow_variants() {
	[ $quick = no ] || return
	cat <<-END
		strace -c strace -c
		ltrace -c ltrace -c
		perftrace -s perf trace -s
	END
	case $1 in
	dd | fork | sort) echo 'strace -k strace -k' ;;
	esac
	case $1 in
	fork) ;;
	*) echo 'callgrind - callgrind' ;;
	esac
}

rate_name() {
	case $1 in
	*000) echo "${1%000} kHz" ;;
	*) echo "$1 Hz" ;;
	esac
}

data_file() { echo "$work/data/$(printf '%s' "$1" | tr ' /' '--')"; }

# plan COMMAND <VARIANTS: lines for bench/pair
plan() {
	printf 'bare\t%s\n' "exec '$bench/clock' $1"
	while read -r peer what name; do
		listed "$peer" "$usable" && printf '%s\t%s\n' "$name" \
			"$("run_$peer" "$what" "$(data_file "$name")" "$1")"
	done
}

size_of() { du -sb "$1" 2>/dev/null | cut -f 1; }

# What is in the data of variant NAME of PEER.
contents() {
	group=$1 peer=$2 name=$3
	file=$(data_file "$name")
	contents_of_run
	command -v "again_$peer" >/dev/null && [ -e "$file" ] && case $name in
	*' 1 kHz')
		timeout "$limit" sh -c "$("again_$peer" "$4" "$file" \
			"$command")" >/dev/null 2>&1
		;;
	esac
	command -v "whole_$peer" >/dev/null && [ -e "$file" ] && case $name in
	'perf 1'* | 'perf each fault' | perf*' 10 kHz') ;;
	*) emit work "$group" "$name" 'whole %' "$("whole_$peer" "$file")" ;;
	esac
}

contents_of_run() {
	[ -e "$file" ] && [ -n "$(figure work "$group" "$name" 'wall x')" ] &&
		command -v "samples_$peer" >/dev/null || return 0
	n=$("samples_$peer" "$file")
	emit work "$group" "$name" samples "$n"
	[ "${n:-0}" -gt 0 ] || return 0
	case $peer in
	gperftools) ;;
	*)
		emit work "$group" "$name" us/sample "$(calculate \
			"$(figure work "$group" "$name" 'collector s') / $n * 1e6")"
		;;
	esac
	emit work "$group" "$name" B/sample \
		"$(calculate "$(size_of "$file") / $n")"
}

# further GROUP: what a sample costs beyond what the tool's start and end do, by
# the difference between the lowest rate of at least 1 kHz and the highest
further() {
	low= high=
	for rate in $rates; do
		[ "$rate" -lt 1000 ] || low=${low:-$rate} high=$rate
	done
	[ "${low:-x}" != "${high:-x}" ] || return 0
	for tool in cpprof perf 'perf fp' 'perf dwarf 8K' 'perf dwarf 64K'; do
		from="$tool $(rate_name "$low")" to="$tool $(rate_name "$high")"
		less=$(figure work "$1" "$from" samples)
		more=$(figure work "$1" "$to" samples)
		[ -n "$less" ] && [ -n "$more" ] && [ "$more" -gt "$less" ] ||
			continue
		cost=$(calculate "($(
			figure work "$1" "$to" 'collector s') - $(
			figure work "$1" "$from" 'collector s')) / $(
			)($more - $less) * 1e6")
		case $cost in
		-*) ;; # lost in the noise
		*) emit work "$1" "$to" us/further "$cost" ;;
		esac
	done
}

# first_reports GROUP COMMAND <VARIANTS: how long until there is one to read
first_reports() {
	group=$1 command=$2
	while read -r peer what name; do
		file=$(data_file "$name")
		[ -e "$file" ] && command -v "report_$peer" >/dev/null &&
			line=$("report_$peer" "$file" "$command") || continue
		printf '%s\t%s\n' "$name" "$line"
	done >"$work/plan"
	[ -s "$work/plan" ] || return 0
	"$bench/pair" -n 1 -t "$limit" -a report -r "$results" -s reports \
		-g "$group" -d "$work/err" "$work/plan"
	cut -f 1 "$work/plan" | while read -r name; do
		report=$(figure reports "$group" "$name" 'report s')
		after=$(figure work "$group" "$name" 'after s')
		if [ -n "$report" ]; then
			emit work "$group" "$name" 'report s' \
				"$(calculate "$report + ${after:-0}")"
			emit work "$group" "$name" 'report MB' "$(figure \
				reports "$group" "$name" 'report MB')"
		else
			emit work "$group" "$name" 'report s' '' \
				"no report within $limit s"
		fi
	done
	# They are in the table of the workload now.
	grep -v "^value	reports	" "$results" >"$work/results" &&
		cat "$work/results" >"$results"
}

# once SECONDS <VARIANTS: one run of each, beside one of the program
once() {
	cat >"$work/once"
	[ -s "$work/once" ] || return 0
	plan "$command" <"$work/once" >"$work/plan"
	"$bench/pair" -n 1 -e 9 -b -t "$1" -r "$results" -s work -g "$group" \
		-d "$work/err" "$work/plan"
}

measure() {
	group=$1
	title work "$group" "$group: $(eval "echo \"\$about_$group\"")"
	why=
	command=$("workload_$group" 2>"$work/why" && :) || {
		emit work "$group" 'any peer' 'wall x' '' \
			"$(why=; "workload_$group" >/dev/null 2>&1; echo "$why")"
		return
	}
	{
		plain_variants
		special_variants "$group"
	} >"$work/variants"
	plan "$command" <"$work/variants" >"$work/plan"
	"$bench/pair" -n "$rounds" -t "$limit" -r "$results" -s work \
		-g "$group" -d "$work/err" "$work/plan" || return
	slow_variants "$group" >"$work/slow"
	grep '^callgrind' "$work/slow" | once "$limit"
	grep -v '^callgrind' "$work/slow" | once "$(((limit + 1) / 2))"
	cat "$work/slow" >>"$work/variants"
	while read -r peer what name; do
		contents "$group" "$peer" "$name" "$what" </dev/null
	done <"$work/variants"
	further "$group"
	grep -E ' 1 kHz$| fault$|^callgrind' "$work/variants" |
		first_reports "$group" "$command"
	rm -rf "$work"/data/*
}

# The medians over all workloads, a row for each variant that all have.
summary() {
	title summary all 'All workloads: median and worst over them'
	for column in 'wall x' 'CPU x' us/sample us/further B/sample 'whole %' 'report s'; do
		awk -F '\t' -v c="$column" -v low="$([ "$column" != 'whole %' ]
			echo $?)" -f "$srcdir/bench/summary.awk" "$results"
	done >"$work/summary"
	cat "$work/summary" >>"$results"
}

part_work() {
	for workload in $workloads; do
		say "  $workload"
		measure "$workload"
	done
	[ "$(echo "$workloads" | wc -w)" -lt 2 ] || summary
}
