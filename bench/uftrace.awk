# `uftrace graph c`: the share (%) of the time of c that is under a.
function seconds(x, unit) {
	return x * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : \
		unit == "m" ? 60 : 1)
}
/FUNCTION CALL GRAPH/ { exit }
/ backtrace #/ {
	for (i = 1; i < NF; i++)
		if ($i == "time") t = seconds($(i + 1), $(i + 2))
}
$2 == "a" { a += t }
$2 == "b" { b += t }
END { if (a + b) print 100 * a / (a + b) }
