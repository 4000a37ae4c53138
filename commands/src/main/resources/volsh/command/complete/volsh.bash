# bash completion for volsh: asks `volsh __complete`, so it knows commands, options and the volumes that exist now.
# Load it with:  source <(volsh completion bash)     or copy it to ~/.local/share/bash-completion/completions/volsh

_volsh() {
    COMPREPLY=()
    # bash splits words at : and = too; join them again, because volumes are written vol:/path and options --name=value.
    local words=() word='' rest=${COMP_LINE:0:COMP_POINT} i piece
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]}
        if [[ $i -gt 0 && $rest == [[:space:]]* ]]; then
            words+=("$word")
            word=''
            rest=${rest#"${rest%%[![:space:]]*}"}
        fi
        ((i == COMP_CWORD)) && piece=$rest
        word+=$piece
        rest=${rest#"$piece"}
    done
    # Quotes and backslashes are the shell's, not part of the words.
    words=("${words[@]:1}" "$word")
    for i in "${!words[@]}"; do
        piece=${words[i]}
        piece=${piece//[\"\'\\]/}
        words[i]=$piece
    done

    # bash replaces only what follows the last : or =, so that is all we may answer.
    local line candidate breaks='' cut='' current=${words[${#words[@]} - 1]}
    [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
    [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
    [[ -n $breaks && $current == *[$breaks]* ]] && cut=${current%"${current##*["$breaks"]}"}
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default 2>/dev/null
            continue
        fi
        candidate=${line%%$'\t'*}
        case $candidate in
            *: | */ | *=) compopt -o nospace 2>/dev/null ;;
        esac
        COMPREPLY+=("${candidate#"$cut"}")
    done < <(volsh __complete --shell bash -- "${words[@]}" 2>/dev/null)
}
complete -F _volsh volsh
