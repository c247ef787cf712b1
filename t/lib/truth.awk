# truth.awk - holds a profile against what the program says of itself.
#
#   awk -f truth.awk -v resource=cpu [-v exact=1] [-v except=ERE]
#       [-v others=FRACTION] [-v unsampled=FRACTION] [-v each=N]
#       [-v part=ERE -v has=N] TRUTH FOLDED
#
# TRUTH has the lines `truth RESOURCE main;f;g AMOUNT' of a sample program,
# FOLDED those of `cpprof export --format=folded': `root;...;leaf hits'.
# Functions that no truth line names are taken out of the stacks, a run of one
# function counts as one, and what is left has to be a path of the truth.
#
# exact=1: as many hits as the truth says, path by path (interval 1).  Where the
# profile names lost samples, a path may lack hits, all together as many as were
# lost, but none may have too many.
# Otherwise each path's share of all hits on paths of the truth must have the
# true share within its Wilson interval at Z = 4.4: a right profile fails one
# comparison in a hundred thousand.  The hits elsewhere (start of the program,
# the functions that lead to the work) may be OTHERS of all at most.  What the
# profile itself names as [unsampled] may belong to any path, the whole of it to
# one; it is among those elsewhere, but for the fraction UNSAMPLED of all (none).
# Where hits come EACH together, in one sample (sum of their squares by their sum,
# where some do), there are so many times fewer chances, and those of one more
# sample than OTHERS may be elsewhere.
#
# part=ERE: instead of path by path, the paths of the truth that match have the
# share that HAS hits, from some report, are of all hits on paths of the truth.
#
# Prints the differences as TAP comments; status 1 if there are any.

BEGIN {
	Z = 4.4
	if (others == "")
		others = 0.05
	if (!each)
		each = 1
}

function skipped(path)
{
	return except != "" && path ~ except
}

NR == FNR {
	if ($1 == "truth" && $2 == resource && !skipped($3)) {
		want[$3] = $4
		wanted += $4
		n = split($3, name, ";")
		for (i = 1; i <= n; i++)
			known[name[i]] = 1
	}
	next
}

{
	hits = $NF
	if ($1 == "[lost]")
		lost += hits
	if ($1 == "[unsampled]")
		unsampled_hits += hits
	stack = $0
	sub(/ [0-9]+$/, "", stack)
	n = split(stack, name, ";")
	path = last = ""
	for (i = 1; i <= n; i++) {
		if (!(name[i] in known) || name[i] == last)
			continue
		last = name[i]
		path = path == "" ? last : path ";" last
	}
	all += hits
	if (path in want) {
		got[path] += hits
		sampled += hits
	} else {
		other[path] += hits
	}
}

function complain(text)
{
	print "# " text
	bad = 1
}

function min(a, b)
{
	return a < b ? a : b
}

# The end of Wilson's interval of K hits of N: SIGN -1 for the lower, 1 for the
# upper.
function wilson(k, n, sign,	share, middle, half)
{
	share = k / n
	n /= each
	middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
	half = Z / (1 + Z * Z / n) * \
		sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
	return middle + sign * half
}

# The true share P against K hits of N, and U that may be among them or not.
function within(k, n, u, p)
{
	return p >= wilson(k, n + u, -1) && p <= wilson(k + u, n + u, 1)
}

END {
	if (wanted == 0) {
		print "# no truth of " resource
		exit 1
	}
	if (sampled == 0) {
		print "# none of " all + 0 " hits is on a path of the truth"
		exit 1
	}
	if (part != "") {
		for (path in want)
			if (path ~ part)
				parts += want[path]
		if (!parts || !within(has, sampled, unsampled_hits, parts / wanted))
			complain(part ": " has " of " sampled " hits, not a " \
				"share of " parts / wanted)
		exit bad
	}
	for (path in want) {
		k = got[path] + 0
		missing += want[path] - k
		if (exact && (k > want[path] || k < want[path] - lost))
			complain(path ": " k " hits, not " want[path])
		if (!exact && !within(k, sampled, unsampled_hits, want[path] / wanted))
			complain(path ": " k " of " sampled " hits, not a " \
				"share of " want[path] / wanted)
	}
	if (exact && missing > lost)
		complain(missing " hits are missing, " lost + 0 " were lost")
	elsewhere = all - sampled - min(unsampled_hits, unsampled * all)
	if (!exact && elsewhere > others * all + sqrt(all * (each - 1))) {
		complain(elsewhere " of " all " hits elsewhere:")
		for (path in other)
			print "#   " other[path] " " path
	}
	exit bad
}
