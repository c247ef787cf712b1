#!/bin/sh
# Eleven programs, each slow for one known reason: the summary names the context,
# advice names it first or nearly so, and the commands that it proposes work.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build
can_profile || skip_all "no profiles here: $why"
cd "$tmp" || exit 99

# planted CAUSE RESOURCE CONTEXT ADVICE: what the tree of the summary and one of
# the first two pieces of advice must match
planted() {
	"$cpprof" run -q -r "$2" -o data -- "$top_builddir/t/live/target/planted" "$1" \
		>log 2>&1 || {
		skip 3 "$1: $(head -n 1 log)"
		return
	}
	"$cpprof" report data >summary 2>&1
	# the call paths are behind the functions
	like "$(sed '1,/  self  function/d' summary | sed '1,/^$/d' |
		tr '\n' ' ')" "$3" \
		"$1: the summary has the context"
	"$cpprof" advise --format=csv data >advice
	like "$(sed -n 2,3p advice)" "$4" "$1: advice names it"
	"$cpprof" advise data | sed -n '/^ *try: /,/^$/ {
		s/^ *try: //; p; /;$/!q; }' >commands
	out=$("$cpprof" data <commands 2>&1)
	ok $? "$1: $(tr -s ' \n' ' ' <commands)"
	[ "$tap_bad" -eq "${bad_before:-0}" ] || {
		sed 's/^/# /' summary advice
		printf '%s\n' "$out" | sed 's/^/# /'
		bad_before=$tap_bad
	}
}

# No cause makes more calls in a burst than the rings hold while a monitor waits.
planted churn cpu:200us "format_row( > | +[0-9.]+ % +)take_and_give" \
	'^(context,"?cpu"?,"format_row;|[a-z]*,"?cpu"?,".*)take_and_give'
planted bytewise syscalls:1 "read_header > get" \
	'^repeated,"?syscalls"?,"read_header;get;.*,8000$'
planted quadratic cpu:200us "upper_case > length" \
	'^context,"?cpu"?,"upper_case;length"'
planted held real:1ms "look_up" '^[a-z]*,"?real"?,"(serve;)?look_up;'
planted reopen syscalls:1 "get_setting > load" \
	'^repeated,"?syscalls"?,"get_setting;load;.*(open|close|read).*,2000$'
planted fresh pagefaults:10 "decode > fill" \
	'^context,"?pagefaults"?,"decode;fill"'
planted copy cpu:200us "search" '^[a-z]*,"?cpu"?,"(copy;)?search'
planted recompute cpu:200us "ways" '^recursion,"?cpu"?,"ways"'
planted flush syscalls:1 "log_request > put_line" \
	'^repeated,"?syscalls"?,"log_request;put_line;.*,7000$'
planted hash cpu:200us "index_words > insert" \
	'^context,"?cpu"?,"index_words;insert;find"'
if [ "$(id -u)" -eq 0 ]; then
	planted spawn cpu:200us "draw_album" \
		'^processes,"?cpu"?,"make_thumbnail;popen",.*,120$'
else
	skip 3 "spawn: nearly all of a fork is the kernel's, which is not seen"
fi

# What every program does at its start is not worth a look.
"$cpprof" run -q -r cpu:200us,syscalls:1 -o data -- \
	"$top_builddir/t/live/target/planted" quadratic >log 2>&1 &&
	unlike "$("$cpprof" advise data)" "syscalls" \
		"nothing of the few system calls of a start"
"$cpprof" run -q -r cpu:200us,pagefaults:1 -o data -- \
	"$top_builddir/t/live/target/planted" reopen >log 2>&1 &&
	unlike "$("$cpprof" advise --format=csv data)" "_dl_" \
		"nor of the dynamic linker, in a short run"
done_testing
