# TAP for shell tests: . "$top_srcdir/t/lib/lib.sh", then ok/is/like, at the end
# done_testing.  $cpprof is the program under test, $samples the folder of
# sample programs, $tmp a scratch folder that is removed at the end.

# configured NAME: what the Makefile says
configured() {
	sed -n "s/^$1 = //p" "$top_builddir/Makefile" 2>/dev/null
}

# Without make: this is a test of the tree that has it, which is built there or in
# the folder where it is started.
if [ -z "${top_srcdir:-}" ]; then
	top_srcdir=$(cd "$(dirname "$0")" &&
		until [ -e t/lib/lib.sh ] || [ "$PWD" = / ]; do cd ..; done && pwd)
	top_builddir=$top_srcdir
	[ ! -x cpprof/cpprof ] || top_builddir=$PWD
	MANDOC=$(configured MANDOC)
	SANITIZERS=$(configured SANITIZE_FLAGS)
	HARDENED="$(configured HARDEN_CFLAGS) $(configured HARDEN_LDFLAGS)"
	export top_srcdir top_builddir MANDOC SANITIZERS HARDENED
fi
cpprof=$top_builddir/cpprof/cpprof
samples=$top_builddir/samples
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cpprof-t.XXXXXX") || exit 99
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
unset PAGER NO_COLOR CPPROF_PAGER COLUMNS LINES
LC_ALL=C XDG_STATE_HOME=$tmp/state
export LC_ALL XDG_STATE_HOME

tap_n=0
tap_bad=0

# ok STATUS WHAT: status 0 is a pass
ok() {
	tap_n=$((tap_n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_n - $2"
	else
		echo "not ok $tap_n - $2"
		tap_bad=$((tap_bad + 1))
	fi
}

# is GOT WANTED WHAT
is() {
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		printf '%s\n' "got:" "$1" "wanted:" "$2" | sed 's/^/# /'
	fi
}

# within GOT LOW HIGH WHAT
within() {
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
	ok $? "$4 ($1 in $2 .. $3)"
}

# like TEXT ERE WHAT
like() {
	if printf '%s\n' "$1" | grep -Eq -- "$2"; then
		ok 0 "$3"
	else
		ok 1 "$3"
		printf '%s\n' "$1" "does not match: $2" | sed 's/^/# /'
	fi
}

# unlike TEXT ERE WHAT
unlike() {
	if printf '%s\n' "$1" | grep -Eq -- "$2"; then
		ok 1 "$3"
		printf '%s\n' "$1" "matches: $2" | sed 's/^/# /'
	else
		ok 0 "$3"
	fi
}

# skip N REASON: N tests cannot run here
skip() {
	tap_i=0
	while [ "$tap_i" -lt "$1" ]; do
		tap_n=$((tap_n + 1))
		echo "ok $tap_n # SKIP $2"
		tap_i=$((tap_i + 1))
	done
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# plain_build: skips the whole test where sanitizers are built in, which make a
# long test take twice as long and look at nothing that shorter ones do not.
plain_build() {
	[ -z "${SANITIZERS:-}" ] || skip_all "long: it runs without sanitizers"
}

# needs TOOL...: skips the whole test where one of them is not installed
needs() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip_all "no $tool"
	done
}

# counted FILE: a run in which every event is a sample, of the folded stacks on
# standard input: perf's samples with a period of 1 are such
counted() {
	sed 's/ \([0-9]*\)$/;\1/' | awk -F';' '{
		for (i = 0; i < $NF; i++) {
			print "shop 1 1.0: 1 samples:"
			for (f = NF - 1; f; f--)
				printf "\t%x %s+0x0 (shop)\n", 4096 * f, $f
			print ""
		}
	}' | "$cpprof" import -q --from=perf -o "$1" - || exit 99
}

# Whether this user may sample programs here; else the reason in $why.
can_profile() {
	why=$("$cpprof" run -q -o "$tmp/can" -r cpu -- true 2>&1) && {
		rm -f "$tmp/can"
		return 0
	}
	return 1
}

# heeded PID: waits until PID has taken the SIGUSR1 that was sent to it.  The
# text is for shells that are profiled, too: eval "$heeded".
heeded='heeded() {
	while grep -qs "^ShdPnd:.*[2367abef]..\$" "/proc/$1/status"; do
		sleep 0.02
	done
}'
eval "$heeded"

# again_as_others TEST RESOURCES: runs TEST, a script of t/, as the whole of this
# test: as an ordinary user, and as one without perf events and BPF, with
# RESOURCES in $resources to profile by.
again_as_others() {
	[ "$(id -u)" -eq 0 ] || skip_all "the suite runs as an ordinary user"
	others="setpriv --reuid=65534 --regid=65534 --clear-groups"
	$others test -x "$cpprof" 2>/dev/null ||
		skip_all "no way to be an ordinary user here"
	for who in "an ordinary user" "perf_event_open and bpf refused"; do
		[ "$who" = "an ordinary user" ] ||
			export others="$others $top_builddir/t/lib/refuse EPERM \
perf_event_open,bpf" resources="$2"
		$others "$top_srcdir/$1" >"$tmp/others" 2>&1
		others_rc=$?
		# one test here for all of that
		if grep -q '^1\.\.0 # SKIP' "$tmp/others" || [ $others_rc = 77 ]; then
			skip 1 "$who: $(sed -n 's/.*SKIP //p' "$tmp/others")"
			continue
		fi
		ok $others_rc "$who: $(grep -c '^ok' "$tmp/others") tests of $1"
		[ $others_rc -eq 0 ] || sed 's/^/# /' "$tmp/others"
	done
	done_testing
}

# of RESOURCE COLUMN: a figure of the profile $data
of() {
	"$top_builddir/t/lib/monitor_dump" "$data" | awk -v r="$1" -v c="$2" '
	BEGIN {
		split("interval samples hits weight total lost_samples lost " \
			"unsampled kernel setuid flags no_stack truncated " \
			"squares probes probe_samples", name)
		for (i in name)
			column[name[i]] = i + 2
	}
	$1 == "resource" && $2 == r { print $(column[c]) }'
}

# each RESOURCE: of the profile $data, how many hits make a chance: one, but for
# samples of many hits (a virtual processor that was away for a while)
each() {
	awk -v hits="$(of "$1" hits)" -v squares="$(of "$1" squares)" \
		'BEGIN { print (hits > 0 ? squares / hits : 1) }'
}

# steal: the time that was given to other guests, us: to perf's clock a program
# runs on meanwhile, to wait4 it does not
steal() {
	awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" {
		printf "%d", $9 * 1000000 / hz }' /proc/stat
}

# run_us: how long the run took of which the profile $data has a part, us
run_us() {
	"$cpprof" info "$data" |
		sed -n 's/.* on for .* of 0*\([0-9]*\)\.\([0-9]*\) s, .*/\1\2/p' |
		sed 's/^0*//'
}

done_testing() {
	echo "1..$tap_n"
	[ "$tap_bad" -eq 0 ]
	exit
}
