# What each resource costs a program that does a lot of what is counted, at the
# default interval: the column `costs` of `cpprof resources`.

costs_groups='dd touch pipe kill inf perl'
about_pipe='perl: two processes hand a byte to and fro'
about_kill='perl: signals to itself'
about_inf='perl: products that are infinite'

costs_dd() {
	echo "dd if=/dev/zero of=/dev/null bs=1 count=$((300000 * scale))" \
		"status=none"
}

costs_touch() { workload_touch; }
costs_perl() { workload_perl; }

costs_pipe() {
	need perl && input pipe.pl <<-'END' || return
		cat >pipe.pl <<-'PL'
			pipe my $from, my $to;
			pipe my $back, my $answer;
			my ($in, $out) = fork ? ($back, $to) : ($from, $answer);
			for (1 .. $ARGV[0]) {
				syswrite $out, "x";
				sysread $in, my $byte, 1;
			}
		PL
	END
	echo "perl '$work/in/pipe.pl' $((100000 * scale))"
}

costs_kill() {
	need perl && echo "perl -e '\$SIG{USR1} = sub { \$n++ };" \
		"kill USR1 => \$\$ for 1 .. $((300000 * scale))'"
}

costs_inf() {
	need perl && echo "perl -e '\$x = 1e308; \$y = \$x * 10" \
		"for 1 .. $((100000 * scale))'"
}

# Of GROUP: how often it is measured, timers, the resources that they count.  What
# takes many times as long is measured once.
costs_of() {
	case $1 in
	dd) cat <<-END ;;
		rounds per-cpu real blocked runqueue syscalls bytes-read
		rounds per-cpu bytes-written bytes iotime bytes-mapped
		rounds per-cpu tracepoint:syscalls:sys_enter_read
		rounds per-task tracepoint:syscalls:sys_enter_read
		rounds per-cpu arcs
		once per-cpu calls=read
		once stop syscalls bytes-read bytes-written bytes iotime allocations
		END
	touch) cat <<-END ;;
		rounds per-cpu pagefaults minorfaults majorfaults
		rounds per-task pagefaults minorfaults majorfaults
		END
	pipe) cat <<-END ;;
		rounds per-cpu switches cpu-migrations cgroup-switches
		rounds per-task switches cpu-migrations cgroup-switches
		END
	kill) printf '%s signals\n' 'rounds per-cpu' 'once stop' ;;
	inf) echo once stop fpe ;;
	perl) echo rounds per-cpu bytes-allocated allocations bytes-freed frees ;;
	esac
}

costs_plan() {
	printf 'bare\t%s\n' "exec '$bench/clock' $command"
	costs_of "$group" | while read -r often timer resources; do
		[ "$often" = "$1" ] || continue
		for resource in $resources; do
			what="-r $resource"
			[ $resource != arcs ] || what=--count-calls=read
			printf '%s, %s\t%s\n' "$resource" "$timer" "exec \
'$cpprof' run -q --timer=$timer $what -o '$work/data/costs' -- \
'$bench/clock' $command"
		done
	done
}

# costs_pair ROUNDS: measures $work/plan if it has more than the program alone
costs_pair() {
	[ "$(wc -l <"$work/plan")" -lt 2 ] || "$bench/pair" -n "$1" -t "$limit" \
		-r "$results" -s costs -g "$group" -d "$work/err" "$work/plan"
}

part_costs() {
	for group in $costs_groups; do
		title costs "$group" "what resources cost $group: $(
			eval "echo \"\$about_$group\"")"
		command=$("costs_$group") || continue
		say "  $group"
		costs_plan rounds >"$work/plan"
		costs_pair "$rounds"
		costs_plan once >"$work/plan"
		costs_pair 1
	done
}
