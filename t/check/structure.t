#!/bin/sh
# The shape of the tree: which folder may include which, the lists of files, and
# that the libraries never print and never exit.
. "$(dirname "$0")/../lib/lib.sh"
cd "$top_srcdir" || exit 99

found=$tmp/found

# none WHAT: $found must be empty; it has the errors
none() {
	none_got=$(cat "$found")
	if [ -z "$none_got" ]; then
		ok 0 "$1"
	else
		ok 1 "$1"
		printf '%s\n' "$none_got" | sed 's/^/# /'
	fi
}

# All #includes of the four folders: "file header", ours from the top.
find lib monitor analyzer cpprof -name '*.[ch]' | sort | while read -r file; do
	sed -n 's|^[ 	]*#[ 	]*include[ 	]*[<"]\([^>"]*\)[>"].*|'"$file"' \1|p' \
		"$file"
done >"$tmp/includes"
is "$(awk '{ sub("/.*", "", $1); print $1 }' "$tmp/includes" | sort -u |
	tr '\n' ' ')" "analyzer cpprof lib monitor " \
	"all four folders were read"

find lib monitor analyzer cpprof t bench samples -name '*.[ch]' |
	while read -r file; do
		sed -n 's|^[ 	]*#[ 	]*include[ 	]*"\([^"]*\)".*|\1|p' "$file" |
			while read -r header; do
				[ -e "$header" ] ||
					[ -e "$top_builddir/$header" ] ||
					echo "$file: $header"
			done
	done >"$found"
none "every include of our own is a path from the top"

# allowed ROOM WHO...: the files of ROOM, an ERE of paths, include of ours only
# themselves and those whose paths begin with one of WHO
allowed() {
	room=$1
	shift
	grep -E "^$room[^ ]* (lib|monitor|analyzer|cpprof)/" "$tmp/includes" |
		grep -Ev "^[^ ]+ ($(echo "$room" "$@" | tr ' ' '|'))" >"$found"
	none "$room includes nobody but: ${*:-itself}"
}
allowed lib/
allowed monitor/ lib/
allowed analyzer/ lib/
allowed cpprof/ lib/ monitor/ analyzer/

# The floors of CONTRIBUTING, "FOLDER LINE": a lower floor has a later line.
sed -n '/^The floors$/,/^To add$/p' CONTRIBUTING | awk '
	/^    [a-z]+\// { top = $1 }
	/^      [a-z.]/ {
		sub("^ *", "")
		sub("  .*", "")
		for (i = 1; i <= NF; i++)
			print $i == "." ? substr(top, 1, length(top) - 1) \
				: top $i, NR
	}' >"$tmp/floors"

# folders FILE: "FOLDER FOLDER" and the line itself, of each line "A B" of FILE
# that leads from one folder of a top folder to another one.  The folders of the
# processors belong to arch/.
folders() {
	awk 'function folder(path) {
			sub("/[^/]*$", "", path)
			sub("/arch/.*", "/arch", path)
			return path
		}
		{
			a = folder($1)
			b = folder($2)
			split(a, from, "/")
			split(b, to, "/")
			if (a != b && from[1] == to[1])
				print a, b, $1, $2
		}' "$1"
}

# goes_down FILE WHAT: each line "A B" of FILE leads to a lower floor
goes_down() {
	folders "$1" | awk 'NR == FNR { line[$1] = $2; next }
		!line[$1] || !line[$2] { print $3, $4 ": no floor has one of them" }
		line[$1] >= line[$2] { print $3, $4 }' "$tmp/floors" - \
		>"$found"
	none "$2"
}

goes_down "$tmp/includes" "includes lead to a lower floor"
folders "$tmp/includes" | awk '{ print $1, $2 }' | sort -u | awk '
	NR == FNR { order[NR] = $1; next }
	{ sees[$1] = sees[$1] " " $2 }
	END {
		for (i = 1; i in order; i++)
			if (order[i] in sees)
				print "# " order[i] ":" sees[order[i]]
	}' "$tmp/floors" -
awk '{ print $1 }' "$tmp/floors" | sort >"$tmp/listed"
cut -d ' ' -f 1 "$tmp/includes" | sed 's,/[^/]*$,,; s,/arch/.*,/arch,' | sort -u |
	comm -3 - "$tmp/listed" >"$found"
none "CONTRIBUTING has each folder on a floor"

# The walls inside of them.
allowed lib/elf/ 'lib/[a-z_0-9]*\.' lib/arch/ lib/sys/

# keeps ROOM FROM WHAT: no file of the first includes one of the second
keeps() {
	grep -E "^($1)[^ ]* ($2)" "$tmp/includes" >"$found"
	none "$3"
}

