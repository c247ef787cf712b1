#!/bin/sh
# list --asm and disasm, for a program whose bytes are the same everywhere: the
# addresses and the instructions are those of its source, the figures are worked
# out by hand.
. "$(dirname "$0")/../lib/lib.sh"
. "$top_srcdir/t/lib/golden.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "instructions of x86-64"
needs as ld
cd "$tmp" || exit 99

cat >work.s <<'END'
	.globl work, leaf
	.type work, @function
work:
	push %rbp
	mov %rsp, %rbp
	xor %ecx, %ecx
again:
	call leaf
	add $1, %ecx
	cmp $1000, %ecx
	jne again
	pop %rbp
	ret
	.size work, . - work
	.p2align 4
	.type leaf, @function
leaf:
	lea (%rdi,%rdi,4), %rax
	ret
	.size leaf, . - leaf
END
# fixture FILE PROGRAM: of 100 ms leaf has 60, by the call; cmp has 30, jne 10
fixture() {
	printf '%s\n' 'function work 401000 401018' 'function leaf 401020 401025' \
		'stack 60 40100b 401020' 'stack 30 40100e' 'stack 10 401014' |
		"$top_builddir/t/lib/make_fixture" "$1" code "$2"
}
# The manual of the processor has the sizes: push 1, mov and xor 3 and 2, so
# `again' is at 6; call 5, add 3, cmp with 32 bits 6, jne 2, pop and ret 1 each:
# 0x18 bytes.  The next multiple of 16 is 0x20.
for debug in "" -g; do
	as $debug -o work.o work.s &&
		ld -Ttext=0x401000 -e work --build-id=none -o "work$debug" work.o &&
		fixture "code$debug" "$tmp/work$debug" || skip_all "as and ld do not work"
done
touch -d '2001-01-01' work.s

# on_terminal COLUMNS ARGS...: what cpprof prints there is on standard input, and
# no line is longer; wider lines have no more to say
on_terminal() {
	columns=$1
	shift
	cat >wanted
	NO_COLOR=1 TERM=xterm "$top_builddir/t/lib/pty" 200 "$columns" \
		"$cpprof" "$@" </dev/null 2>&1 | tr -d '\r' >out
	awk -v n="$columns" 'length > n { bad = 1; print "# " $0 }
		END { exit bad }' out
	ok $? "a terminal of $columns columns: $*: no line is longer"
	is "$(plain <out)" "$(cat wanted)" "... each line"
}

cat >wide <<'END'
Instructions of cpu: 100 ms in 100 samples
     total      self   address
  100.0 %    40.0 %  work  work
                     401000      pushq %rbp
                     401001      movq %rsp, %rbp
                     401004      xorl %ecx, %ecx
   60.0 %            401006      callq  leaf
                     40100b      addl $1, %ecx
   30.0 %    30.0 %  40100e      cmpl $0x3e8, %ecx
   10.0 %?   10.0 %? 401014      jne  0x401006
                     401016      popq %rbp
                     401017      retq
note: no debug information was found: no source lines
? rough: fewer than 20 samples stand behind it
END
on_terminal 80 list --asm work code <wide
on_terminal 200 list --asm work code <wide
is "$("$cpprof" shell -c 'disasm work' code | plain)" "$(cat wide)" \
	"disasm is the same"
on_terminal 40 list --asm work code <<'END'
Instructions of cpu: 100 ms in 100
  samples
    total     self   address
 100.0 %   40.0 %  work  work
                   401000  pushq %rbp
                   401001  movq %rsp,
                             %rbp
                   401004  xorl %ecx,
                             %ecx
  60.0 %           401006  callq  leaf
                   40100b  addl $1, %ecx
  30.0 %   30.0 %  40100e  cmpl $0x3e8,
                             %ecx
  10.0 %?  10.0 %? 401014  jne  0x401006
                   401016  popq %rbp
                   401017  retq
note: no debug information was found: no
  source lines
? rough: fewer than 20 samples stand
  behind it
END
for ask in 'list work' 'disasm work' info; do
	COLUMNS=40 "$cpprof" -c "$ask" code-g >narrow
	is "$(awk 'length > 40' narrow)" '' "$ask at 40 columns: no line is longer"
	is "$(tr -d ' \n' <narrow)" "$("$cpprof" -c "$ask" code-g | tr -d ' \n')" \
		"... and no word is cut"
	is "$("$cpprof" -c "set width 40; $ask" code-g)" "$(cat narrow)" \
		"... as by set width"
