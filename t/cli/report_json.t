#!/bin/sh
# JSON against its published schema; an empty profile; CSV.
. "${top_srcdir:-.}/t/lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" cpprofdata &&
	"$top_builddir/t/lib/make_fixture" tasks tasks &&
	"$top_builddir/t/lib/make_fixture" hostile hostile &&
	"$top_builddir/t/lib/make_fixture" lost lost &&
	"$top_builddir/t/lib/make_fixture" unfinished unfinished || exit 99
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
	'"frames":\[\{"function":"db_read_record","module":"libdb.so.2","file":null,"line":null,"site":null\}\]' \
	"a frame has its function, module, file, line and site"
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
is "$(sites -u db_read_record -t .4 | sed -n 3p)" \
	'"invoice;db_get_property;db_read_record" ;shop.c:43;db.c:47' "upward"
is "$(sites -T -t .4 | tail -n 1)" '"db_read_record" db.c:47' "in the tree"
done_testing
