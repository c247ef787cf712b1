# bash completion for cpprof: subcommands, their options, what can be profiled
# here, what a file has, and the commands to be run.  All of it is asked of the
# program itself.
#
# Names come from profiles, and so from whoever built the programs in them.
# Bash never expands a name: words are read line by line and compared
# literally; compgen -W, which expands its words, gets none of them.  What is
# put on the command line is quoted the way that the word there began.

# Options as `cpprof SUBCOMMAND --help' lists them; those with a value end in =.
_cpprof_options()
{
	"$program" ${1:+"$1"} --help 2>/dev/null | sed -n \
		's/^ *\(-., *\)\{0,1\}\(--[a-z-]*\)\(\[\{0,1\}=\)\{0,1\}.*/\2\3/p' |
		sed 's/\[=$//'
}

# The values that the line of an option in the help lists: "auto, a or b".
_cpprof_choices()
{
	"$program" "$1" --help 2>/dev/null |
		sed -n "s/^.*$2=[A-Z]* *\\(.*\\)/\\1/p" |
		sed 's/:.*//; s/([^)]*)//g; s/ or /\n/g; s/,/\n/g' |
		sed 's/^ *//; s/ *$//'
}

# The rows of `cpprof resources --all', less those that stand for many names.
_cpprof_resources()
{
	"$program" resources --all 2>/dev/null |
		sed -n '2,/^$/s/^\([^ /]*[^N /]\) .*/\1/p'
}

# What profile $file is about.
_cpprof_in_file()
{
	"$program" info -- "$file" 2>/dev/null |
		sed -n 's/^resource \([^ ]*\) .*/\1/p'
}

_cpprof_functions()
{
	"$program" report --format=paper --function --threshold=0 -- "$file" 2>/dev/null |
		sed -n 's/^[01]\.[0-9]* \(.*\) \[[0-9]*\]$/\1/p' | sort -u
}

_cpprof_modules()
{
	"$program" report --function --group=module --threshold=0 -- "$file" \
		2>/dev/null |
		sed -n 's/^[01]\.[0-9]* \(.*\) \[[0-9]*\]$/\1/p' | sort -u
}

