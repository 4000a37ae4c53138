# fish completion for volsh: asks `volsh __complete`, so it knows commands, options and the volumes that exist now.
# Load it with:  volsh completion fish | source     or copy it to ~/.config/fish/completions/volsh.fish

function __volsh_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    # The word as the shell reads it: without its quotes, of which one may be open.
    set -l current (string unescape -- $typed; or string unescape -- $typed\"; or string unescape -- $typed\'; or echo -- $typed)
    for line in (volsh __complete --shell fish -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo -- $line
        end
    end
end

complete -c volsh -f -a '(__volsh_complete)'
