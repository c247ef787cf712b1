# bash completion for cpprof.  The program itself says what a word may become, see
# cpprof/cmd/complete.c in its sources.
#
# Names come from profiles, and so from whoever built the programs in them.
# Bash never expands a name: words are read line by line and compared
# literally; compgen -W, which expands its words, gets none of them.  What is
# put on the command line is quoted the way that the word there began.

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

# Offers WORD, which begins with $typed; $replaced is the part of it that readline
# puts the offers in place of.
_cpprof_offer()
{
	local REPLY

	[[ $1 == "$typed"* ]] || return
	_cpprof_quoted "${1:${#typed}}"
	COMPREPLY+=("$replaced$REPLY")
	[[ $1 != *= ]] || compopt -o nospace 2>/dev/null
}

_cpprof_offer_files()
{
	local line

	compopt -o filenames 2>/dev/null
	[[ $typed != --*=* ]] || typed=${typed#*=}
	if [[ $typed == "$replaced" && -z $quote ]]; then
		# bash quotes
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY \
			< <(compgen -f -- "$typed")
		return
	fi
	while IFS= read -r line; do
		[[ $line == "$typed"* ]] || continue
		COMPREPLY+=("${line:${#typed}-${#replaced}}")
	done < <(compgen -f -- "$typed")
}

_cpprof()
{
	local words quote typed replaced=$2 program line

	_cpprof_cut "${COMP_LINE:0:COMP_POINT}"
	COMPREPLY=()
	# The cursor may be behind a quote that begins the word.
	[[ -z $quote ]] || replaced=${replaced#"$quote"}
	program=${words[0]/#~\//"$HOME/"}
	typed=${words[-1]}
	while IFS= read -r line; do
		case $line in
		:files) _cpprof_offer_files ;;
		:commands)
			while IFS= read -r line; do
				_cpprof_offer "$line"
			done < <(compgen -c -- "$typed")
			;;
		:pids)
			while read -r line; do
				_cpprof_offer "$line"
			done < <(ps -e -o pid= 2>/dev/null)
			;;
		*) _cpprof_offer "${line%%$'\t'*}" ;;
		esac
	done < <("$program" --complete -- "${words[@]:1}" 2>/dev/null)
}

complete -F _cpprof cpprof
