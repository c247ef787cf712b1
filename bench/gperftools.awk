# The number of samples in a profile of gperftools, given as 8-byte words, one a
# line (od -t u8 -w8).
NR == 2 { skip = $1; next }
NR < 2 { next }
skip > 0 { skip--; next }
!in_record { count = $1; in_record = 1; depth = -1; next }
depth < 0 {
	depth = $1
	if (count == 0 && depth == 1) exit
	samples += count
	if (depth == 0) in_record = 0
	next
}
--depth == 0 { in_record = 0 }
END { print samples + 0 }
