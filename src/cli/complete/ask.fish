# Names of sections, keys, anchors and the like: folio knows them. fish hides
# what stands behind the cursor.
function __folio_ask
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l folio folio
    if string match -q '*/folio' -- $before[1]; and test -x $before[1]
        set folio $before[1]
    end
    command -q $folio; or return
    command $folio @WORD@ fish (count $before) $before "$current" 2>/dev/null </dev/null
end

complete -c folio -n "__fish_folio_needs_command" -f -a help -d 'Print the help of a command or topic'
complete -c folio -n "__fish_folio_using_subcommand help schema man" -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand undo" -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand collection" -k -a '(__folio_ask)'
complete -c folio -n "string match -q '@*' -- (commandline -ct)" -k -a '(__folio_ask)'
complete -c folio -n "string match -q '*#*' -- (commandline -ct)" -k -a '(__folio_ask)'
