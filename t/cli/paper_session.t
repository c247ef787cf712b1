#!/bin/sh
# The sessions of the paper's sections 4 and 5, typed line by line: process_db by
# its page faults, forms by where it reads records.  The counts add up to those
# that the paper prints: 9950 samples, of main 9939, of main > uniquify_db 7096.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99

# samples PROGRAM RESOURCE PERIOD: of the folded stacks on standard input one
# sample for each time, as perf script has them
samples() {
	awk -v program="$1" -v event="$2" -v period="$3" '{
		times = $NF
		sub(/ [0-9]+$/, "")
		depth = split($0, f, ";")
		for (; times; times--) {
			at++
			printf "%s 7 %d.%06d: %d %s: \n", program,
				1 + at / 1000000, at % 1000000, period, event
			for (i = depth; i; i--)
				printf "\t1000 %s+0x0 (/bin/%s)\n", f[i], program
			print ""
		}
	}' >script
	"$cpprof" import -q --from=perf -o "$1" script || exit 99
}

# session FILE: types what is on standard input; prints the lines of profiles,
# each after the command that asked for it
session() {
	while read -r command; do
		echo "$command" >>typed
		"$cpprof" "$1" <typed >now 2>&1 || echo "status $?"
		echo "> $command"
		[ ! -e before ] || lines=$(wc -l <before)
		tail -n "+$((${lines:-0} + 1))" now | sed '/^[A-Z].* Profile for/d
			/ hits in /d; /consumed/d; /^[0-9]* process/d
			/^root: /d; /^threshold: /d; /^format: /d; /^---/d'
		mv now before
	done
	rm -f typed before
}

samples process_db pagefaults 10 <<'END'
main;uniquify_db;qsort;compare_names;visit 4600
main;uniquify_db;keep_one_of_each;visit 2496
main;load_db;visit 2843
_start 11
END
is "$(session process_db <<'END'
set format paper
resource pagefaults
function 0.3
root main
threshold 0.5
down
root visit
threshold 0.25
up
down qsort
body
tree
resource
threshold
root
END
)" "> set format paper
> resource pagefaults
> function 0.3
0.99889 main [9939]
0.99889 visit [9939]
0.71317 uniquify_db [7096]
0.46231 compare_names [4600]
0.46231 qsort [4600]
> root main
> threshold 0.5
> down
0.99889 (main) [9939]
0.71317 (main uniquify_db) [7096]
> root visit
> threshold 0.25
> up
0.99889 (visit) [9939]
0.46231 (compare_names visit) [4600]
0.46231 (qsort compare_names visit) [4600]
0.46231 (uniquify_db qsort compare_names visit) [4600]
0.46231 (main uniquify_db qsort compare_names visit) [4600]
0.28573 (load_db visit) [2843]
0.28573 (main load_db visit) [2843]
0.25085 (keep_one_of_each visit) [2496]
0.25085 (uniquify_db keep_one_of_each visit) [2496]
0.25085 (main uniquify_db keep_one_of_each visit) [2496]
> down qsort
0.46231 (qsort) [4600]
0.46231 (qsort compare_names) [4600]
0.46231 (qsort compare_names visit) [4600]
> body
0.99889 visit [9939]
> tree
main (0.99889) [9939]
  uniquify_db (0.71317) [7096]
    qsort (0.46231) [4600]
      compare_names (0.46231) [4600]
        visit (0.46231) [4600]
    keep_one_of_each (0.25085) [2496]
      visit (0.25085) [2496]
  load_db (0.28573) [2843]
    visit (0.28573) [2843]
> resource
resource pagefaults
> threshold
threshold 0.25
> root
root visit" "the session with process_db"
is "$("$cpprof" shell -c 'set format paper; down main 0.5' process_db)" \
	"Downward Call Path Profile for resource: pagefaults
9950 hits in 9950 samples, sampled every 10 gticks (1 gtick = 1 event)
consumed: not known; 99500 events in samples
1 process, 1 thread
root: main; threshold: 0.5
format: usage_fraction (call_path) [#hits]
-----------------------------------------------------
0.99889 (main) [9939]
0.71317 (main uniquify_db) [7096]" "and the lines above the rule"

# forms: 614 reads, 530 by way of db_get_property, 422 of these for addresses;
# no form has a fourth of them.
awk 'BEGIN {
	split("invoice receipt order label statement", form)
	split("84 84 85 85 84", address)
	split("21 21 22 22 22", item)
	split("2 3 3 38 38", direct)
	for (i = 1; i <= 5; i++) {
		print "main;" form[i] ";address_information;db_get_property;" \
			"db_read_record " address[i]
		print "main;" form[i] ";item_information;db_get_property;" \
			"db_read_record " item[i]
		print "main;" form[i] ";db_read_record " direct[i]
	}
}' | samples forms cpu 1000
is "$(session forms <<'END'
set format paper
body 0.5
root main
down 0.25
function 0.5
root db_read_record
up 0.5
threshold 0.1
root db_get_property
up 0.15
END
)" "> set format paper
> body 0.5
1.00000 db_read_record [614]
> root main
> down 0.25
1.00000 (main) [614]
> function 0.5
1.00000 db_read_record [614]
1.00000 main [614]
0.86319 db_get_property [530]
0.68730 address_information [422]
> root db_read_record
> up 0.5
1.00000 (db_read_record) [614]
0.86319 (db_get_property db_read_record) [530]
0.68730 (address_information db_get_property db_read_record) [422]
> threshold 0.1
> root db_get_property
> up 0.15
0.86319 (db_get_property) [530]
0.68730 (address_information db_get_property) [422]
0.17590 (item_information db_get_property) [108]" "the session with forms"
done_testing