# inside FOLDER WHO...: only files of FOLDER and WHO include its headers
inside() {
	folder=$1
	shift
	grep " $folder" "$tmp/includes" |
		grep -Ev "^($(echo "$folder" "$@" | tr ' ' '|'))" >"$found"
	none "nobody includes $folder but: itself $*"
}
inside monitor/timer/percpu/ monitor/run/choose.c
inside monitor/timer/pertask/ monitor/run/choose.c

find monitor lib analyzer cpprof -name '*.[ch]' |
	grep -v '^monitor/timer/percpu/\|^monitor/run/choose\.c$' |
	xargs grep -EHnw 'percpu(_[a-z_]+)?' >"$found"
none "the word percpu is only in monitor/timer/percpu/ and run/choose.c"

allowed analyzer/name/ lib/
allowed analyzer/data/ analyzer/name/ lib/
allowed analyzer/filter/ 'analyzer/(name|data)/' lib/
keeps 'analyzer/(tree|profile|questions|diff)/' 'analyzer/(report|export|symbol)/' \
	"profiles know neither reports nor the symbolizer"
allowed analyzer/profile/ 'analyzer/tree/' lib/
allowed analyzer/questions/ 'analyzer/(profile|tree)/' lib/
allowed analyzer/diff/ 'analyzer/(name|profile|tree)/' lib/
inside analyzer/profile/profile_private.h analyzer/profile/
inside analyzer/diff/diff_private.h analyzer/diff/
allowed analyzer/source/ 'analyzer/(data|tree)/' \
	'analyzer/symbol/(lookup|file)\.h' lib/
keeps 'analyzer/(data|tree|profile|questions|diff|symbol)/' 'analyzer/source/' \
	"lines and instructions are asked for by reports alone"

# A module is a .c and its .h.  The files that run.h names are one, and so are
# the contract of an architecture and its folders.
for folder in lib monitor analyzer cpprof; do
	grep -E "^$folder/[^ ]* $folder/" "$tmp/includes" |
		sed 's/\(\.bpf\)*\.[ch]\>//g; s/_private\>//g
			s,monitor/run/\(monitor\|setup\|event_loop\|summary\|choose\)\>,monitor/run/run,g
			s,/arch/[a-z0-9_]*/[a-z_]*,/arch/arch,g' |
		awk '$1 != $2' |
		tsort 2>&1 >/dev/null | grep -v ': -: ' >"$found"
	none "the modules of $folder/ include each other in no circle"
done

allowed analyzer/symbol/dwarf/ 'analyzer/symbol/table/span\.h' lib/

# Not through other headers either.
awk '{ edge[$1] = edge[$1] " " $2 }
	END {
		for (file in edge)
			if (file ~ "^monitor/(stack|unwind)/")
				todo[++n] = file
		for (i = 1; i <= n; i++) {
			split(edge[todo[i]], to, " ")
			for (k in to) {
				if (seen[to[k]]++)
					continue
				print todo[i], to[k]
				todo[++n] = to[k]
			}
		}
	}' "$tmp/includes" |
	grep -E ' (monitor/(timer|perf)/|linux/(perf_event|bpf)\.h|bpf/)' >"$found"
none "stacks and the unwinder reach no timer, no perf and no BPF"

# The rooms of the command line.
keeps 'cpprof/session/' 'cpprof/(cmd|collect|shell)/|monitor/' \
	"a session knows neither subcommands, shell nor monitor"
keeps 'cpprof/shell/' 'cpprof/(cmd|collect)/|monitor/' \
	"the shell knows neither subcommands nor monitor"
keeps 'cpprof/collect/' 'cpprof/(cmd|session)/' \
	"a run knows neither subcommands nor sessions"
keeps 'cpprof/[a-z_]*\.' 'cpprof/(cmd|collect|session|shell)/|monitor/|analyzer/' \
	"what all rooms of cpprof/ stand on knows none of them"
sed -n 's|^cpprof/[^ ]* \(monitor/.*\)|\1|p' "$tmp/includes" | sort -u |
	grep -vx 'monitor/run/monitor.h\|monitor/resource/resource.h' >"$found"
none "cpprof/ knows of monitor/ only monitor.h and resource.h"

# only HEADERS FILES WHAT: the headers matching the first are only in the second
only() {
	grep -E "^[^ ]+ ($1)\$" "$tmp/includes" | grep -Ev "^($2) " >"$found"
	none "$3"
}
only 'sys/ptrace\.h|linux/ptrace\.h|linux/perf_event\.h|linux/bpf\.h|bpf/.*' \
	'monitor/.*' "only monitor/ sees ptrace, perf_event and BPF"