done
is "$("$cpprof" list code leaf)" "$("$cpprof" list leaf code)" \
	"the file may come first"
is "$("$cpprof" list --asm leaf code | plain)" \
	"Instructions of cpu: 100 ms in 100 samples
     total      self   address
   60.0 %    60.0 %  leaf  work
   60.0 %    60.0 %  401020      leaq (%rdi, %rdi, 4), %rax
                     401024      retq
note: no debug information was found: no source lines" \
	"what it calls is in its total, and nothing else in its self"

# Below the lines that they are from.
cat >wide <<'END'
Instructions of cpu: 100 ms in 100 samples
     total      self   address
  100.0 %    40.0 %  work  work-g
                      work.s:4        push %rbp
                     401000      pushq %rbp
                      work.s:5        mov %rsp, %rbp
                     401001      movq %rsp, %rbp
                      work.s:6        xor %ecx, %ecx
                     401004      xorl %ecx, %ecx
                      work.s:8        call leaf
   60.0 %            401006      callq  leaf
                      work.s:9        add $1, %ecx
                     40100b      addl $1, %ecx
                      work.s:10       cmp $1000, %ecx
   30.0 %    30.0 %  40100e      cmpl $0x3e8, %ecx
                      work.s:11       jne again
   10.0 %?   10.0 %? 401014      jne  0x401006
                      work.s:12       pop %rbp
                     401016      popq %rbp
                      work.s:13       ret
                     401017      retq
? rough: fewer than 20 samples stand behind it
END
on_terminal 80 list --asm work code-g <wide
on_terminal 200 list --asm work code-g <wide
on_terminal 40 list --asm leaf code-g <<'END'
Instructions of cpu: 100 ms in 100
  samples
    total     self   address
  60.0 %   60.0 %  leaf  work-g
  work.s:18       lea (%rdi,%rdi,4),
    %rax
  60.0 %   60.0 %  401020  leaq (%rdi,
                             %rdi, 4),
                             %rax
  work.s:19       ret
                   401024  retq
END

# A filter: those with leaf.  What is far from a figure is left out.
cat >wide <<'END'
Instructions of cpu: 100 ms in 100 samples
filters: contains leaf
kept: 60.0 % of the run, 60 ms, 60 hits in 60 samples
     total      self   address
   60.0 %            work  work
                     401000      pushq %rbp
                     401001      movq %rsp, %rbp
                     401004      xorl %ecx, %ecx
   60.0 %            401006      callq  leaf
                     40100b      addl $1, %ecx
                     40100e      cmpl $0x3e8, %ecx
                     401014      jne  0x401006
                     401016      popq %rbp
note: no debug information was found: no source lines
END
is "$("$cpprof" shell -c 'contains leaf; disasm work' code | plain)" "$(cat wide)" \
	"under a filter"
is "$("$cpprof" list --asm work code -f csv | cut -d , -f 5- | grep -v ',0,0,0$')" \
	'address,instruction,target,file,line,fraction,self_fraction,weight,self,samples
0x401006,"callq","leaf","",,0.60000,0.00000,60000,0,60
0x40100e,"cmpl $0x3e8, %ecx","","",,0.30000,0.30000,30000,30000,30
0x401014,"jne","0x401006","",,0.10000,0.10000,10000,10000,10' "CSV"

# Names and paths that a terminal has no room for.
folder=a_folder_with_a_long_name_so_that_a_terminal_has_no_room
program=$tmp/$folder/a_program_with_a_long_name_so_that_there_is_no_room
mkdir $folder && mv work-g "$program" && mv work.s $folder
fixture moved "$program"
for columns in 40 80; do
	for command in 'list --asm work' 'list work'; do
		# shellcheck disable=SC2086
		NO_COLOR=1 TERM=xterm "$top_builddir/t/lib/pty" 200 $columns \
			"$cpprof" $command moved </dev/null 2>/dev/null |
			tr -d '\r' >out
		awk -v n=$columns 'length > n { bad = 1; print "# " $0 }
			/^ +[0-9.]+ % .* work / { seen = 1 }
			END { exit bad || !seen }' out
		ok $? "a terminal of $columns columns, long names: $command"
		is "$(grep -c '\.\.\.$' out)" 0 "... of which no line is cut"
	done
done
done_testing
