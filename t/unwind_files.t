#!/bin/sh
# Code that is not where its path says, or that changes under one address: each
# sample is read against the mappings of its own moment.
. "${top_srcdir:?}/t/lib.sh"

can_profile || skip_all "no sampling here: $why"

# whole FILE: the share of stacks that are whole, per mille
whole() {
	"$cpprof" info "$1" | awk '$1 == "stacks:" {
		print int($2 * 1000 / ($2 + $4 + !($2 + $4))); exit }'
}

# run FILE PROG...
run() {
	file=$1
	shift
	"$cpprof" run -q -r cpu:1ms -o "$file" -- "$@" >/dev/null
}

# same_as FILE WHAT: its stacks are whole and lead to the functions of queens
same_as() {
	[ "$(whole "$1")" -ge 980 ]
	ok $? "$2: $(whole "$1") of 1000 stacks are whole"
	like "$("$cpprof" export --format=folded "$1")" ';main;.*eval' \
		"$2: its functions have their names"
}

run "$tmp/plain" "$samples/queens"
same_as "$tmp/plain" "where it was built"

cat >"$tmp/deleted.sh" <<'E2'
cp "$1" "$2"
"$2" &
rm "$2"
wait $!
E2
run "$tmp/deleted" sh "$tmp/deleted.sh" "$samples/queens" "$tmp/gone"
same_as "$tmp/deleted" "deleted while it runs"

cat >"$tmp/replaced.sh" <<'E2'
cp "$1" "$2"
"$2" &
cp "$3" "$2.new" && mv "$2.new" "$2"
wait $!
E2
run "$tmp/replaced" sh "$tmp/replaced.sh" "$samples/queens" "$tmp/other" \
	"$samples/forms"
same_as "$tmp/replaced" "replaced by another while it runs"

if unshare -m true 2>/dev/null; then
	mkdir "$tmp/mnt"
	run "$tmp/mounted" unshare -m sh -c "mount -t tmpfs none '$tmp/mnt' &&
		cp '$samples/queens' '$tmp/mnt/q' && '$tmp/mnt/q'"
	same_as "$tmp/mounted" "in another mount namespace"
else
	skip 2 "no mount namespaces for this user"
fi

run "$tmp/dl" "$samples/dl"
[ "$(whole "$tmp/dl")" -ge 980 ]
ok $? "two libraries at one address: $(whole "$tmp/dl") of 1000 are whole"
folded=$("$cpprof" export --format=folded "$tmp/dl")
like "$folded" 'main;.*_a' "the first one's functions are there"
like "$folded" 'main;.*_b' "and the second one's"
done_testing