only 'capstone/.*' 'lib/arch/.*' "only lib/arch/ sees the decoder of instructions"
only 'sys/user\.h|asm/.*' '(lib|monitor)/arch/.*' \
	"only arch/ sees the kernel's headers of one processor"
only 'libunwind.*' 'monitor/unwind/.*' "only the unwinder sees libunwind"
only 'elfutils/.*' \
	'analyzer/symbol/[^ ]*|monitor/probe/symbols[^ ]*|lib/elf/debug_[^ ]*' \
	"only the symbolizer, the finder of functions and what both have see libdw"
only 'libelf\.h|gelf\.h' \
	'analyzer/symbol/[^ ]*|lib/elf/[^ ]*|monitor/probe/symbols[^ ]*' \
	"only they and the reader of ELF files see libelf"
only 'readline/.*' 'cpprof/shell/.*' "only the shell sees readline"
only 'jansson\.h' 'analyzer/.*' "only analyzer/ sees the JSON library"

# Opcodes, registers and relocations of one processor.
grep -rnE --include='*.[ch]' 'X86_64|_Ux86|X86_(INS|REG|OP)_|CS_GRP_|0xe[89]\b|0x0f, 0x05|user_regs_struct' \
	lib monitor analyzer cpprof |
	grep -Ev '^(lib|monitor)/arch/[^/]*/' >"$found"
none "instructions of a processor are in arch/"

# A page is 4096 bytes here only, and for BPF in percpu/abi.h.
grep -rnE --include='*.[ch]' '[*/%] *4096|4096[a-z]* *([*%]|/[^*])|PAGE[A-Z_]* +4096' \
	lib monitor analyzer cpprof |
	grep -Ev '^(lib/arch/[^/]*/|monitor/timer/percpu/abi\.h:)' >"$found"
none "the size of a page is in lib/arch/"

# One name means one thing; kernel_types.h has the kernel's.
find lib monitor analyzer cpprof -name '*.[ch]' ! -name kernel_types.h |
	xargs grep -hoE '^((static|const|typedef) )*(struct|union|enum) [a-z_0-9]+ \{' |
	sed 's/ {$//; s/.* //' | sort | uniq -d >"$found"
none "no two structs, unions or enums share a name"

find lib monitor analyzer cpprof -name '*.c' | while read -r file; do
	head -n 1 "$file" | grep -q '^/\*' || echo "$file"
done >"$found"
none "every source begins with what it is"

for folder in lib monitor analyzer cpprof samples; do
	find $folder -name '*.[ch]' | while read -r file; do
		grep -Eq "(^|[ 	=])$file([ 	\\]|\$)" $folder/local.mk ||
			echo "$file"
	done >"$found"
none "$folder/: every source is listed in local.mk"
done
find t -name '*.[cht]' -o -name '*.sh' -o -name '*.supp' | while read -r file; do
	grep -Eq "(^|[ 	=])$file([ 	\\]|\$)" t/local.mk || echo "$file"
done >"$found"
none "t/: every test and its parts are listed in local.mk"
ls man/*.[1-9] | while read -r file; do
	grep -Eq "(^|[ 	=])$file([ 	\\]|\$)" man/local.mk || echo "$file"
done >"$found"
none "man/: every page is listed in local.mk"
# A test's programs are built before it runs alone, too.
for program in $(sed -n '/^test_tools =/,/^test_programs/p' t/local.mk |
	grep -Eo '\bt/(lib|live/target)/[a-z_]+') bench/clock; do
	grep -rlE "top_builddir/$program([^a-z_.]|\$)" t --include='*.t' |
		sed 's/t$/log/' | while read -r log; do
		sed ':a; /\\$/{N; ba}; s/\\\n//g' t/local.mk |
			grep -F -e "$log" -e '$(shell_tests:.t=.log)' |
			grep -Fq ": $program\$(EXEEXT)" ||
			echo "$log: $program"
	done
done >"$found"
none "t/local.mk: what a test runs is built before it"
for test in t/*/*.t t/live/*/*.t; do
	[ -x "$test" ] || echo "$test"
done >"$found"
none "every shell test can be executed"

grep -hEo '(lib|monitor|analyzer|cpprof|samples|bench|man|t)/[a-zA-Z0-9_./-]+\.(c|h|t|sh|supp|[1-9])\b' \
	Makefile.am ./*/local.mk | sort -u | while read -r file; do
	[ -e "$file" ] || [ -e "$top_builddir/$file" ] || echo "$file"
done >"$found"
none "every listed file is there"

