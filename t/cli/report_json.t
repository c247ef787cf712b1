#!/bin/sh
# JSON against its published schema; an empty profile; CSV.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" cpprofdata &&
	"$top_builddir/t/lib/make_fixture" tasks tasks &&
	"$top_builddir/t/lib/make_fixture" hostile hostile &&
	"$top_builddir/t/lib/make_fixture" lost lost &&
	"$top_builddir/t/lib/make_fixture" calls calls &&
	"$top_builddir/t/lib/make_fixture" exact exact &&
	"$top_builddir/t/lib/make_fixture" unfinished unfinished || exit 99
"$top_builddir/t/lib/make_fixture" recursive recursive || exit 99
printf '%s\n' 'main;a;b;f 90' 'main;c;b;f 10' 'main;other 200' >stacks
"$cpprof" import -q --from=folded -o folded stacks || exit 99
schema=$top_srcdir/man/cpprof-profile.schema.json

# valid LINES WHAT ARGS...: so many lines of a report are as the schema says
valid() {
	lines=$1 what=$2
	shift 2
	"$cpprof" report --format=json "$@" >out 2>err
	is "$? $("$top_builddir/t/lib/check_schema" "$schema" --closed <out)" \
		"0 $lines" "$what"
}

valid 7 "the default of three resources, one unused"
like "$(head -n 1 out)" \
	'"summary","program":"shop","processes":1,.*"wall":8000,"cpu":100000,"waiting":null,.*"pagefaults",.*"interval":10,"gticks":35,"samples":1,"weight":30,"lost":0,"unsampled":5,.*"balanced":true' \
	"the first is the summary"
valid 3 "the default of one resource" -r pagefaults
unlike "$(head -n 1 out)" '"resource":"cpu"' "the summary of that one"
valid 5 "all kinds of profiles" -F -B -T -d main -u main -r cpu
valid 5 "with call sites" -F -B -T -d main -u main -r cpu --sites
valid 2 "processes and threads" --processes --threads tasks
valid 2 "under filters" -F -d receipt --thread worker --contains receipt tasks
valid 3 "names that mean harm" -r pagefaults hostile
valid 3 "a run that goes on" -r cpu unfinished
valid 3 "all samples lost" lost
valid 1 "a threshold that nothing reaches" -B -r cpu -t 1
like "$(cat out)" '"entries":\[\]' "leaves no entries"
valid 1 "filters that keep nothing" -F -r cpu --contains receipt \
	--contains invoice
like "$(cat out)" '"entries":\[\]' "leave no entries"
valid 1 "a resource that was not used" -F -r majorfaults
like "$(cat out)" '"entries":\[\]' "has no entries"
is "$("$cpprof" report -f csv -F -r majorfaults | wc -l)" 1 \
	"and a header line in CSV"
"$cpprof" report -f json -d nosuch >out 2>err
is "$?" 1 "a name that is nowhere is an error still"

valid 2 "functions and paths under every resource" --why --why=main exact
valid 2 "what a call costs" --percall --percall=db_get_property calls

cp cpprofdata again
"$cpprof" diff --format=json cpprofdata again -- exact >out
is "$("$top_builddir/t/lib/check_schema" "$schema" --closed <out)" 3 \
	"a diff of three resources"

# Every question (t/live/run/list.t has --asm), in the shell: its JSON is as the schema says, and its CSV
# is a table: a header and lines of as many fields.
# fields: the numbers of fields of CSV lines, each once
fields() {
	sed 's/"[^"]*"/q/g' | awk -F, '{ print NF }' | sort -u
}
while read -r lines file command; do
	"$cpprof" shell -c "contains main; set format json; $command" "$file" \
		>out 2>err
	is "$? $("$top_builddir/t/lib/check_schema" "$schema" --closed <out)" \
		"0 $lines" "$command as JSON"
	"$cpprof" shell -c "contains main; set format csv; $command" "$file" \
		>out 2>err
	is "$? $(fields <out | wc -l)" "0 1" "$command as CSV"
	[ "$(wc -l <out)" -ge 2 ]
	ok $? "$command as CSV: more than the header"
done <<'END'
1 cpprofdata function
1 cpprofdata body
1 cpprofdata down
1 cpprofdata up db_read_record
1 cpprofdata tree
1 cpprofdata callgraph
1 cpprofdata callgraph invoice
1 recursive cycles
1 folded advise
1 cpprofdata list invoice
1 cpprofdata why
1 cpprofdata why main
1 calls percall
1 cpprofdata processes
1 tasks threads
1 cpprofdata info
1 cpprofdata filters
1 cpprofdata group by module; function
1 cpprofdata elide receipt; down
END
valid_shell=$("$cpprof" shell -c 'set format json; top' cpprofdata |
	"$top_builddir/t/lib/check_schema" "$schema" --closed)
is "$valid_shell" 3 "top is the summary, functions and paths"

