# Reads stacks as `perf script -F ip,sym` prints them, a frame a line and an
# empty line behind each stack, and prints the share (%) of those whose last
# frame matches the ERE in STARTS; or it has no name, as in a stripped program,
# and libc's start code called from it.  Stacks of kernel frames alone, of a
# process that is in exec or exit, do not count, nor does a last stack with no
# empty line behind it, which may be cut.
NF == 0 {
	if (user) {
		stacks++
		if (name[depth] ~ starts || name[depth] == "[unknown]" &&
			name[depth - 1] ~ /^__libc_start_main/)
			whole++
	}
	depth = user = 0
	next
}
{
	if ($1 !~ /^ffffffff[89a-f]/) user = 1
	sub(/@.*/, "", $2)
	name[++depth] = $2
}
END { if (stacks) printf "%.2f\n", 100 * whole / stacks }
