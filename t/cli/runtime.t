#!/bin/sh
# Generated code, as of Python with -X perf: its functions are the program's own, and
# between them the interpreter's frames fold away.  `only` leaves out all others.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99

# samples N FRAME...: N samples of perf script with these frames, outermost first:
# py::NAME is generated, c_NAME a library's, others are the interpreter's
samples() {
	n=$1
	shift
	for frame; do
		where=/usr/bin/python3.12
		case $frame in
		py::*) where=/tmp/perf-7.map ;;
		c_*) where=/usr/lib/c.so.1 ;;
		esac
		echo "	$(printf '%x' $((4096 + $(printf '%s' "$frame" | cksum | cut -c1-6)))) $frame ($where)"
	done | sed '1!G;h;$!d' >frames
	while [ "$n" -gt 0 ]; do
		echo "python3.12 7 1.000000: 1 cycles:"
		cat frames
		echo
		n=$((n - 1))
	done
}
e=_PyEval_EvalFrameDefault
{
	samples 60 main Py_RunMain $e py::main $e vectorcall py::heavy $e long_add
	samples 20 main Py_RunMain $e py::main $e method_call py::heavy $e
	samples 10 main Py_RunMain $e py::main $e c_sort py::key
	samples 10 main Py_RunMain malloc
} >script
"$cpprof" import -q --from=perf -o data script || exit 99

# ask COMMANDS: without what says what the file is
ask() {
	COLUMNS=${columns:-80} "$cpprof" shell -c "$1" data 2>&1 | sed '1,/^$/d'
}
is "$(ask 'f 5%' | grep 'py::' | sed 's/  *[^ ]*$//')" "   90.0 %     0.0 %  py::main
   80.0 %     0.0 %  py::heavy
   10.0 %    10.0 %  py::key" "generated code is listed, whoever has most of it"
# the loop has 20 % of its own, and 60 % in what it calls
is "$(ask 'f 20%' | grep -c " $e ") $(ask 'f 25%' | grep -c " $e ")" "1 0" \
	"a function of the interpreter with little of its own folds"
is "$(ask 'down py::main')" "   90.0 %  py::main
   80.0 %    py::heavy > $e
   60.0 %      long_add
   10.0 %    $e > c_sort > py::key" \
	"between two of its functions the interpreter's fold away, a library's do not"
is "$(ask 'set form list; up py::heavy')" "   80.0 %  main > py::main > py::heavy" \
	"... and between main and the first"
is "$(ask 'fold off; down py::main' | head -n 4)" "   90.0 %* py::main > $e
   60.0 %    long_add
   60.0 %    vectorcall > py::heavy > $e
   20.0 %    method_call > py::heavy > $e" "fold off shows all: there $e is recursive"
is "$(ask 'down main' | head -n 4)" "  100.0 %  main
   90.0 %    py::main
   80.0 %      py::heavy > $e
   60.0 %        long_add" "the whole tree"
is "$("$cpprof" report -f json --function -t 0 data | grep -c '"wrapper":true.*py::')" 0 \
	"JSON has none of it as a wrapper"

# only
is "$(ask 'only py::*; down [all]')" "only: py::*

   90.0 %  py::main
   80.0 %    py::heavy
   10.0 %    py::key
   10.0 %  [other]" "only: what is left, and [other]"
is "$(ask 'only py::main; only long_add; b' | grep -v '^$')" "only: py::main; long_add
    total      self  function
   60.0 %    60.0 %  long_add  python3.12
   90.0 %    30.0 %  py::main  perf-7.map
   10.0 %    10.0 %  [other]" "several, with what the others had"
is "$("$cpprof" shell -c 'only py::*; only off; only' data)" "only off" "off"
like "$("$cpprof" shell -c 'only nothing_such' data 2>&1)" "no function 'nothing_such'" "a name that is none"
is "$("$cpprof" export -f folded --only='py::*' data | sort)" "[other] 10
py::main;py::heavy 80
py::main;py::key 10" "exports, too"
is "$("$cpprof" report --only='py::*' -f csv -B -t 0 data | grep -c long_add)" 0 \
	"... and reports for programs"

is "$("$cpprof" report --percall=py::heavy data 2>&1)" \
	"cpprof: py::heavy: percall: its calls were not counted
hint: nothing here counts them: it is interpreted, or its code was generated while the program ran" \
	"no command is proposed that cannot count its calls"

# a thread, whose stacks begin with the interpreter's frames
{
	samples 60 c_thread wrapper vectorcall $e py::run vectorcall $e py::work vectorcall wait
	samples 10 c_thread wrapper vectorcall $e py::run vectorcall call vectorcall
} >script
"$cpprof" import -q --from=perf -o data script || exit 99
is "$(ask 'down [all] 5%')" "  100.0 %  c_thread > wrapper > py::run
   85.7 %    py::work > vectorcall > wait
   14.3 %    vectorcall > call > vectorcall" \
	"in a thread the interpreter's first frame stays for them"
done_testing
