#!/bin/sh
# The shell from a pipe, a script and -c: what it prints, what it refuses, how
# it leaves.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" cpprofdata || exit 99
cp cpprofdata other

# c COMMANDS: $out, $err and $rc of cpprof -c
c() {
	out=$("$cpprof" -c "set format paper" -c "$1" 2>"$tmp/err" </dev/null)
	rc=$?
	err=$(cat "$tmp/err")
}

# entries: the lines of $out that are entries
entries() {
	printf '%s\n' "$out" | grep -E '^ *[0-9]\.[0-9]{5} |^ *[^ ].* \([0-9]\.[0-9]{5}\)'
}

c 'root; threshold; resource; sites; inlines; clones; intervals'
is "$out" "root main
threshold 0.01
resource cpu   # there are also: pagefaults, majorfaults
sites off
inlines on
clones off
intervals off" "the settings at the start, written as they are typed"
is "$rc$err" 0 "no word else"
printf '%s\n' "$out" >settings
is "$("$cpprof" --source=settings)" "" "and can be read back"

# Who reads it may leave, as head does.
{
	until [ -e left ]; do sleep 0.01; done
	"$cpprof" -c body -c 'root invoice' -c body -c 'root main' -c quit 2>err
	echo "$?" >rc
} | {
	exec <&-
	: >left
}
is "$(cat rc err)" 0 "nobody reads the output: no error"

c 'root invoice; down'
is "$(entries)" "0.60000 (invoice) [60]
0.50000 (invoice db_get_property) [50]
0.50000 (invoice db_get_property db_read_record) [50]" "root sets the root"
c 'down invoice; root'
is "$(entries)" "0.60000 (invoice) [60]
0.50000 (invoice db_get_property) [50]
0.50000 (invoice db_get_property db_read_record) [50]" "down F is from F"
like "$out" "^root main$" "for that time only"
c 'down db_read_record 0.1'
is "$(entries)" "0.80000 (db_read_record) [80]" "down F X"
c 'down 0.9'
is "$(entries)" "1.00000 (main) [100]" "down X"
c 'up libdb.so.2!db_read_record 0.4'
is "$(entries)" "0.80000 (db_read_record) [80]
0.80000 (db_get_property db_read_record) [80]
0.50000 (invoice db_get_property db_read_record) [50]
0.50000 (main invoice db_get_property db_read_record) [50]
0.50000 (_start main invoice db_get_property db_read_record) [50]" \
	"up, of a function of a module"
c 'function 50%'
is "$(entries)" "1.00000 _start [100]
1.00000 main [100]
0.80000 db_get_property [80]
0.80000 db_read_record [80]
0.60000 invoice [60]" "function X"
c 'threshold 0.5; function'
is "$(entries | wc -l)" 5 "threshold sets it"
c 'body .1'
is "$(entries)" "0.80000 db_read_record [80]
0.10000 invoice [10]" "body X"
c 'tree .3'
like "$out" "invoice \(0\.60000\) \[60\]" "tree X"
unlike "$out" "push_back" "leaves out what is below X"
c 'resource pagefaults; function; root; resource'
is "$(entries)" "0.85714 _start [3]
0.85714 invoice [3]
0.85714 main [3]
0.14286 [unsampled] [0]" "resource sets the resource, and what was lost counts"
like "$out" "^resource pagefaults" "and shows it"
c 'down [all] .99'
like "$(entries)" "\[all\]" "[all] is the root above all"

c "down 'std::vector<int, std::allocator<int> >::push_back'"
is "$(entries)" \
	"0.06000 (std::vector<int, std::allocator<int> >::push_back) [6]" \
	"a name with spaces, in quotes"
c "root \"<&'a T as shop::Sell>::sell; now\"; down; root"
is "$(entries)" "0.03000 (<&'a T as shop::Sell>::sell; now) [3]" \
	"a name with a semicolon and a quote"
like "$out" "^root \"<&'a T as shop::Sell>::sell; now\"$" "is shown in quotes"
c 'down main .9 # and not; nosuch
root'
is "$rc" 0 "comments end with the line"

c 'fu .9; thresh; res; dow .9; b .5; tr .9'
is "$rc$err" 0 "abbreviations"
c 'r'
is "$rc" 1 "an ambiguous abbreviation fails"
is "$err" "cpprof: -c: r: ambiguous command
hint: it could be: root, resource" "and lists the candidates"
c 'donw; root'
is "$rc" 1 "a wrong command fails"
is "$err" "cpprof: -c: donw: no such command
hint: did you mean 'down'?" "and proposes the nearest"
is "$out" "" "and what follows it is not run"
c 'root get_prop; root; down READ_rec .5; root push_b; root'
is "$(printf '%s\n' "$out" | grep -v '^note\|^[0-9A-Z-]\|^threshold\|^format')" \
	"root db_get_property
root: READ_rec; threshold: 0.5
root 'std::vector<int, std::allocator<int> >::push_back'" \
	"a part of one name is enough"
c 'root db_'
is "$rc$err" "1cpprof: -c: 'db_' is a part of 2 functions' names
hint: it could be: db_read_record (80.0 %), db_get_property (80.0 %)" \
	"a part of several is not"
