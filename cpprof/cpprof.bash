# bash completion for cpprof: subcommands, their options, what can be profiled
# here, what a file has, and the commands to be run.  All of it is asked of the
# program itself.

# Options as `cpprof SUBCOMMAND --help' lists them; those with a value end in =.
_cpprof_options()
{
	"$1" ${2:+"$2"} --help 2>/dev/null | sed -n \
		's/^ *\(-., *\)\{0,1\}\(--[a-z-]*\)\(\[\{0,1\}=\)\{0,1\}.*/\2\3/p' |
		sed 's/\[=$//'
}

# The rows of `cpprof resources --all', less those that stand for many names.
_cpprof_resources()
{
	"$1" resources --all 2>/dev/null |
		sed -n '2,/^$/s/^\([^ /]*[^N /]\) .*/\1/p'
}

# What profile FILE is about.
_cpprof_in_file()
{
	"$1" info -- "$2" 2>/dev/null | sed -n 's/^resource \([^ ]*\) .*/\1/p'
}

_cpprof_functions()
{
	"$1" report --function --threshold=0 -- "$2" 2>/dev/null |
		sed -n 's/^[01]\.[0-9]* \(.*\) \[[0-9]*\]$/\1/p'
}

# The last of a list with commas is completed, the others stay.
_cpprof_last_of_list()
{
	local list= word=$1

	case $word in
	*,*)
		list=${word%,*},
		word=${word##*,}
		;;
	esac
	COMPREPLY=($(compgen -P "$list" -W "$2" -- "$word"))
	compopt -o nospace 2>/dev/null
}

_cpprof_value()
{
	local program=$1 subcommand=$2 option=$3 word=$4 file=$5 IFS=$' \t\n'

	case $option in
	-r | --resource)
		case $subcommand in
		run | attach)
			_cpprof_last_of_list "$word" \
				"$(_cpprof_resources "$program")"
			;;
		*)
			_cpprof_last_of_list "$word" \
				"$(_cpprof_in_file "$program" "$file")"
			;;
		esac
		;;
	-d | --down | -u | --up | --contains | --then)
		IFS=$'\n'
		COMPREPLY=($(compgen -W "$(
			_cpprof_functions "$program" "$file")" -- "$word"))
		;;
	--timer)
		COMPREPLY=($(compgen -W "auto kernel stop" -- "$word"))
		;;
	--unwinder)
		COMPREPLY=($(compgen -W "auto fast libunwind fp" -- "$word"))
		;;
	-f | --format)
		COMPREPLY=($(compgen -W "$("$program" "$subcommand" --help |
			sed -n 's/.*--format=FORMAT *\(.*\)/\1/p' |
			sed 's/:.*//; s/(default)//; s/ or / /; s/,//g')" -- "$word"))
		;;
	-o | --output)
		COMPREPLY=($(compgen -f -- "$word"))
		compopt -o filenames 2>/dev/null
		;;
	*) return 1 ;;
	esac
	return 0
}

_cpprof()
{
	local program=${COMP_WORDS[0]} word previous subcommand= file=cpprofdata
	local i line=() IFS=$' \t\n'

	# --option=value is three words to bash, as a rule
	word=${COMP_WORDS[COMP_CWORD]}
	previous=${COMP_WORDS[COMP_CWORD - 1]}
	if [[ $word == = ]]; then
		word=
	elif [[ $previous == = ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			[[ $subcommand == run ]] || break
			COMPREPLY=($((i + 1 == COMP_CWORD ? 1 : 0)))
			if [[ ${COMPREPLY[0]} == 1 ]]; then
				COMPREPLY=($(compgen -c -- "$word"))
			else
				COMPREPLY=($(compgen -f -- "$word"))
				compopt -o filenames 2>/dev/null
			fi
			return
			;;
		-*) ;;
		*)
			[[ -n $subcommand ]] || subcommand=${COMP_WORDS[i]}
			[[ ! -f ${COMP_WORDS[i]} ]] || file=${COMP_WORDS[i]}
			;;
		esac
	done
	_cpprof_value "$program" "$subcommand" "$previous" "$word" "$file" &&
		return
	case $subcommand:$word in
	*:-*)
		COMPREPLY=($(compgen -W "$(_cpprof_options "$program" \
			"$subcommand")" -- "$word"))
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
		;;
	:* | help:*)
		COMPREPLY=($(compgen -W "run attach shell report export merge
			info resources help" -- "$word"))
		[[ -n $subcommand ]] || COMPREPLY+=($(compgen -f -- "$word"))
		;;
	resources:*)
		COMPREPLY=($(compgen -W "$(_cpprof_resources "$program")" -- \
			"$word"))
		;;
	run:*)
		COMPREPLY=($(compgen -c -- "$word"))
		;;
	attach:*)
		COMPREPLY=($(compgen -W "$(ps -e -o pid= 2>/dev/null)" -- \
			"$word"))
		;;
	*)
		COMPREPLY=($(compgen -f -- "$word"))
		compopt -o filenames 2>/dev/null
		;;
	esac
}

complete -F _cpprof cpprof
