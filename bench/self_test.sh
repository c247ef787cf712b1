# Are all parts of the benchmark there?  Prints what is not; nothing is run.

self_test_bad=0

self_test_has() {
	command -v "$1" >/dev/null || {
		say "there is no $1"
		self_test_bad=1
	}
}

self_test() {
	for peer in $peers; do
		self_test_has "can_$peer"
		self_test_has "run_$peer"
	done
	for workload in $workloads; do
		self_test_has "workload_$workload"
		eval "[ -n \"\${about_$workload-}\" ]" || {
			say "nothing is said about $workload"
			self_test_bad=1
		}
	done
	for part in $parts; do
		self_test_has "part_$part"
	done
	for script in $(sed -n 's|.*\$srcdir/bench/\([a-z0-9]*\.awk\).*|\1|p' \
		"$srcdir"/bench/*.sh | sort -u); do
		[ -s "$srcdir/bench/$script" ] || {
			say "there is no bench/$script"
			self_test_bad=1
		}
	done
	[ $self_test_bad -eq 0 ] && echo 'all parts are there'
}
