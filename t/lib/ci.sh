# What .ci/run and .ci/full share: steps, test runs and their sums.  To be sourced
# by bash with $top, the tree, and $work, a folder for what is made on the way.

passed=0 failed=0 skipped=0

say() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

# stage NAME COMMAND...: a step that is no test; its failure counts as one
stage() {
	local name=$1 log=$work/stage.log
	shift
	say "$name"
	if ! "$@" >"$log" 2>&1; then
		tail -n 200 "$log"
		echo "FAILED: $name"
		failed=$((failed + 1))
		return 1
	fi
}

# shown LOG: of a test that failed, what the machine did meanwhile (t/lib/run_test.sh),
# the checks that failed, then all but what passed
shown() {
	grep '^# machine: ' "$1"
	grep '^not ok ' "$1" | head -n 5
	grep -v '^\(ok\|PASS:\) \|^# machine: ' "$1" | tail -n 100
}

# quarantined LOG: how many of its failures are of checks that t/quarantine
# names, on standard output; what they are, on standard error
quarantined() {
	local file=${1##*/t/} text why n sum=0
	while IFS='	' read -r test text why; do
		[ "${test%.t}" = "t/${file%.log}" ] || continue
		n=$(grep '^FAIL: ' "$1" | grep -cF -- "$text")
		[ "$n" -eq 0 ] || echo "QUARANTINED: $test: $text: $why" >&2
		sum=$((sum + n))
	done < <(grep -v '^#' "$top/t/quarantine")
	n=$(grep -c '^\(FAIL\|XPASS\): ' "$1")
	# of a test whose failures are all known, the status is, too
	[ "$sum" -gt 0 ] && [ "$sum" -eq "$n" ] && sum=$((sum +
		$(grep -c '^ERROR: .*exited with status 1$' "$1")))
	echo "$sum"
}

# longest FOLDER: the tests there that took longest
longest() {
	grep -sH '^# machine: ' "$1"/t/*/*.log "$1"/t/live/*/*.log "$1"/t/unit/*/*.log | awk -v cpus="$(nproc)" \
		-v hz="$(getconf CLK_TCK)" '{
		sub(/.*\/t\//, "t/", $1)
		sub(/\.log:#$/, "", $1)
		printf "%s %.0f s\n", $1, $3 / hz / cpus
	}' | sort -rn -k 2 | head -n 10 | paste -s -d ,
}

# tally NAME FOLDER: adds up the results of the tests that ran in FOLDER
tally() {
	local name=$1 folder=$2 trs p=0 f=0 s=0 n q
	for trs in "$folder"/t/*/*.trs "$folder"/t/live/*/*.trs "$folder"/t/unit/*/*.trs; do
		[ -e "$trs" ] || continue
		n=$(grep -c '^:test-result: \(PASS\|XFAIL\)' "$trs")
		p=$((p + n))
		n=$(grep -c '^:test-result: SKIP' "$trs")
		s=$((s + n))
		n=$(grep -c '^:test-result: \(FAIL\|XPASS\|ERROR\)' "$trs")
		if [ "$n" -gt 0 ]; then
			echo "-- $name: $(basename "$trs" .trs) failed:"
			shown "${trs%.trs}.log"
			q=$(quarantined "${trs%.trs}.log" 2>&3)
			s=$((s + q)) n=$((n - q)) held_back=$((held_back + q))
		fi
		f=$((f + n))
		if [ -e "${trs%.trs}.log" ]; then
			sed -n 's|^SKIP: |skipped: |p' "${trs%.trs}.log"
		fi
	done 3>&1
	echo "longest: $(longest "$folder")"
	echo "$name: $p passed, $f failed, $s skipped"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	[ $((p + f + s)) -gt 0 ]
}

# tests NAME FOLDER LIMIT COMMAND...: a test run, then its tally
tests() {
	local name=$1 folder=$2 limit=$3 before log=$work/check.log status
	shift 3
	say "$name"
	before=$failed held_back=0
	timeout --kill-after=20 "$limit" "$@" >"$log" 2>&1
	status=$?
	if ! tally "$name" "$folder" || {
		[ $status -ne 0 ] && [ "$failed" -eq "$before" ] &&
			[ "$held_back" -eq 0 ]
	}; then
		tail -n 100 "$log"
		echo "FAILED: $name ended with status $status"
		failed=$((failed + 1))
	fi
}

# leak_check: 1 where LeakSanitizer may trace its own process
leak_check() {
	echo 'int main(void) { return 0; }' >"$work/leak.c"
	if cc -fsanitize=address -o "$work/leak" "$work/leak.c" \
		2>/dev/null &&
		ASAN_OPTIONS=detect_leaks=1 "$work/leak" >/dev/null 2>&1; then
		echo 1
	else
		echo 0
	fi
}

# build FOLDER CONFIGURE-OPTIONS...: everything, tests included, run by nobody
build() {
	mkdir -p "$1" && cd "$1" || return 1
	shift
	"$top/configure" -q "$@" && make all && make test-programs
}

# have_tools COMMAND=PACKAGE...: installs what is missing where apt-get can
have_tools() {
	local tool missing=
	for tool; do
		PATH=$PATH:/usr/sbin:/sbin command -v "${tool%=*}" >/dev/null ||
			missing="$missing ${tool#*=}"
	done
	[ -n "$missing" ] && command -v apt-get >/dev/null &&
		[ "$(id -u)" -eq 0 ] || return 0
	say "installing$missing"
	apt-get update -q >"$work/apt.log" 2>&1
	for tool in $missing; do
		apt-get install -y -q --no-install-recommends "$tool" \
			>>"$work/apt.log" 2>&1 || echo "$tool cannot be installed"
	done
}
