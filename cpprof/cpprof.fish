# Completion for fish.  The program itself says what a word may become, see
# cpprof/cmd/complete.c in its sources.

function __cpprof_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    # quotes that are not closed yet are none of the word
    for line in (cpprof --complete -- $words[2..-1] (string trim -l -c '"\'' -- $typed) 2>/dev/null)
        switch $line
            case :files
                set -l option (string match -r -- '^--[a-z-]+=' $typed)
                printf "$option%s\n" (__fish_complete_path (string replace -- "$option" '' $typed))
            case :commands
                __fish_complete_command
            case :pids
                __fish_complete_pids
            case '*'
                echo $line
        end
    end
end

complete -c cpprof -f -a '(__cpprof_complete)'