c 'resource pagefaults; root db_' # neither has any
is "$err" "cpprof: -c: 'db_' is a part of 2 functions' names
hint: it could be: db_read_record (0.0 %), db_get_property (0.0 %)" \
	"and no resource tells which"
printf 'main;web::Order::handle(int) 5\nmain;web::rehandle(int) 3\nmain;handle_all 2\n' |
	"$cpprof" import -q --from=folded -o named -
is "$("$cpprof" -c 'root handle; root' named 2>&1)" "root web::Order::handle(int)" \
	"the last part of one name is enough, too"
c 'root db_get_proprety'
is "$rc" 1 "a wrong function fails"
like "$err" "db_get_property" "and proposes the nearest"
c 'resource cpus'
like "$err" "cpu" "a wrong resource proposes the nearest"
for bad in 'threshold 2' 'threshold x' 'function x' 'down main x' 'sites maybe' \
	'info x' 'down a b c' 'export nosuch' 'source' 'source nosuch' \
	'help nosuch' 'resource majorfaults; function' "root 'main" 'tree >' \
	'tree > /nonexistent/file' 'tree | /nonexistent/cmd 2>&-'; do
	c "$bad"
	is "$rc" 1 "fails: $bad"
	like "$err" "^cpprof: -c: " "and says so: $bad"
	like "$err" "^hint: " "with a way out: $bad"
done

printf 'root invoice\n\n# comment\nset format paper; down .55\nnosuch\nroot\n' >script
out=$("$cpprof" --source=script 2>err)
is "$?" 1 "a script stops at its first error"
is "$(entries)" "0.60000 (invoice) [60]" "what is before it was run"
unlike "$out" "^root [a-z]" "what is behind it was not"
like "$(cat err)" "^cpprof: script:5: nosuch: no such command" "its line is told"
out2=$("$cpprof" <script 2>err)
is "$?" 1 "so does standard input"
is "$out2" "$out" "with the same output"
like "$(cat err)" "^cpprof: standard input:5: nosuch" "and the line"
out2=$("$cpprof" shell --source=- cpprofdata <script 2>/dev/null)
is "$out2" "$out" "and --source=-"
out2=$("$cpprof" -c 'source script' 2>err)
is "$?" 1 "and source"
is "$out2" "$out" "with the same output"
like "$(cat err)" "^cpprof: -c: script:5: nosuch" "and the line"
echo 'source self' >self
c 'source self'
is "$rc" 1 "a script that reads itself fails"
printf 'quit\nnosuch\n' >script
"$cpprof" other --source=script -c nosuch 2>err
is "$?$(cat err)" 0 "quit ends all, whatever follows"
is "$("$cpprof" --source=/dev/null -c root other)" "root main" "--source, -c and a file"
"$cpprof" </dev/null >out 2>&1
is "$?$(cat out)" 0 "no commands, no output"
printf root | "$cpprof" >out
is "$(cat out)" "root main" "a last line without its end"
printf 'root\0x\n' | "$cpprof" 2>err
is "$?" 1 "a NUL is refused"
"$cpprof" --source=nosuch 2>err
is "$?" 1 "a missing script fails"

c 'body .5 > "a file"; body .5 >> "a file"; body .5'
is "$(cat 'a file')" "$out
$out" "> and >>"
c 'body .5 | sed -n "s/.*db_read/DB_READ/p"'
is "$out" "DB_READ_record [80]" "| command"
echo old >kept
c 'function 0.5 nosuch > kept'
is "$(cat kept)" old "a failed command leaves the file alone"
c 'tree | true; root'
is "$rc" 0 "a command that does not read is no error"
c 'export; export folded'
is "$(printf '%s\n' "$out" | grep -c '^_start;main;invoice 10$')" 2 "export"
c 'info'
is "$out" "$("$cpprof" info)" "info"

is "$(COLUMNS=40 "$cpprof" shell -c help | awk 'length > 40')" "" \
	"help: 40 columns hold it"
c help
is "$rc" 0 "help"
printf '%s\n' "$out" | awk 'length > 80 { bad = 1 } END { exit bad }'
ok $? "help fits the width of a screen"
list=$(printf '%s\n' "$out" | sed -n '/^F is/q; s/^  \([a-z]*\) .*/\1/p')
n=0
for name in $list; do
	n=$((n + 1))
	c "help $name"
	like "$out" "^$name" "help $name"
done
rows=$(sed -n '/^const struct shell_row/,/^};/p' \
	"$top_srcdir/cpprof/shell/commands.c" |
	grep -oE '[A-Z](_WORD|SK|ET|EEP)\(|^	\{"' | wc -l)
is "$n" "$rows" "help lists every command"
c 'help run'
like "$out" "^Usage: cpprof run" "help for a subcommand"
out=$("$cpprof" -c 'help up' cpprofdata)
like "$out" "^  \[F\]     a function: its name, a part of it, or module!function$" \
	"help of a command explains its arguments"
out=$("$cpprof" report cpprofdata cpprofdata 2>&1)
like "$out" "^hint: 'cpprof diff' compares files, 'cpprof merge' joins them" \
	"two files: what is for them"
done_testing
