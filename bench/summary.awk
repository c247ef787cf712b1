# Results in, the results of column C over all groups of section "work" out: the
# median of each row, and the worst (the largest; the smallest if LOW).
$1 == "value" && $2 == "work" && $5 == c && $6 != "-" && $4 != "bare" {
	key = $4 SUBSEP $3
	if (!(key in value)) {
		if (!($4 in n)) order[++rows] = $4
		list[$4, ++n[$4]] = $3
	}
	value[key] = $6 + 0
}
function emit(row, column, x) {
	printf "value\tsummary\tall\t%s\t%s\t%.6g\t%.6g\t%.6g\t\t\n", row,
		column, x, x, x
}
END {
	for (r = 1; r <= rows; r++) {
		row = order[r]
		m = n[row]
		if (m < 3) continue
		for (i = 1; i <= m; i++) {
			x = value[row, list[row, i]]
			for (k = i - 1; k > 0 && a[k] > x; k--) a[k + 1] = a[k]
			a[k + 1] = x
		}
		emit(row, c, (a[int((m + 1) / 2)] + a[int(m / 2) + 1]) / 2)
		emit(row, "worst " c, low ? a[1] : a[m])
	}
}
