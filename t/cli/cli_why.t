#!/bin/sh
# The same functions and call paths under every resource.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" cpprofdata exact || exit 99

# c COMMANDS: $out, $err and $rc of cpprof -c
c() {
	out=$("$cpprof" -c "$1" 2>"$tmp/err" </dev/null)
	rc=$?
	err=$(cat "$tmp/err")
}

# The file: cpu 100 hits in 6 samples; 35 page faults, 30 of them in a sample; 4
# major faults, all of them sampled.
c 'resource majorfaults; threshold .3; why; resource'
is "$out" "  majorfaults        cpu    pagefaults   function
            4     100 ms            35   in all
      100.0 %     80.0 %?        0.0 % - db_get_property
        0.0 % -  100.0 %?       85.7 %?  main
        0.0 % -   80.0 %?        0.0 % - db_read_record
        0.0 % -   60.0 %?       85.7 %?  invoice
        0.0 % -   31.0 %?        0.0 % - receipt
1 wrapper (fold off)
+ at least three times its share of cpu, - at most a third, and by 5 points
? rough: fewer than 20 samples stand behind it
resource majorfaults   # there are also: cpu, pagefaults" "functions, by the resource at hand"
c 'threshold .4; why main pagefaults; resource'
is "$out" "  pagefaults        cpu    majorfaults   call path
          35     100 ms              4   in all
      85.7 %?   100.0 %?         0.0 % - main
      85.7 %?    60.0 %?         0.0 % -   invoice
       0.0 % -   50.0 %?         0.0 % -     db_get_property > db_read_record
+ at least three times its share of cpu, - at most a third, and by 5 points
? rough: fewer than 20 samples stand behind it
resource cpu   # there are also: pagefaults, majorfaults" \
	"paths from main, by page faults: a path that one resource has shows for all"
c 'threshold .9; why db_get_property; set top 1; why'
is "$out" "     cpu    pagefaults    majorfaults   call path
  100 ms            35              4   in all
  80.0 %?        0.0 % -      100.0 %   db_get_property
+ at least three times its share of cpu, - at most a third, and by 5 points
? rough: fewer than 20 samples stand behind it
      cpu    pagefaults    majorfaults   function
   100 ms            35              4   in all
  100.0 %?       85.7 %?         0.0 % - main
1 wrapper (fold off)
1 more function: set top N
+ at least three times its share of cpu, - at most a third, and by 5 points
? rough: fewer than 20 samples stand behind it" "some of all"
c 'group by module; threshold .2; contains invoice; why'
is "$out" "grouped by: module
filters: contains invoice
kept: 60.0 % of the run, 60 ms, 60 hits in 2 samples

     cpu    pagefaults    majorfaults   module
  100 ms            35              4   in all
  60.0 %?       85.7 %?         0.0 % - shop
  50.0 %?        0.0 % -        0.0 % - libdb.so.2
+ at least three times its share of cpu, - at most a third, and by 5 points
? rough: fewer than 20 samples stand behind it" "filters and groups"
# What has no column of its own is named where it stands out; of many rows those stay
# that are the heaviest under any resource.
for row in "cpu f 70" "cpu g 20" "cpu h 10" "read-operations f 30" \
	"read-operations g 70" "written-bytes f 1" "written-bytes h 99"; do
	set -- $row
	for i in $(seq "$3"); do
		printf 'x 1/1 1.0: 1 %s:\n\t10 %s+0x1 (/bin/x)\n\n' "$1" "$2"
	done
done | "$cpprof" import -q --from=perf -o three -
is "$("$cpprof" report --width=40 --why --top=2 -r cpu,read-operations,written-bytes three)" \
	"     cpu   function
     100   in all
  70.0 %   f
  10.0 %   h
           written-bytes 99.0 % +
1 more function: --top=N
+ at least three times its share of cpu,
  - at most a third, and by 5 points
no room for read-operations,
  written-bytes: told below a row where
  its share stands out (+)" "40 columns: the resource that answers"
c 'why nosuch'
like "$err" "no function 'nosuch'" "no such function"
c 'why main nosuch'
like "$err" "no resource 'nosuch'" "no such resource"
is "$err" "cpprof: -c: cpprofdata: no resource 'nosuch' in this file
hint: it has: cpu, pagefaults, majorfaults; another run can take it: cpprof run -r nosuch -- PROG" \
	"... and how to get it"
c 'contains main; contains _start; without main; why'
is "$rc$err" "1cpprof: -c: why: nothing reaches the threshold of 1 %
hint: a lower threshold may: 'threshold 0', --threshold=0" "nothing is left"

out=$("$cpprof" report --why=main -r pagefaults,cpu --threshold=.5 --format=csv)
is "$out" 'profile,path,resource,fraction,hits,weight,samples,mark,modules,files
why,"main","pagefaults",0.85714,3,30,1,,"shop",""
why,"main","cpu",1.00000,100,100000,6,,"shop",""
why,"main;invoice","pagefaults",0.85714,3,30,1,,"shop;shop",";"
why,"main;invoice","cpu",0.60000,60,60000,2,,"shop;shop",";"
why,"main;invoice;db_get_property","pagefaults",0.00000,0,0,0,-,"shop;shop;libdb.so.2",";;"
why,"main;invoice;db_get_property","cpu",0.50000,50,50000,1,,"shop;shop;libdb.so.2",";;"
why,"main;invoice;db_get_property;db_read_record","pagefaults",0.00000,0,0,0,-,"shop;shop;libdb.so.2;libdb.so.2",";;;"
why,"main;invoice;db_get_property;db_read_record","cpu",0.50000,50,50000,1,,"shop;shop;libdb.so.2;libdb.so.2",";;;"' \
	"CSV: two resources, sorted by the first"
out=$("$cpprof" report --why --threshold=.7 --top=2 --format=json)
like "$out" '"profile":"why",.*"by":"cpu",.*"threshold":0\.7[,}]' \
	"JSON: what was asked"
is "$(printf '%s\n' "$out" | grep -o '"path":\[[^]]*\]')" '"path":["_start"]
"path":["main"]' "JSON: the heaviest paths"
is "$(printf '%s\n' "${out#*\"path\":\[\"main\"\]}" |
	grep -Eo '"(fraction|mark)":[^,}]*' | tr '\n' ' ')" \
	'"fraction":1.0 "mark":null "fraction":0.85714 "mark":null "fraction":0.0 "mark":"-" ' \
	"JSON: a path's share of each resource, and what stands out"
out=$("$cpprof" report --why --body -r cpu --threshold=.7 | grep -c 'db_read_record')
is "$out" 2 "beside another profile"
done_testing
