# The distortion between two profiles, files of PERCENT, a tab, NAME, a tab,
# MODULE: the sum over all names of the absolute difference of percentages.
# Several lines of one name add up in a profile of bodies (KIND body); with
# callees included the largest counts.
function common(name, module) {
	sub(/@.*/, "", name)
	if (name ~ /\+0x[0-9a-f]+$/) { # cpprof: MODULE+ADDRESS
		sub(/\+0x[0-9a-f]+$/, "", name)
		return "[" name "]"
	}
	if (name ~ /^(0x)?[0-9a-f]+$/ && (name ~ /^0x/ || length(name) > 8))
		return "[" module "]"
	if (name == "(below main)") name = "__libc_start_call_main"
	if (name == "__libc_start_main_impl") name = "__libc_start_main"
	sub(/_(sse|avx|evex|erms|ssse|unaligned).*$/, "", name)
	sub(/(\.(isra|part|constprop|cold)(\.[0-9]+)?)+$/, "", name)
	sub(/^(__GI_)?_*/, "", name)
	return name
}
FNR == 1 { file++ }
{
	name = common($2, $3)
	# main, which has it all and whose name a stripped program lacks, and
	# what calls it: valgrind starts programs in another way.
	if (kind != "body" && name ~ /^(start|main|\[ld-.*\])$/) next
	names[name]
	if (kind == "body") value[file, name] += $1
	else if ($1 > value[file, name]) value[file, name] = $1 + 0
}
END {
	for (name in names) {
		d = value[1, name] - value[2, name]
		sum += d < 0 ? -d : d
	}
	printf "%.4g\n", sum
}