if command -v nm >/dev/null; then
	for library in lib/libbase.a monitor/libmonitor.a \
		analyzer/libanalyzer.a; do
		nm -A "$top_builddir/$library" 2>&1 || echo "$library: nm failed"
	done | grep -E ' U (__)?(v?printf|puts|putchar|perror|exit|abort|stdout|stderr|error|errx?|warnx?)(_chk)?$|: nm failed$' \
		>"$found"
	none "the libraries never print and never exit"

	# What a call leaves behind is in a context of its caller's, but for what
	# others call without one: the kernel with a signal, readline, libbpf.
	# libunwind has one space for all processes, since it keeps nothing of any.
	for library in lib/libbase.a monitor/libmonitor.a \
		analyzer/libanalyzer.a cpprof/libcli.a; do
		nm -f sysv "$top_builddir/$library" 2>/dev/null
	done | awk -F '|' '/\.o(:|\])/ {
			object = $0
			sub(".*a-", "", object)
			sub("\\.o.*", "", object)
		}
		NF == 7 { n++ }
		# not constants with addresses in them, nor what sanitizers add
		$7 ~ /^(\.t?data|\.t?bss|\*COM\*)/ && $7 !~ /\.rel\.ro/ &&
			$1 !~ /^(\.|__)/ {
			gsub(" |\\.[0-9]+ *$", "", $1)
			sub("^[a-z_]*\\.", "", $1) # the function, of clang
			print object, $1
		}
		END { if (n < 1000) print "no symbols were read" }' |
		grep -vE '^(interrupt (before|taken|came)|guard guarded|links refused|libunwind space_of_all|prompt aborting|complete (session|rows|words|found|next))$' \
			>"$found"
	none "no state is hidden in a variable of a file"

	# Nor do modules call each other in a circle, but for the parts of one:
	# the tables of a symbolizer, of pprof's files, and the commands, since
	# `run --shell' opens the shell, whose help knows all of them.
	find lib monitor analyzer cpprof -name '*.c' | sed 's/\.c$//' |
		sort >"$tmp/modules"
	(cd "$top_builddir" && find lib monitor analyzer cpprof -name '*.o' |
		xargs nm -AP) 2>/dev/null |
		sed 's/lib[a-z]*_a-//; s/\.o: / /' |
		awk 'NR == FNR { is[$1]; next }
			!($1 in is) { next }
			$3 == "U" { use[$1 " " $2]; next }
			$3 ~ /[A-Z]/ { def[$2] = $1 }
			END {
				for (u in use) {
					split(u, p, " ")
					if (p[2] in def)
						print p[1], def[p[2]]
				}
			}' "$tmp/modules" - |
		awk '$1 != $2' | sort -u >"$tmp/all_calls"
	grep '^monitor/' "$tmp/all_calls" >"$tmp/calls"
	goes_down "$tmp/calls" "calls in monitor/ lead to a lower floor"
	sed 's,symbol/table/plt\>,symbol/table/table,g
			s,/pprof_tables\>,/pprof,g
			s,cpprof/\(cmd\|shell\)/[a-z_]*,cpprof/commands,g
			s,cpprof/collect/collect\>,cpprof/commands,g' \
		"$tmp/all_calls" |
		awk '$1 != $2' | sort -u >"$tmp/calls"
	tsort "$tmp/calls" >/dev/null 2>"$found"
	[ "$(wc -l <"$tmp/calls")" -gt 500 ] || echo "no calls were read" >>"$found"
	none "modules call each other in no circle"
else
	skip 4 "nm is not installed"
fi

find lib monitor analyzer cpprof t -name '*.[ch]' -exec wc -l {} + |
	awk '$1 > 600 && $2 != "total"' >"$found"
none "no file is longer than 600 lines"

# Paths of a developer's machine have no place in the sources.
find . -name .git -prune -o -name autom4te.cache -prune -o -type f \
	\( -name '*.[ch]' -o -name '*.t' -o -name '*.sh' -o -name '*.mk' -o \
	-name '*.am' -o -name '*.ac' -o -name '*.[1-9]' -o -name README -o \
	-name NEWS -o -name bootstrap -o -path './.ci/run' \) -print |
	while read -r file; do
		grep -EnH '(^|[^a-zA-Z0-9_./*])/(home|root|work|Users)/[a-z]' \
			"$file"
	done >"$found"
none "no path of somebody's machine"

like "$(head -n 2 COPYING)" 'GNU GENERAL PUBLIC LICENSE' "COPYING is the licence"
like "$(cat README)" 'COPYING' "README names the licence"
version=$(sed -n 's/^AC_INIT(\[cpprof\], \[\(.*\)\])/\1/p' configure.ac)
like "$(cat NEWS)" "^cpprof $version[, ]*" "NEWS speaks of this version"
like "$(cat packaging/debian/changelog)" "^cpprof [(]$version-" \
	"so does Debian's package"
like "$(cat packaging/cpprof.spec)" "^Version: *$version\$" "and the RPM spec"
done_testing
