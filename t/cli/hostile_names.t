#!/bin/sh
# Names, units and paths that want to be more than text: no output lets a
# terminal, a spreadsheet or a page act on them, and they can be told apart.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99

c1=$(printf '\302\233') bidi=$(printf '\342\200\256') zero=$(printf '\342\200\213')
mark=$(printf '\357\273\277') hyphen=$(printf '\302\255')
unit="${bidi}u\",\"forged,1${c1}31m"
{
	echo "# resource =ev${zero}il: gtick $unit; interval 10; hits 4; samples 4"
	for f in "=cmd('x')" "-f" "+g" "@h" "plain"; do
		echo "@c${bidi}omm 7/7 [000] 1.000000: 10 =ev${zero}il:"
		printf '\t10 %s (/lib/%s)\n' "$f${c1}2J${mark}" "=d${hyphen}so"
		printf '\t20 main (/bin/prog)\n\n'
	done
} >script
"$cpprof" import -q script -o data || exit 99
# clean WHAT: no raw control, direction or empty character in ./out
clean() {
	if LC_ALL=C grep -qE "$c1|$bidi|$zero|$mark|$hyphen|$(printf '\033')" out; then
		ok 1 "$1"
		LC_ALL=C grep -E "$c1|$bidi|$zero|$mark|$hyphen" out | head -n 3 |
			cat -v | sed 's/^/# /'
	else
		ok 0 "$1"
	fi
}

cp data copy
for format in text paper csv json; do
	for profile in --function --body --tree --down --why --percall=main \
		--processes --threads --summary; do
		"$cpprof" report -f $format $profile --sites data >out 2>&1
		clean "report $profile, $format"
	done
	for command in info callgraph advise 'list main' 'disasm main'; do
		"$cpprof" ${command%% *} -f $format data >out 2>&1
		clean "$command, $format"
		[ "$format" = csv ] || continue
	done
	"$cpprof" diff -f $format data copy >out 2>&1
	clean "diff, $format"
done
for format in folded pprof firefox html perf-script; do
	"$cpprof" export -f $format -o out data 2>err
	if [ $format = pprof ]; then
		gzip -dc out >p 2>/dev/null && mv p out
		# pprof shows names by itself; what it has comes back
		"$cpprof" import -q --from=pprof -o back out &&
			"$cpprof" export back >out
	fi
	clean "export $format"
done
"$cpprof" shell -c 'top; f; b; d; tree; info; resources; filters; processes; threads' \
	data >out 2>&1
clean "the shell"

for report in "report -F" "report --tree" info callgraph "report --why" "report --processes"; do
	# shellcheck disable=SC2086
	"$cpprof" $report -f csv data >out 2>&1
	if grep -qE '(^|,)"?[=+@-][^0-9"]' out; then
		ok 1 "$report: no field is a formula"
		grep -E '(^|,)"?[=+@-][^0-9"]' out | head -n 3 | sed 's/^/# /'
	else
		ok 0 "$report: no field is a formula"
	fi
done
if command -v python3 >/dev/null; then
	"$cpprof" info -f csv data >out
	is "$(python3 -c '
import csv
rows = list(csv.reader(open("out")))
print({len(row) for row in rows}, sum("forged" in row for row in rows),
	sum("forged,1" in row[5] for row in rows) > 0)')" "{6} 0 True" \
		"a unit is one field"
	"$cpprof" report -F -f json data >out
	is "$(python3 -c '
import json
for line in open("out"):
	names = [entry["path"][0] for entry in json.loads(line)["entries"]]
print(sum("\x9b2J\ufeff" in name for name in names))')" 5 "JSON keeps each name whole"
else
	skip 2 "no python3"
fi
printf 'main;a 300\nmain;b 500\n' >one
printf 'main;a 500\nmain;b 200\n' >two
for i in one two; do
	"$cpprof" import -q --from=folded $i -o $i.data
done
like "$("$cpprof" diff -f csv one.data two.data)" ',500,200,-300,' "a negative number is one"
done_testing
