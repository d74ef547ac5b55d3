# Bash completion of visavis: the program itself says what can stand at the cursor.
_visavis() {
    local line value words=( "${COMP_WORDS[@]}" )
    words[COMP_CWORD]="${2//\\/}"
    COMPREPLY=()
    while IFS= read -r line; do
        value="${line:1}"
        value="${value%%$'\t'*}"
        # A name in a file is text and nothing that a shell runs.
        printf -v value %q "$value"
        [[ "$2" == "~/"* ]] && value="${value#\\}"
        COMPREPLY+=( "$value" )
        [[ "$line" == +* ]] && compopt -o nospace 2>/dev/null
    done < <("$1" __complete "$COMP_CWORD" -- "${words[@]}" 2>/dev/null)
}
complete -F _visavis visavis
