# bash completion for volsh: asks `volsh __complete`, so it knows commands, options and the volumes that exist now.
# Load it with:  source <(volsh completion bash)     or copy it to ~/.local/share/bash-completion/completions/volsh

# Writes a part of a word into $written so that it means exactly this behind the open quote $quote, or behind none.
_volsh_write() {
    local c i
    written=''
    case $quote in
        \')
            written=${1//\'/\'\\\'\'} ;;
        \")
            for ((i = 0; i < ${#1}; i++)); do
                c=${1:i:1}
                case $c in
                    [\\\"\$\`]) written+=\\$c ;;
                    !) written+="\"'!'\"" ;;      # history is expanded inside of double quotes
                    *) written+=$c ;;
                esac
            done ;;
        *)
            [[ -n $1 ]] && printf -v written %q "$1"
            written=${written//\\,/,} ;;
    esac
}

_volsh() {
    COMPREPLY=()
    # The words as the shell reads them, without expanding anything. bash replaces only what follows an open quote, or else
    # the last unquoted character of COMP_WORDBREAKS (volumes are written vol:/path, options --name=value): $cut is before it.
    local words=() word='' any='' quote='' cut='' raw='' rest=${COMP_LINE:0:COMP_POINT} i c
    for ((i = 0; i < ${#rest}; i++)); do
        c=${rest:i:1}
        if [[ $quote == \' && $c != \' ]]; then
            word+=$c raw+=$c
        elif [[ $c == \\ && ( -z $quote || ${rest:i+1:1} == [\\\"\$\`] ) ]]; then
            word+=${rest:i+1:1} raw+=${rest:i:2} any=1
            i=$((i + 1))
        elif [[ $c == "$quote" ]]; then
            quote='' cut=$word raw=''
        elif [[ -z $quote && $c == [\"\'] ]]; then
            quote=$c cut=$word raw='' any=1
        elif [[ -z $quote && $c == [[:space:]] ]]; then
            [[ -n $any ]] && words+=("$word")
            word='' any='' cut='' raw=''
        else
            word+=$c raw+=$c any=1
            [[ -z $quote && $COMP_WORDBREAKS == *"$c"* ]] && cut=$word raw=''
        fi
    done

    local line candidate candidates=() written quoted='' common
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default 2>/dev/null
            continue
        fi
        candidate=${line%%$'\t'*}
        case $candidate in
            *: | */ | *=) compopt -o nospace 2>/dev/null ;;
        esac
        candidates+=("$candidate")
        _volsh_write "${candidate#"$cut"}"
        [[ $written == "${candidate#"$cut"}" ]] || quoted=1
        COMPREPLY+=("$written")
    done < <(volsh __complete --shell bash -- "${words[@]:1}" "$word" 2>/dev/null)

    # bash inserts what all answers share, and would cut an escape in two: so what they share is found before they are quoted.
    if [[ -n $quoted && ${#candidates[@]} -gt 1 ]]; then
        common=${candidates[0]}
        for candidate in "${candidates[@]}"; do
            while [[ $candidate != "$common"* ]]; do common=${common%?}; done
        done
        if [[ ${#common} -gt ${#word} ]]; then
            compopt -o nospace 2>/dev/null
            _volsh_write "${common#"$cut"}"
            COMPREPLY=("$written")
            candidates=("$common/")
        else
            for i in "${!candidates[@]}"; do
                _volsh_write "${candidates[i]#"$word"}"
                COMPREPLY[i]=$raw$written
            done
            COMPREPLY+=(' ')      # nothing is shared: bash shows the answers, and leaves the line alone
        fi
    fi
    # A word that goes on: two answers keep bash from closing the quote.
    if [[ -n $quote && ${#candidates[@]} -eq 1 && ${candidates[0]} == *[:/=] ]]; then
        COMPREPLY+=("${COMPREPLY[0]} ")
    fi
}
complete -F _volsh volsh
