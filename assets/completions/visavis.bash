# Bash completion of visavis: asks the program for completions.
_visavis() {
    # Bash also splits words at `:` and `=`; joins words that have no blank between them.
    local line value before word i words=() rest="$COMP_LINE"
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if ((i == 0)) || [[ "$rest" == [[:space:]]* || -z "$rest" ]]; then
            words+=( "$word" )
        else
            words[${#words[@]} - 1]+="$word"
        fi
        rest="${rest#"${rest%%[![:space:]]*}"}"
        rest="${rest#"$word"}"
    done
    i=$((${#words[@]} - 1))
    word="${words[i]}"
    # The part of the word that bash keeps; completions replace the rest.
    before="${word%"$2"}"
    local quote="${word:0:1}"
    [[ "$quote" == [\'\"] ]] && word="${word:1}"
    words[i]="${word//\\/}"
    COMPREPLY=()
    while IFS= read -r line; do
        value="${line:1}"
        value="${value%%$'\t'*}"
        [[ "$quote" == [\'\"] ]] || value="${value#"${before//\\/}"}"
        # Values are quoted: names come from files, and the shell must not run them.
        case "$quote" in
            \') value="${value//\'/\'\\\'\'}" ;;
            \") value="$(printf %s "$value" | sed 's/[\\$`"]/\\&/g')" ;;
            *) printf -v value %q "$value" ;;
        esac
        [[ "$2" == "~/"* ]] && value="${value#\\}"
        COMPREPLY+=( "$value" )
        [[ "$line" == +* ]] && compopt -o nospace 2>/dev/null
    done < <("$1" __complete "$i" -- "${words[@]}" "${COMP_WORDS[@]:COMP_CWORD+1}" 2>/dev/null)
}
complete -F _visavis visavis
