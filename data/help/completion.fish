function __mistro_complete
    set -l words (commandline -opc)
    # As it is meant: fish itself quotes what it puts in its place.
    set -l token (commandline -ct | string replace -r '^["\']' '' | string replace -ra '\\\\(.)' '$1')
    set -e words[1]
    for line in (mistro completion words -- $words "$token" 2>/dev/null </dev/null)
        set -l parts (string split \t -- $line)
        if not string match -q ':*' -- $line
            echo $line
            continue
        end
        set -l rest (string sub -s (math $parts[2] + 1) -- "$token")
        set -l paths (test $parts[1] = :files; and __fish_complete_path "$rest"; or __fish_complete_directories "$rest")
        for path in $paths
            echo (string sub -l $parts[2] -- "$token")$path
        end
    end
end
complete -c mistro -k -f -a '(__mistro_complete)'
