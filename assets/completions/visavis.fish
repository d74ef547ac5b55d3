# Fish completion of visavis: asks the program for completions.
function __visavis_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    # Words after the cursor may be files, whose fields are offered.
    visavis __complete (count $before) -- $before "$current" (commandline -op) 2>/dev/null | string sub -s 2
end
complete -c visavis -f -k -a "(__visavis_complete)"
