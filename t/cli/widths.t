#!/bin/sh
# On lines of any width the names of functions, files, threads and resources are
# whole, or their outer parts go; none is cut.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99

# Two of each, which differ in the middle alone.
one=libvery_long_name_of_one_library.so.0.8.6
two=libvery_long_name_of_two_library.so.0.8.6
{
	for r in blocked cpu calls=an_even_longer_name_of_a_function; do
		echo "# resource $r: gtick us; interval 1; hits 90; samples 90; in samples 90"
		for lib in $one $two; do
			printf '%s\n' "a_long_name_of_the_${lib#lib} 1/1 1.0: 400 $r:" \
				"	10 f_${lib%%.*}+0x1 (/usr/lib/$lib)" \
				"	10 a::g<std::pair<int, $lib>, std::pair<int, int>>::h+0x1 (/usr/lib/$lib)" \
				"	10 main+0x1 (/bin/prog)" ""
		done
	done
} >text
"$cpprof" import -q --from=perf -o data text || exit 99

# at COLUMNS ARGUMENT...: what a terminal so wide shows
at() {
	COLUMNS=$1
	shift
	export COLUMNS
	"$cpprof" "$@" data >out 2>&1
	unset COLUMNS
}
for columns in 40 60 80 100; do
	for view in "report --function" "report --function --intervals --contains=main" \
		"report --body" "report --tree" "report --why" "report --threads" callgraph info; do
		# shellcheck disable=SC2086
		at $columns $view
		unlike "$(cat out)" '[^:<, .]\.\.\.|\.\.\.[^:>,]' "$columns columns, $view: no name is cut"
		is "$(awk -v n=$columns 'length > n' out)" "" "... and no line is longer"
	done
done
# Names that have no room beside their figures stand below them.
at 40 report -r cpu --function --intervals --contains=main
like "$(cat out)" '^    f_libvery_long_name_of_one_library$' "a name has a line of its own"

# What is broken goes on below itself, in its column.
at 80 report -r cpu --body
for lib in $one $two; do
	like "$(cut -c 57- out | tr -d ' \n')" "$lib" "$lib is whole"
done
at 80 report --why
like "$(head -n 4 out | cut -c 25-40 | tr -d ' \n')" \
	"calls=an_even_longer_name_of_a_function" "a resource is whole"

# What shows a path whole is told once, however many tables there are.
{
	for r in blocked cpu; do
		echo "# resource $r: gtick us; interval 1; hits 90; samples 90; in samples 90"
		echo "x 1/1 1.0: 400 $r:"
		for i in 1 2 3 4 5 6 7 8 9; do
			echo "	10 the_step_number_$i+0x1 (/bin/prog)"
		done
		echo
	done
} >text
"$cpprof" import -q --from=perf -o data text
at 40 report --tree --form=list
is "$(grep -c '\[[1-9] more\]' out) $(grep -c '^\[N more\]' out)" "2 1" "two paths are cut, and one note tells of it"
done_testing
