# Names of sections, keys, anchors and the like: folio knows them.
_folio() {
    local folio=folio answer line value how
    local -a lines named opened
    if [[ $words[1] == */folio && -x $words[1] ]]; then
        folio=$words[1]
    fi
    if answer=$(command "$folio" @WORD@ zsh $((CURRENT - 1)) "${(@Q)words}" 2>/dev/null </dev/null)
    then
        lines=("${(@f)answer}")
        if [[ -n $lines[1] ]]; then
            compset -P "${(b)lines[1]}"
        fi
        for line in "${(@)lines[2,-1]}"; do
            value=${${line%%$'\t'*}//\\/\\\\}
            # A directory goes on.
            if [[ $value == */ ]]; then
                opened+=("${value//:/\\:}:${line#*$'\t'}")
            else
                named+=("${value//:/\\:}:${line#*$'\t'}")
            fi
        done
        # As typed; else in whatever case; else in the middle.
        for how in '' 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' \
            'm:{[:lower:][:upper:]}={[:upper:][:lower:]} l:|=* r:|=*'; do
            _describe -V -t names 'name' named -M "$how" -- opened -M "$how" -S '' && break
        done
        return
    fi
    if [[ ${words[1]:t} == folio-* ]]; then
        words=(folio "${${words[1]:t}#folio-}" "${(@)words[2,-1]}")
        (( CURRENT += 1 ))
    fi
    _folio_flags "$@"
}

if [ "$funcstack[1]" = "_folio" ]; then
    _folio "$@"
else
    compdef _folio folio @LINKS@
fi
