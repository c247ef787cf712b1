#!/bin/sh
# What reads other people's files is built to make little of a mistake.
. "$(dirname "$0")/../lib/lib.sh"

command -v readelf >/dev/null || skip_all "no readelf"
[ "$(echo $HARDENED)" ] || skip_all "configured without hardening"

# asked FLAG: configure found that the compiler takes it
asked() {
	case " $HARDENED " in *" $1 "*) ;; *) return 1 ;; esac
}

# shows FLAG PATTERN WHAT: readelf says so, if the flag was taken
shows() {
	if asked "$1"; then
		like "$(cat "$tmp/shown")" "$2" "$3"
	else
		skip 1 "the compiler does not take $1"
	fi
}

readelf -Wlhd "$cpprof" >"$tmp/shown"
shows -Wl,-z,now 'FLAGS.*NOW' "symbols are bound at the start"
shows -Wl,-z,relro GNU_RELRO "and their table is read-only then"
shows -pie 'Type: +DYN' "position independent"
# of the program's own objects: static libraries bring such symbols as well
find "$top_builddir/lib" -name '*.o' -exec readelf -Ws {} + >"$tmp/shown"
shows -fstack-protector-strong __stack_chk_fail "stacks are guarded"
shows -D_FORTIFY_SOURCE=2 'UND __[a-z]*printf_chk' "copies into buffers are checked"
readelf -WSd "$top_builddir/monitor/inprocess/libcpprof-count.so" >"$tmp/shown"
unlike "$(cat "$tmp/shown")" '[.](symtab|debug)' \
	"what goes into programs has no names of its parts"
like "$(cat "$tmp/shown")" 'FLAGS.*NOW' "... and is bound at the start, too"
done_testing
