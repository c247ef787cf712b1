# What the commands of the shell print, in golden transcripts: source it after
# lib.sh.

# import NAME: of the folded stacks on standard input
import() {
	cat >"$1.folded"
	"$cpprof" import -q --from=folded -o "$1" "$1.folded" || exit 99
}

# plain: without the lines that say what the file is, blank ones, the places of
# functions, and the note on recursion
plain() {
	sed -e '/^samples 1 000/d' -e '/^  what was consumed in all/d' \
		-e '/^wall not known/d' -e '/^ *$/d' -e '/^\* recursion: /d' \
		-e 's/ *\[folded\]$//' -e 's/ (fold off)$//' -e 's/^---*$/--/'
}

# figures: the lines with some; narrow ones have their columns closer together
figures() {
	plain | grep ' %' | grep -v '^kept: ' | tr -s ' '
}

# transcript FILE COMMANDS: at 80 columns they print what is on standard input, and
# at no width is a line longer than that
transcript() {
	cat >wanted
	for columns in 40 80 200; do
		COLUMNS=$columns "$cpprof" shell -c "$2" "$1" >out.$columns 2>&1
		awk -v n="$columns" 'length > n { bad = 1; print "# " $0 }
			END { exit bad }' out.$columns
		ok $? "$1, $columns columns: $2: no line is longer"
	done
	is "$(plain <out.80)" "$(cat wanted)" "$1, each line: $2"
}

# golden FILE COMMANDS: the same, and on narrower and wider terminals other lines
# flow, and the figures are the same
golden() {
	transcript "$@"
	for columns in 40 200; do
		is "$(figures <out.$columns)" "$(figures <wanted)" \
			"$1, $columns columns: $2"
	done
}
