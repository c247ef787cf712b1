#!/bin/sh
# What a stranger does with an installed cpprof: profiles a program, reads the
# manual, has a name completed.  Says on standard error what did not work.
set -u
folder=$(mktemp -d) && cd "$folder" || exit 1
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C MANPAGER=cat
bad=0

# shows PATTERN COMMAND...: the command succeeds and prints a line like PATTERN
shows() {
	pattern=$1
	shift
	out=$("$@" 2>&1) && echo "$out" | grep -q -- "$pattern" && return
	printf '%s: no "%s" in:\n%s\n' "$*" "$pattern" "$out" >&2
	bad=1
}

cat >loop.c <<'END'
volatile unsigned long sum;

__attribute__((noinline)) static void add_up(void)
{
	for (unsigned long i = 0; i < 300000000; i++)
		sum += i;
}

int main(void)
{
	add_up();
	return 0;
}
END
cc -O2 -g -o loop loop.c || exit 1
shows '^cpprof [0-9]' cpprof --version
shows 'libbpf *yes' cpprof --version
shows . cpprof run -- ./loop
shows 'add_up' cpprof report
shows 'add_up' cpprof list add_up
mkdir -p "image$PWD" && cp loop "image$PWD/" && strip loop
shows . cpprof run -o bare -- ./loop
shows 'addresses have a name' cpprof symbolize --sysroot=image -o named bare
shows 'add_up' cpprof report named
shows 'books balance' cpprof info
shows '<html' cpprof export -f html -o -
for page in cpprof cpprof-run cpprof-report cpprofdata cpprof-tutorial; do
	shows '^NAME' man $page
done
shows '^report$' bash -c '. /usr/share/bash-completion/bash_completion
	_completion_loader cpprof || _comp_load cpprof
	COMP_LINE="cpprof repo" COMP_POINT=11 COMP_WORDS=(cpprof repo) COMP_CWORD=1
	$(complete -p cpprof | sed "s/.*-F \([^ ]*\).*/\1/") cpprof repo cpprof
	printf "%s\n" "${COMPREPLY[@]% }"'
shows '^report' fish -c 'complete -C "cpprof repo"'
shows '_cpprof' zsh -c 'autoload -Uz compinit && compinit -D && echo $_comps[cpprof]'
exit $bad
