# A profile of functions as cpprof prints it in JSON, to PERCENT, a tab, NAME
# and a tab.  Only the entries are looked at: "path":["NAME"] and "fraction":X.
{
	text = $0
	while (match(text, /"path":\["([^"\\]|\\.)*"\]/)) {
		name = substr(text, RSTART + 9, RLENGTH - 11)
		text = substr(text, RSTART + RLENGTH)
		gsub(/\\"/, "\"", name)
		gsub(/\\\\/, "\\", name)
		if (match(text, /"fraction":[0-9.e+-]+/))
			printf "%s\t%s\t\n", 100 * substr(text, RSTART + 11,
				RLENGTH - 11), name
	}
}
