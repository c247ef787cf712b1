# The list of functions that callgrind_annotate prints, to PERCENT, a tab, NAME,
# a tab, MODULE.
/^ *[0-9,]+ \( ?[0-9.]+%\) +[^ ]/ && !/PROGRAM TOTALS/ {
	percent = $0
	sub(/^[^(]*\( */, "", percent)
	sub(/%.*/, "", percent)
	name = $0
	sub(/^[^)]*%\) +/, "", name)
	module = ""
	if (match(name, / \[[^]]*\]$/)) {
		module = substr(name, RSTART + 2, RLENGTH - 3)
		name = substr(name, 1, RSTART - 1)
	}
	# FILE:FUNCTION; a C++ name has colons too, but in pairs.
	if (match(name, /^[^:]*:/)) name = substr(name, RLENGTH + 1)
	sub(/'[0-9]+$/, "", name)
	sub(/.*\//, "", module)
	print percent "\t" name "\t" module
}
