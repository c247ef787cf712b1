# The reader's side: how long an answer takes, from the same run of python3
# under each at 10 kHz (gperftools: 4 kHz), and from files of a million samples
# over 50 000 stacks and of ten million over a million.

reader_plan() {
	big=$work/big huge=$work/huge cpd=$(data_file cpprof) gp=$(data_file gperftools)
	for kind in --function --down=main --up=_PyEval_EvalFrameDefault; do
		printf 'cpprof %s\texec %s report %s %s\n' "$kind" \
			"'$cpprof'" "$kind" "'$cpd'"
	done
	printf 'cpprof, all of these\texec %s -c %s %s\n' "'$cpprof'" \
		"'function; down main; up _PyEval_EvalFrameDefault'" "'$cpd'"
	for stacks in fp dwarf; do
		file=$(data_file "perf $stacks")
		[ -e "$file" ] || continue
		printf 'perf %s, report\texec perf report --stdio -i %s\n' \
			$stacks "'$file'"
		printf 'perf %s, --no-inline\t%s\n' $stacks \
			"exec perf report --stdio --no-inline -i '$file'"
		printf 'perf %s, body\t%s\n' $stacks "exec perf report $(
			)--stdio --no-children -g none --no-inline -i '$file'"
	done
	[ ! -e "$gp" ] || {
		[ -z "$pprof" ] || printf 'pprof --text\t%s\n' \
			"exec '$pprof' --text '$python' '$gp'"
		! command -v go >/dev/null 2>&1 || printf '%s\t%s\n' \
			'go pprof -top' \
			"exec go tool pprof -top '$python' '$gp'"
	}
	for kind in --function --down=main --up=function_1; do
		printf 'million samples %s\texec %s report %s %s\n' "$kind" \
			"'$cpprof'" "$kind" "'$big'"
		printf 'ten million samples %s\texec %s report %s %s\n' \
			"$kind" "'$cpprof'" "$kind" "'$huge'"
	done
	printf 'ten million samples, all of these\texec %s -c %s %s\n' \
		"'$cpprof'" "'function; down main; up function_1'" "'$huge'"
	filter='function; without function_1; function'
	printf 'ten million samples, a filter\texec %s -c %s %s\n' \
		"'$cpprof'" "'$filter'" "'$huge'"
	printf 'ten million samples, and undo\texec %s -c %s %s\n' \
		"'$cpprof'" "'$filter; undo; function'" "'$huge'"
}

part_reader() {
	title reader reader "the reader's side: python3 at 10 kHz $(
		)(gperftools 4 kHz), and files of a million and of ten million samples"
	command=$(workload_python) || return
	python=$(program_of "$command")
	"$top_builddir/t/lib/make_big" "$work/big" 1000000 &&
		"$top_builddir/t/lib/make_big" "$work/huge" 10000000 1000000 ||
		return
	cat <<-END >"$work/variants"
		cpprof cpu:100us cpprof
		perf 10000:fp perf fp
		perf 10000:dwarf,8192 perf dwarf
		gperftools 4000 gperftools
	END
	while read -r peer what name; do
		listed "$peer" "$usable" || continue
		again=run_$peer
		[ "$peer" != perf ] || again=again_perf
		line=$("$again" "$what" "$(data_file "$name")" "$command")
		sh -c "$line" >/dev/null 2>&1 </dev/null
		emit reader reader "$name: its data" samples \
			"$("samples_$peer" "$(data_file "$name")")"
		emit reader reader "$name: its data" 'file MB' "$(calculate \
			"$(size_of "$(data_file "$name")") / 1e6")"
	done <"$work/variants"
	reader_plan >"$work/plan"
	"$bench/pair" -n "$rounds" -t "$limit" -a answer -r "$results" \
		-s reader -g reader -d "$work/err" "$work/plan"
	rm -rf "$work"/data/* "$work/big" "$work/huge"
}
