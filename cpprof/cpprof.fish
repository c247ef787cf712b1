# Completion for fish.  Subcommands, options and what they do come from the
# program's own --help; nothing is read from a profile.

function __cpprof_subcommands
    cpprof --help 2>/dev/null | string replace -rf '^  (?!cpprof )([a-z]+) +(.*)' '$1\t$2'
end

# The subcommand of the line, if it is one.
function __cpprof_subcommand
    set -l words (commandline -opc)
    set -q words[2]
    and contains -- $words[2] (__cpprof_subcommands | string replace -r '\t.*' '')
    and echo $words[2]
end

function __cpprof_options
    set -l sub (__cpprof_subcommand)
    or return
    cpprof $sub --help 2>/dev/null |
        string replace -rf '^ +(?:-., +)?(--[a-z-]+)(=?)\S* +(.*)' '$1$2\t$3'
end

complete -c cpprof -n 'not __cpprof_subcommand >/dev/null' -a '(__cpprof_subcommands)'
complete -c cpprof -n '__cpprof_subcommand >/dev/null; and string match -q -- "-*" (commandline -ct)' -f -a '(__cpprof_options)'
complete -c cpprof -n 'test (__cpprof_subcommand) = help 2>/dev/null' -f -a '(__cpprof_subcommands) tutorial'
complete -c cpprof -n 'test (__cpprof_subcommand) = attach 2>/dev/null' -f -a '(__fish_complete_pids)'
complete -c cpprof -n 'test (__cpprof_subcommand) = run 2>/dev/null' -a '(__fish_complete_command)'
