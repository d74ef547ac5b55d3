# Fish completion of visavis: asks the program for completions.
function __visavis_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    # Includes words after the cursor: they may be files whose fields are completed.
    visavis __complete (count $before) -- $before "$current" (commandline -op) 2>/dev/null | string sub -s 2
end
complete -c visavis -f -k -a "(__visavis_complete)"
