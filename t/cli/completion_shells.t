#!/bin/sh
# What zsh and fish offer for a line of cpprof: subcommands, options and what
# they do, and what an argument may be.
. "$(dirname "$0")/../lib/lib.sh"

sources=$(cd "$top_srcdir/cpprof" && pwd)
PATH=$(cd "$top_builddir/cpprof" && pwd):$PATH
mkdir "$tmp/empty" && cd "$tmp/empty" || exit 1
"$top_builddir/t/lib/make_fixture" "$tmp/empty/profile" hostile || exit 99

# offered SHELL LINE: its offers, a tab before what they do
fish_offers() {
	HOME=$tmp fish --no-config -c \
		"source $sources/cpprof.fish; complete -C '$1'" 2>&1
}
# zsh's own completion functions need a terminal; these print what they get.
cat >"$tmp/offer.zsh" <<'END'
_describe() { print -l -- $rows }
_files() { print files }
_pids() { print pids }
_command_names() { print commands }
typeset -a words
words=("${@[2,-1]}")
CURRENT=$#words
source $1/_cpprof
END
zsh_offers() {
	# shellcheck disable=SC2086
	zsh -f "$tmp/offer.zsh" "$sources" $1 2>&1
}

for shell in fish zsh; do
	if ! command -v $shell >/dev/null; then
		skip 10 "no $shell"
		continue
	fi
	mark=':'
	[ $shell = zsh ] || mark='	'
	out=$(${shell}_offers "cpprof re")
	like "$out" "^report${mark}print profiles, without the shell\$" \
		"$shell: subcommands with what they do"
	unlike "$out" "^cpprof" "$shell: and not the examples of --help"
	out=$(${shell}_offers "cpprof report --thr")
	like "$out" "^--threshold=${mark}leave out entries below X" \
		"$shell: options with what they do"
	like "$(${shell}_offers "cpprof diff --fail")" "^--fail-if=$mark" \
		"$shell: of each subcommand"
	like "$(${shell}_offers "cpprof help tut")" '^tutorial' \
		"$shell: topics of help"
	like "$(${shell}_offers "cpprof run -r pa")" "^pagefaults$mark" \
		"$shell: resources"
	like "$(${shell}_offers "cpprof export -f pp")" "^pprof" \
		"$shell: formats"
	like "$(${shell}_offers "cpprof report profile --up=db_")" \
		"^--up=db_read_record" "$shell: functions of a file"
	like "$(${shell}_offers "cpprof info pro")" "^files|^profile" \
		"$shell: files"
	unlike "$(${shell}_offers "cpprof nosuch --x")" '^--' \
		"$shell: nothing for what is no subcommand"
done
done_testing