# Cuts LINE, up to the cursor, as bash would, but expands nothing: $words with
# the quoting taken off, and of the last one $quote, the quote that it is in.
_cpprof_cut()
{
	local line=$1 word= begun= i c

	words=() quote=
	for ((i = 0; i < ${#line}; i++)); do
		c=${line:i:1}
		if [[ $quote == "'" && $c != "'" ]]; then
			word+=$c
		elif [[ $quote == '"' && $c != [\"\\] ]]; then
			word+=$c
		elif [[ $quote == '"' && $c == \\ &&
			${line:i+1:1} != [\"\\\$\`] ]]; then
			word+=$c
		elif [[ $c == \\ ]]; then
			((++i))
			word+=${line:i:1} begun=1
		elif [[ $c == "$quote" ]]; then
			quote=
		elif [[ $c == [\'\"] ]]; then
			quote=$c begun=1
		elif [[ $c == [$' \t\n'] ]]; then
			[[ -z $begun ]] || words+=("$word")
			word= begun=
		else
			word+=$c begun=1
		fi
	done
	words+=("$word")
}

# TEXT as it has to stand behind what the user has typed.
_cpprof_quoted()
{
	local text=$1

	case $quote in
	\')
		text=${text//\'/\'\\\'\'}
		;;
	\")
		text=${text//\\/\\\\}
		text=${text//\"/\\\"}
		text=${text//\$/\\\$}
		text=${text//\`/\\\`}
		text=${text//\!/\"\'!\'\"}
		;;
	*)
		[[ -z $text ]] || printf -v text %q "$text"
		;;
	esac
	# readline closes no quote behind one
	[[ -z $quote || $text != *"$quote" ]] || text+=$quote
	REPLY=$text
}

# Offers those lines of standard input that begin with $typed, behind PREFIX;
# $replaced is the part of the word that readline puts them in place of.
_cpprof_offer()
{
	local line REPLY

	while IFS= read -r line; do
		[[ -n $line && $1$line == "$typed"* ]] || continue
		line=$1$line
		_cpprof_quoted "${line:${#typed}}"
		COMPREPLY+=("$replaced$REPLY")
	done
}

_cpprof_offer_files()
{
	local line

	compopt -o filenames 2>/dev/null
	if [[ $typed == "$replaced" && -z $quote ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$typed") # bash quotes
		return
	fi
	while IFS= read -r line; do
		[[ $line == "$typed"* ]] || continue
		COMPREPLY+=("${line:${#typed}-${#replaced}}")
	done < <(compgen -f -- "$typed")
}

_cpprof_offer_commands()
{
	_cpprof_offer "" < <(compgen -c -- "$typed")
}

# The last of a list with commas is completed, the others stay.
_cpprof_offer_last()
{
	local list=

	[[ $typed != *,* ]] || list=${typed%,*},
	compopt -o nospace 2>/dev/null
	_cpprof_offer "$list"
}

# The value of an option; false where it has none to choose from.
_cpprof_value()
{
	case $1 in
	-r | --resource)
		case $subcommand in
		run | attach)
			_cpprof_offer_last < <(_cpprof_resources)
			;;
		*)
			_cpprof_offer_last < <(_cpprof_in_file)
			;;
		esac
		;;
	-d | --down | -u | --up | --contains | --then | --without | \
		--elide | --why)
		_cpprof_offer "" < <(_cpprof_functions)
		;;
	-F | --function) # of report it has no value
		[[ $subcommand == callgraph ]] || return 1
		_cpprof_offer "" < <(_cpprof_functions)
		;;
	-s | --source-path)
		[[ $subcommand == list ]] || return 1
		_cpprof_offer_files
		;;
	--timer | --unwinder)
		_cpprof_offer "" < <(_cpprof_choices "$subcommand" "$1")
		;;
	--group)
		_cpprof_offer "" < <(printf '%s\n' module file thread process)
		;;
	--names)
		_cpprof_offer "" < <(printf '%s\n' short full)
		;;
	--module)
		_cpprof_offer "" < <(_cpprof_modules)
		;;
	-f | --format | --from)
		[[ $subcommand == import ]] && i=--from || i=--format
		_cpprof_offer "" < <(_cpprof_choices "$subcommand" $i)
		;;
	-o | --output)
		_cpprof_offer_files
		;;
	*) return 1 ;;
	esac
	return 0
}

# What stands behind the `--' of `run', word $1 of the line: a command.
_cpprof_command()
{
	if ((${#words[@]} == $1 + 2)); then
		_cpprof_offer_commands
	else
		_cpprof_offer_files
	fi
}

_cpprof()
{
	local words quote typed replaced=$2 program subcommand= file=cpprofdata
	local previous i operands=0

	_cpprof_cut "${COMP_LINE:0:COMP_POINT}"
	COMPREPLY=()
	# The cursor may be behind a quote that begins the word.
	[[ -z $quote ]] || replaced=${replaced#"$quote"}
	program=${words[0]/#~\//"$HOME/"}
	typed=${words[-1]}
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		case ${words[i]} in
		--)
			[[ $subcommand == run ]] || break
			_cpprof_command $i
			return
			;;
		-*) ;;
		*)
			[[ -n $subcommand ]] || subcommand=${words[i]}
			((++operands))
			[[ ! -f ${words[i]/#~\//"$HOME/"} ]] ||
				file=${words[i]/#~\//"$HOME/"}
			;;
		esac
	done
	previous=${words[-2]-}
	if [[ $typed == --*=* ]]; then
		previous=${typed%%=*}
		typed=${typed#*=}
	fi
	_cpprof_value "$previous" && return
	case $subcommand:$typed in
	*:-*)
		_cpprof_offer "" < <(_cpprof_options "$subcommand")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
		;;
	:* | help:*)
		_cpprof_offer "" < <(printf '%s\n' run attach shell report \
			advise callgraph list diff export import merge info resources help)
		[[ -n $subcommand ]] ||
			_cpprof_offer "" < <(compgen -f -- "$typed")
		;;
	resources:*)
		_cpprof_offer "" < <(_cpprof_resources)
		;;
	run:*)
		_cpprof_offer_commands
		;;
	list:*)
		if ((operands > 1)); then
			_cpprof_offer_files
		else
			_cpprof_offer "" < <(_cpprof_functions)
		fi
		;;
	attach:*)
		_cpprof_offer "" < <(ps -e -o pid= 2>/dev/null | tr -d ' ')
		;;
	*)
		_cpprof_offer_files
		;;
	esac
}

complete -F _cpprof cpprof
