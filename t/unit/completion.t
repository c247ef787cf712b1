#!/bin/sh
# bash completes the command line from what the program says of itself, of the
# machine and of a file.
. "${top_srcdir:?}/t/lib/lib.sh"

command -v bash >"$tmp/which" || skip_all "no bash"
cd "$tmp" || exit 99

# completed WORDS...: what the last word may become, one in a line; = is a word
completed() {
	bash -c '
		. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_cpprof 2>&1
		printf "%s\n" "${COMPREPLY[@]}"' \
		"$top_srcdir/cpprof/cpprof.bash" "$cpprof" "$@"
}

is "$(completed re | tr '\n' ' ')" "report resources " "subcommands"
is "$(completed --v)" "--version" "options without one"
# all that help lists, for each subcommand
for subcommand in run attach shell report export merge info resources; do
	is "$(completed $subcommand -- | sed 's/=$//' | sort)" \
		"$("$cpprof" $subcommand --help |
			grep -o '^  *\(-., \)\{0,1\} *--[a-z-]*' |
			grep -o -- '--.*' | sort)" "$subcommand: its options"
done
is "$(completed run --dur)" "--duration=" "an option with a value"

# the rows of the one table
"$cpprof" resources --all | awk 'NR > 1 && !NF { exit }
	NR > 1 && $1 !~ /[\/N]$|NNN/ { print $1 }' | sort >rows
[ "$(wc -l <rows)" -gt 60 ]
ok $? "there are resources"
is "$(completed run -r "" | sort)" "$(cat rows)" "all resources"
is "$(completed run --resource = page)" pagefaults "the start of one"
is "$(completed attach -r cpu,majorf)" cpu,majorfaults "the last of several"
is "$(completed resources bytes-a)" bytes-allocated "one to be told of"
is "$(completed run --timer = st)" stop "a family of timers"
is "$(completed report -f c)" csv "a format"
is "$(completed export --format =)" folded "the only one"

# commands to run, and their files
is "$(completed run /bin/true)" /bin/true "a program"
is "$(completed run -r cpu -- /bin/true)" /bin/true "a program behind --"
touch here.txt
is "$(completed run -- cat he)" here.txt "... and its arguments"

# what is in a file
if can_profile; then
	"$cpprof" run -q -r cpu:500us,pagefaults -o own -- \
		"$samples/forms" >/dev/null
	is "$(completed report own -r "" | tr '\n' ' ')" "cpu pagefaults " \
		"the resources of a file"
	is "$(completed report own --down = invoic)" invoice \
		"the functions of a file"
else
	skip 2 "$why"
fi
is "$(completed report ow | grep -v '^own$')" "" "files"
done_testing
