#!/bin/sh
# cpprofdata(5) against the code it specifies.
. "$(dirname "$0")/../lib/lib.sh"

manual=$top_srcdir/man/cpprofdata.5
header=$top_srcdir/lib/cpprofdata/format.h

is "$(sed -n 's/^\.It Sy \([a-z]*\) Pq \([0-9]*\)$/\2 \1/p' "$manual")" \
	"$(sed -n 's/^\(#define.*\)*[ 	]X(\([0-9]*\), \([a-z]*\)).*/\2 \3/p' "$header")" \
	"the kinds of record"
[ "$(grep -c '^\.It Sy [a-z]* Pq [0-9]*$' "$manual")" -ge 15 ]
ok $? "of which there are some"

letters=$(sed -n "s/.*CPD_CHUNK_RECORDS CPD_CHUNK_TYPE(\(.*\))/\1/p" "$header" |
	tr -d "', ")
grep -q "^\.Ql $letters\$" "$manual"
ok $? "the chunk type $letters"
grep -q "at most 16777216" "$manual"
ok $? "the longest chunk"

if [ -n "$MANDOC" ]; then
	is "$("$MANDOC" -T lint "$manual" 2>&1 |
		grep -v -e 'referenced manual not found' -e 'mandoc.db')" "" \
		"mandoc finds nothing wrong"
else
	skip 1 "no mandoc here"
fi
done_testing
