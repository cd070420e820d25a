# Names of sections, keys, anchors and the like: folio knows them.
_folio_ask() {
    local folio=folio answer
    if [[ $1 == */folio && -x $1 ]]; then
        folio=$1
    fi
    answer=$(command "$folio" @WORD@ bash "$COMP_TYPE" "$2" \
        "${COMP_LINE:0:COMP_POINT}" "${COMP_LINE:COMP_POINT}" 2>/dev/null </dev/null)
    case $? in
        0)
            COMPREPLY=()
            compopt +o default +o bashdefault 2>/dev/null
            if [[ -n $answer ]]; then
                mapfile -t COMPREPLY <<<"$answer"
            fi
            # A directory goes on.
            if [[ $answer == */ ]]; then
                compopt -o nospace 2>/dev/null
            fi
            ;;
        3)
            COMPREPLY=()
            compopt -o filenames 2>/dev/null
            ;;
        *)
            local name=${1##*/}
            if [[ $name == folio-* ]]; then
                COMP_WORDS=(folio "${name#folio-}" "${COMP_WORDS[@]:1}")
                COMP_CWORD=$((COMP_CWORD + 1))
                _folio folio "$2" "$3"
            else
                _folio "$@"
            fi
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _folio_ask -o nosort -o bashdefault -o default folio @LINKS@
fi