# The summary as CSV follows the profiles, whose header stays the first line.
"$cpprof" report --format=csv >out
is "$(head -n 1 out)" \
	'profile,resource,path,fraction,hits,weight,samples,depth,kept_fraction,modules,files,sites' \
	"the first line of CSV is the header of a profile"
sed -n '/^profile,list,item/,$p' out >summary
is "$(sed -n '2,11p; /pagefaults.,\(gticks\|unsampled\|balanced\)/p' summary)" \
	'summary,,"",program,"shop",
summary,,"",processes,1,
summary,,"",threads,1,
summary,,"",wall,8000,"us"
summary,,"",cpu,100000,"us"
summary,,"",waiting,,"us"
summary,,"",runqueue,,"us"
summary,,"",not_running,,"us"
summary,,"",pagefaults,35,"fault"
summary,,"",complete,true,
summary,resources,"pagefaults",gticks,35,"fault"
summary,resources,"pagefaults",unsampled,5,"fault"
summary,resources,"pagefaults",balanced,true,' "the summary as CSV"
is "$("$cpprof" shell -c 'set format csv; top' cpprofdata | sed -n '/list/,$p')" \
	"$(cat summary)" "and that of top"
"$cpprof" report --format=csv -r pagefaults >out
is "$(grep -c '^summary,resources,"pagefaults",title,' out)$(
	grep -c '^summary,resources,"cpu"' out)" 10 "of the resource asked for"
is "$("$cpprof" report --format=csv -F | grep -c summary)" 0 \
	"and none with a profile that is asked for"

# info, by another way: the text.
"$cpprof" info --format=csv tasks >out
is "$(sed -n 's/^info,\(processes\|,""\|resources,"cpu"\),\(.*\),$/\2/p
	s/^info,resources,"cpu",\(lost\|unsampled\|gticks\),\(.*\)/\1,\2/p' out |
	grep -E '^(command|exit|"[12]",(pid|threads)|lost,|unsampled|gticks|lost_)')" \
	'command,"shop;--big;a b"
exit_status,0
gticks,100000,"us"
lost,1000,"us"
unsampled,3000,"us"
lost_samples,1
"1",pid,200
"1",threads,1
"2",pid,201
"2",threads,3' "info as CSV"
"$cpprof" info --format=json tasks >out
is "$("$top_builddir/t/lib/check_schema" "$schema" --closed <out)" 1 \
	"info as JSON"
is "$("$cpprof" info --format=nosuch 2>&1)" "cpprof: no format 'nosuch'
hint: formats: text, paper, json, csv" "no such format"

# The check itself can fail.
"$cpprof" report -f json -F -r cpu >out
for change in 's/"version":1/"version":2/' 's/"hits":/"hits":-/' \
	's/"function":"main",//' 's/"complete":true/"complete":1/' \
	's/"fraction":0/"fraction":7/' 's/"entries"/"entrees"/'; do
	sed "$change" out >changed
	"$top_builddir/t/lib/check_schema" "$schema" <changed >said
	is "$?" 1 "the check sees $change"
done

like "$("$cpprof" report -f json -B -r cpu -t .5)" \
	'"frames":\[\{"function":"db_read_record","module":"libdb.so.2","file":null,"line":null,"site":null,"address":[0-9]+\}\]' \
	"a frame has its function, module, file, line, site and address"
"$top_builddir/t/lib/make_fixture" varied varied
is "$("$cpprof" report -f json --tree -t 0 varied | grep -o '"function":"invoice","module":"shop"[^}]*' |
	sed 's/.*"address"://' | sort -u | wc -l)" 2 \
	"two functions of one name in one module are told apart"
like "$("$cpprof" report -f json -F -r cpu -t .5)" \
	'"path":\["invoice"\].*"total":60000,"self":10000,"wrapper":false' \
	"a function has total and self"

# The site is in the caller, whatever the profile: receipt calls get_property in
# line 44, and that calls read_record in line 47.
sites() {
	"$cpprof" report -f csv -r cpu --sites "$@" | sed -n 's/,"[^"]*","[^"]*","\([^"]*\)"$/ \1/p' |
		sed 's/^[a-z]*,"cpu",//; s/,.* / /'
}
is "$(sites -d receipt -t .02)" '"receipt" 
"receipt;db_get_property" ;shop.c:44
"receipt;db_get_property;db_read_record" ;shop.c:44;db.c:47' "downward"
is "$(sites -u db_read_record -t .4)" '"db_read_record" 
"db_get_property;db_read_record" ;db.c:47
"invoice;db_get_property;db_read_record" ;shop.c:43;db.c:47
"main;invoice;db_get_property;db_read_record" ;shop.c:42;shop.c:43;db.c:47
"_start;main;invoice;db_get_property;db_read_record" ;shop.c:41;shop.c:42;shop.c:43;db.c:47' "upward"
is "$(sites -T -t .4 | tail -n 1)" '"db_read_record" db.c:47' "in the tree"
done_testing
