#!/bin/sh
# truth.awk, which the tests of the samples' profiles rest on: it accepts what
# agrees and nothing else.
. "$(dirname "$0")/../../lib/lib.sh"

cat >"$tmp/truth" <<'END'
some line of the program
truth cpu main;a;c 3000
truth cpu main;b;c 1000
truth calls main;a;c 10
truth calls main;b;c 0
END

# judge WANTED WHAT AWK-OPTIONS...: the folded stacks are standard input
judge() {
	wanted=$1 what=$2
	shift 2
	cat >"$tmp/folded"
	awk -f "$top_srcdir/t/lib/truth.awk" "$@" "$tmp/truth" "$tmp/folded" \
		>"$tmp/out"
	is $? "$wanted" "$what"
}

judge 0 "the true shares" -v resource=cpu <<'END'
_start;libc start;main;a;qsort;c 300
_start;libc start;main;a;c;memcpy 450
_start;libc start;main;b;b;c 250
END
judge 0 "shares within the noise" -v resource=cpu <<'END'
main;a;c 780
main;b;c 220
END
judge 1 "shares out of it" -v resource=cpu <<'END'
main;a;c 820
main;b;c 180
END
judge 1 "a path without hits" -v resource=cpu <<'END'
main;a;c 1000
END
judge 1 "hits of which too many are elsewhere" -v resource=cpu <<'END'
main;a;c 750
main;b;c 250
main 100
END
judge 0 "... unless that is allowed" -v resource=cpu -v others=0.2 <<'END'
main;a;c 750
main;b;c 250
main 100
END
judge 1 "... nor if they are called unsampled" -v resource=cpu <<'END'
main;a;c 750
main;b;c 250
[unsampled] 100
END
judge 0 "... unless that is allowed" -v resource=cpu -v unsampled=0.1 <<'END'
main;a;c 750
main;b;c 250
[unsampled] 100
END
judge 1 "... which excuses no more" -v resource=cpu -v unsampled=0.1 <<'END'
main;a;c 750
main;b;c 250
[unsampled] 180
END
judge 0 "... which may be of one path" -v resource=cpu -v unsampled=0.1 <<'END'
main;a;c 630
main;b;c 270
[unsampled] 100
END
judge 1 "... but do not explain more" -v resource=cpu -v unsampled=0.1 <<'END'
main;a;c 530
main;b;c 370
[unsampled] 100
END
judge 1 "... and nothing else" -v resource=cpu -v unsampled=0.2 <<'END'
main;a;c 750
main;b;c 250
main 100
END
judge 1 "shares out of it, by one sample with many hits" -v resource=cpu <<'END'
main;a;c 640
main;b;c 360
END
judge 0 "... which is one chance" -v resource=cpu -v each=10.9 <<'END'
main;a;c 640
main;b;c 360
END
judge 0 "... elsewhere too" -v resource=cpu -v each=10.9 <<'END'
main;a;c 690
main;b;c 210
main 100
END
judge 1 "... but no more than that" -v resource=cpu -v each=10.9 <<'END'
main;a;c 630
main;b;c 210
main 160
END
judge 0 "a part as told" -v resource=cpu -v part='^main;a;' -v has=780 <<'END'
main;a;c 500
main;b;c 500
END
judge 1 "a part not as told" -v resource=cpu -v part='^main;a;' -v has=820 <<'END'
main;a;c 500
main;b;c 500
END
judge 1 "a part that is none" -v resource=cpu -v part=d -v has=0 <<'END'
main;a;c 500
main;b;c 500
END
judge 1 "another order of callers" -v resource=cpu <<'END'
a;main;c 750
main;b;c 250
END
judge 1 "no hits" -v resource=cpu </dev/null
judge 1 "no truth" -v resource=bytes <<'END'
main;a;c 10
END
judge 0 "exact" -v resource=calls -v exact=1 <<'END'
main;a;c 4
main;a;c;d 6
main 100
END
judge 1 "one too many" -v resource=calls -v exact=1 <<'END'
main;a;c 11
END
judge 1 "one where there is none" -v resource=calls -v exact=1 <<'END'
main;a;c 10
main;b;c 1
END
judge 0 "some lost, and said so" -v resource=calls -v exact=1 <<'END'
[lost] 3
main;a;c 7
END
judge 1 "more missing than were lost" -v resource=calls -v exact=1 <<'END'
[lost] 2
main;a;c 7
END
judge 1 "too many though some were lost" -v resource=calls -v exact=1 <<'END'
[lost] 2
main;a;c 11
END
judge 0 "one where none is, but for an excepted path" -v resource=calls -v exact=1 \
	-v except=';b;' <<'END'
main;a;c 10
main;b;c 1
END

done_testing
