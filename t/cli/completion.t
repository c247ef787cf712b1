#!/bin/sh
# bash completes the command line from what the program says of itself, of the
# machine and of a file.
. "$(dirname "$0")/../lib/lib.sh"

command -v bash >"$tmp/which" || skip_all "no bash"
cd "$tmp" || exit 99

# completed WORDS...: what the last word may become, one in a line; = is a word
# of its own, which bash cuts the line at
completed() {
	bash -c '
		. "$0"
		COMP_LINE=$* COMP_LINE=${COMP_LINE// = /=} COMP_LINE=${COMP_LINE%"="}
		[[ ${!#} != "=" ]] || COMP_LINE=${COMP_LINE% }=
		COMP_POINT=${#COMP_LINE}
		word=${!#}
		_cpprof "$1" "${word#=}" 2>&1
		printf "%s\n" "${COMPREPLY[@]}"' \
		"$top_srcdir/cpprof/cpprof.bash" "$cpprof" "$@"
}

is "$(completed re | tr '\n' ' ')" "report resources " "subcommands"
is "$(completed --v)" "--version" "options without one"
# all that help lists, for each subcommand
for subcommand in run attach shell report export import merge info resources; do
	is "$(completed $subcommand -- | sed 's/=$//' | sort)" \
		"$("$cpprof" $subcommand --help |
			grep -o '^  *\(-., \)\{0,1\} *--[a-z-]*' |
			grep -o -- '--.*' | sort)" "$subcommand: its options"
done
is "$(completed run --dur)" "--duration=" "an option with a value"

# the rows of the one table
"$cpprof" resources --all | awk 'NR > 1 && !NF { exit }
	NR > 1 && $1 !~ /[\/N]$|NNN|:/ { print $1 }' | sort >rows
[ "$(wc -l <rows)" -gt 60 ]
ok $? "there are resources"
is "$(completed run -r "" | sort)" "$(cat rows)" "all resources"
is "$(completed run --resource = page)" pagefaults "the start of one"
is "$(completed attach -r cpu,majorf)" cpu,majorfaults "the last of several"
is "$(completed resources bytes-a)" bytes-allocated "one to be told of"
is "$(completed run --timer = st)" stop "a family of timers"
for family in $(completed attach --timer =); do
	"$cpprof" run -q --timer=$family -o x -- /no/program 2>failed
	grep -q "no such family" failed && echo "$family"
done >wrong
is "$(completed attach --timer = | wc -l), $(cat wrong)" "5, " \
	"all families, and nothing else"
"$cpprof" run --unwinder=none -- true 2>&1 |
	sed -n 's/^hint: there are: //p' | tr ',' '\n' | tr -d ' ' | sort >wanted
is "$(completed run --unwinder = | sort)" "$(cat wanted)" "all unwinders"
is "$(completed report -f c)" csv "a format"
is "$(completed export --format = pp)" pprof "another"

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

# What a profile says is a name and nothing else, in a bash that a person types
# into.
"$top_builddir/t/lib/make_fixture" cpprofdata hostile || exit 99
cat >rc <<X
. "$top_srcdir/cpprof/cpprof.bash"
cpprof() {
	if [[ \${FUNCNAME[1]-} ]]; then
		"$cpprof" "\$@"
	else
		printf '<%s>' "\$@"; echo .
	fi
}
PS1='ready> ' HISTFILE=
bind 'set enable-bracketed-paste off'
X
TERM=dumb INPUTRC=/dev/null
export TERM INPUTRC

# typed KEYS WANTED WHAT: what a subcommand gets of a line
typed() {
	printf 'prompt ready> \nsend %s\\r\nexpect >.\nprompt ready> \nsend exit\\r\n' \
		"$1" | "$top_builddir/t/lib/pty" 24 200 bash --rcfile rc -i \
		>raw 2>failed
	[ ! -s failed ] || sed 's/^/# /' failed
	is "$(tr -d '\r' <raw | sed -n 's/^\(<.*\)\.$/\1/p')" "$2" "$3"
}
typed 'cpprof report --down=ho\t' '<report><--down=hot$(touch PWNED)>' \
	"a command substitution, as an option's value"
typed 'cpprof report --down ho\t' '<report><--down><hot$(touch PWNED)>' \
	"... as a word of its own"
typed "cpprof report --down='ho\\t" '<report><--down=hot$(touch PWNED)>' \
	"... in single quotes"
typed 'cpprof report -u "ho\t' '<report><-u><hot$(touch PWNED)>' \
	"... in double quotes"
typed 'cpprof report --down=hot\\$\\(to\t' \
	'<report><--down=hot$(touch PWNED)>' "... the quoting begun by hand"
typed 'cpprof report --contains=ba\t' \
	'<report><--contains=bad`touch PWNED`>' "a backquoted command"
typed 'cpprof report -d db::s\t' \
	"<report><-d><db::say(\"it's\\n\", *)>" "quotes, a backslash, a glob"
typed 'cpprof report -d "db::say(\t' \
	"<report><-d><db::say(\"it's\\n\", *)>" "... in double quotes"
typed "cpprof report -d 'db::say(\\t" \
	"<report><-d><db::say(\"it's\\n\", *)>" "... in single quotes"
typed 'cpprof report --then=new\t' \
	'<report><--then=new\x0aline!>' "a line break, as reports show it"
typed 'cpprof report --then="new\t' \
	'<report><--then=new\x0aline!>' "... and a ! in double quotes"
typed 'cpprof report -d \\<\t' \
	'<report><-d><<a b>{lambda()#1} ~;>' "blanks and a comment sign"
typed 'cpprof report -r cp\t' '<report><-r><cpu$(touch${IFS}PWNED)>' \
	"a resource's name"
typed 'cpprof report -r pagefaults,cp\t' \
	'<report><-r><pagefaults,cpu$(touch${IFS}PWNED)>' "... in a list"
is "$(ls PWNED 2>&1 | grep -v 'No such')" "" "no name was executed"
like "$("$cpprof" report -f paper --down='new\x0aline!' 2>&1)" '\(new.x0aline!\) \[3\]' \
	"a name is found as reports show it"
"$top_builddir/t/lib/make_fixture" 'a (b)' large || exit 99
typed 'cpprof info a\t' '<info><a (b)>' "files are quoted by bash"
typed "cpprof report --down=leaf_399 'a (\\t" \
	"<report><--down=leaf_399><a (b)>" "... in quotes as well"
is "$(completed report ow | grep -v '^own$')" "" "files"
done_testing
