# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_folio_global_optspecs
    string join \n list install= h/help V/version
end

function __fish_folio_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_folio_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_folio_using_subcommand
    set -l cmd (__fish_folio_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c folio -n "__fish_folio_needs_command" -l install -d 'Make links named folio-COMMAND to this binary in DIR' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_needs_command" -l list -d 'Print the names of the commands'
complete -c folio -n "__fish_folio_needs_command" -s h -l help -d 'Print help'
complete -c folio -n "__fish_folio_needs_command" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_needs_command" -f -a "inspect" -d 'Show the outline of files: headings, code blocks, sections, anchors'
complete -c folio -n "__fish_folio_needs_command" -f -a "read" -d 'Print a part of a file: lines, a section, a code block, a key, to the next match'
complete -c folio -n "__fish_folio_needs_command" -f -a "grep" -d 'Search files for lines that match; tell the sections they stand in'
complete -c folio -n "__fish_folio_needs_command" -f -a "patch" -d 'Edit a part of a file: replace, insert, delete, move, rename, and more'
complete -c folio -n "__fish_folio_needs_command" -f -a "edit" -d 'Edit a part of a file in your editor'
complete -c folio -n "__fish_folio_needs_command" -f -a "undo" -d 'Take back what patch wrote, and nothing else'
complete -c folio -n "__fish_folio_needs_command" -f -a "redo" -d 'Bring back what undo took back'
complete -c folio -n "__fish_folio_needs_command" -f -a "list" -d 'List directories, or draw them as a tree'
complete -c folio -n "__fish_folio_needs_command" -f -a "links" -d 'Find links and #anchors of Markdown documents that lead nowhere'
complete -c folio -n "__fish_folio_needs_command" -f -a "search" -d 'Find the sections that answer a question, in its words or in others'
complete -c folio -n "__fish_folio_needs_command" -f -a "related" -d 'Find sections about the same as a document, or as lines of it'
complete -c folio -n "__fish_folio_needs_command" -f -a "collection" -d 'Give directories of documents names, for search and addresses'
complete -c folio -n "__fish_folio_needs_command" -f -a "mcp" -d 'Serve tools to clients of the Model Context Protocol'
complete -c folio -n "__fish_folio_needs_command" -f -a "call" -d 'Call one of these tools from a shell'
complete -c folio -n "__fish_folio_needs_command" -f -a "schema" -d 'Print the JSON Schema of what a command prints or takes'
complete -c folio -n "__fish_folio_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c folio -n "__fish_folio_needs_command" -f -a "man" -d 'Show or print a manual page'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l mode -d 'What to show' -r -f -a "structure\t'The outline'
search\t'Lines that hold the query'
lines\t'Lines by number'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l query -d 'What to search for, or which lines to show' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -s C -l context -d 'Lines to show around each hit' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l only -d 'Only these parts of the structure' -r -f -a "headings\t'Headings'
code\t'Code blocks'
tables\t'Tables'
front-matter\t'Front matter'
anchors\t'Explicit anchors'
sections\t'Log entries, INI sections, blank groups, comment blocks'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l max-level -d 'Leave out headings of deeper levels' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l depth-budget -d 'Print as many levels as fit this many tokens (bytes / 4): directories, then titles, then headings level by level' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l section-pattern -d 'Lines that begin a section, in place of ^\\[LOG-' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l matching -d 'Parts whose names match: headings, entries\' lines, INI sections, keys' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l path -d 'Parts whose names, behind those of the sections around them, match: \'^Guide > Install\'' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l level -d 'Headings of these levels: 2, 2-3, 2-' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l kind -d 'Parts of these kinds' -r -f -a "section\t'Headings, log entries and INI sections (the default)'
heading\t'Headings with their sections'
entry\t'Log entries'
marker\t'INI sections'
key\t'Keys of INI files and of front matter'
code\t'Fenced code blocks'
table\t'Tables'
front-matter\t'Front matter'
file\t'Whole files'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l lang -d 'Code blocks in this language' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l having -d 'Parts with a section below them, or a key in them, whose name matches' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l not-having -d 'Parts without one' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l containing -d 'Parts with a line that matches, from their first line to their last, all sections below included; not in code blocks and HTML comments' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l lacking -d 'Parts without such a line' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l with-key -d 'Parts of files with this key in their front matter, and a value that matches; alone: these files' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l without-key -d 'Parts of Markdown files without this key; alone: these files' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l since -d 'Entries and headings whose line names this time or a later one: 2026-01-05, \'2026-01-05 10:00\'' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l until -d 'Entries and headings whose line names this time or an earlier one; a day is all of it' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l nth -d 'The Nth part in each file, from 1' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -s g -l glob -d 'Only files whose path matches the glob; !GLOB leaves out' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -s t -l type -d 'Only files of this type (md, rust, …)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l as -d 'Take documents for this kind of text instead of detecting it' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
ini\t'Sections behind markers, with keys'
log\t'Entries that begin with [LOG-'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l encoding -d 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l max-tokens -d 'Print at most so many tokens (bytes / 4), whole lines, and say where it goes on' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l offset -d 'How many lines of the answer to leave out before it' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l hyperlink-format -d 'On a terminal, make names of files links: none, file, vscode … or a URL with {path}' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l regex -d 'Take the query as a regular expression'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s O -l outline -d 'Headings only'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l flat -d 'Headings as one list, not as a tree'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l tokens -d 'Tell the size of each section in tokens (bytes / 4)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l checksum -d 'Tell the checksum of each file (16 digits of its SHA-256)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l anchors -d 'Print the anchor of each heading behind it, as links name it'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l breadcrumbs -d 'Name the headings above behind each name: in Guide > Install'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l include-code -d 'Let --containing and --lacking look in code blocks too'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l include-comments -d 'Let them look in HTML comments too'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l innermost -d 'Of selected parts that hold one another only the innermost'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l repeated -d 'Parts whose name another part that is selected in the file has too'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l first -d 'The first part in each file'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l last -d 'The last part in each file'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l across -d 'Take all files together for --repeated, --first, --last and --nth'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s l -l files-with-matches -d 'Of selected parts print only the names of their files'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s c -l count -d 'Of selected parts print how many each file has'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l tree -d 'Draw a tree as on a terminal, in a pipe too'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s p -l pretty -d 'The same with colours, for a pager'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s 0 -l null -d 'Records as ADDRESS NUL TEXT NUL, for any file name'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s F -l fixed-strings -d 'Take the pattern as literal text'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s i -l ignore-case -d 'Match letters of either case'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s s -l case-sensitive -d 'Match letters of the same case only (the default)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s S -l smart-case -d 'Ignore case unless the pattern holds a capital letter'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s w -l word-regexp -d 'Match whole words only'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s x -l line-regexp -d 'Match whole lines only'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s a -l binary -d 'Take files that hold NUL bytes for text too'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l no-config -d 'Take nothing from folio.toml and the user\'s configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand read" -l from -d 'Start at this line; of a code block or table, at this line of the file' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l to-next -d 'End before the next line that matches' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l limit -d 'End after this many lines, of the lines of the address where it names several' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l head -d 'The first lines' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l tail -d 'The last lines' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l lines -d 'Lines: 10, 10-50, 10-; to read also several: 50-60,100-110' -r
complete -c folio -n "__fish_folio_using_subcommand read" -s s -l section -d 'A heading with its body, an INI section, a log entry; also \'Guide > Install\', \'Setup[2]\'; to read, several' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l body -d 'The same without its first line' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l heading -d 'As --section; to edit, the line of the heading itself' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l code-block -d 'What stands between the fences of a code block, counted from 0; LANG:N counts one language' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l table -d 'A table, counted from 0' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l anchor -d 'What #ID leads to' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -s T -l text -d 'A text, perhaps in the section of --section; to read, the first line that holds it' -r
complete -c folio -n "__fish_folio_using_subcommand read" -s e -l pattern -d 'What a regular expression matches within a line; to read, the first such line' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l target -d 'A target as JSON: {"heading":"## Install"}' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l in -d 'Look for the target in this section only' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l key -d 'A key of the INI section or front matter' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l section-pattern -d 'Lines that begin a section, in place of ^\\[LOG-' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l search -d 'Short for --text STRING -C 5' -r
complete -c folio -n "__fish_folio_using_subcommand read" -s C -l context -d 'Lines to print around a match' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l addresses-from -d 'Read the addresses that begin the lines of a file, or stand in its JSON Lines (- for standard input)' -r -F
complete -c folio -n "__fish_folio_using_subcommand read" -l batch -d 'Read what JSON Lines or a JSON array ask for: {"address":…} or {"filePath":…,"target":…}' -r -F
complete -c folio -n "__fish_folio_using_subcommand read" -l matching -d 'Parts whose names match: headings, entries\' lines, INI sections, keys' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l level -d 'Headings of these levels: 2, 2-3, 2-' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l kind -d 'Parts of these kinds' -r -f -a "section\t'Headings, log entries and INI sections (the default)'
heading\t'Headings with their sections'
entry\t'Log entries'
marker\t'INI sections'
key\t'Keys of INI files and of front matter'
code\t'Fenced code blocks'
table\t'Tables'
front-matter\t'Front matter'
file\t'Whole files'"
complete -c folio -n "__fish_folio_using_subcommand read" -l lang -d 'Code blocks in this language' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l having -d 'Parts with a section below them, or a key in them, whose name matches' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l not-having -d 'Parts without one' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l containing -d 'Parts with a line that matches, from their first line to their last, all sections below included; not in code blocks and HTML comments' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l lacking -d 'Parts without such a line' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l with-key -d 'Parts of files with this key in their front matter, and a value that matches; alone: these files' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l without-key -d 'Parts of Markdown files without this key; alone: these files' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l since -d 'Entries and headings whose line names this time or a later one: 2026-01-05, \'2026-01-05 10:00\'' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l until -d 'Entries and headings whose line names this time or an earlier one; a day is all of it' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l nth -d 'The Nth part in each file, from 1' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l glob -d 'Select only in files whose path matches the glob (!GLOB leaves out; repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l type -d 'Select only in files of this type (repeatable)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l max-lines -d 'Cut a part after this many lines' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l max-bytes -d 'Cut a part after this many bytes, between lines' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l max-tokens -d 'Cut what is read, all parts together, after this many tokens of 4 bytes, between lines; line numbers and ==> heads are not counted' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l as -d 'Take documents for this kind of text instead of detecting it' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
ini\t'Sections behind markers, with keys'
log\t'Entries that begin with [LOG-'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand read" -l encoding -d 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand read" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand read" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand read" -l path -d 'Parts whose names, behind those of the sections around them, match: \'^Guide > Install\'' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l to-section-end -d 'End with the innermost section that holds the first line'
complete -c folio -n "__fish_folio_using_subcommand read" -l outside-code -d 'Let --to-next pass over code blocks'
complete -c folio -n "__fish_folio_using_subcommand read" -l outside-comments -d 'Let --to-next pass over HTML comments of Markdown'
complete -c folio -n "__fish_folio_using_subcommand read" -s W -l section-context -d 'The whole innermost section that holds the line'
complete -c folio -n "__fish_folio_using_subcommand read" -l front-matter -d 'Front matter'
complete -c folio -n "__fish_folio_using_subcommand read" -l no-children -d 'Leave out the sections below a heading'
complete -c folio -n "__fish_folio_using_subcommand read" -l value -d 'The value of the key alone'
complete -c folio -n "__fish_folio_using_subcommand read" -l fences -d 'The fences of the code block too'
complete -c folio -n "__fish_folio_using_subcommand read" -s 0 -l null -d 'The lines of --addresses-from end with NUL: ADDRESS NUL TEXT NUL'
complete -c folio -n "__fish_folio_using_subcommand read" -l include-code -d 'Let --containing and --lacking look in code blocks too'
complete -c folio -n "__fish_folio_using_subcommand read" -l include-comments -d 'Let them look in HTML comments too'
complete -c folio -n "__fish_folio_using_subcommand read" -l innermost -d 'Of selected parts that hold one another only the innermost'
complete -c folio -n "__fish_folio_using_subcommand read" -l repeated -d 'Parts whose name another part that is selected in the file has too'
complete -c folio -n "__fish_folio_using_subcommand read" -l first -d 'The first part in each file'
complete -c folio -n "__fish_folio_using_subcommand read" -l last -d 'The last part in each file'
complete -c folio -n "__fish_folio_using_subcommand read" -l across -d 'Take all files together for --repeated, --first, --last and --nth'
complete -c folio -n "__fish_folio_using_subcommand read" -s n -l number -d 'Number the lines'
complete -c folio -n "__fish_folio_using_subcommand read" -l no-headers -d 'Print no addresses before several parts'
complete -c folio -n "__fish_folio_using_subcommand read" -l breadcrumbs -d 'Print only where parts stand: the section\'s address and the headings above; in JSON, add them (--path without a pattern is the same)'
complete -c folio -n "__fish_folio_using_subcommand read" -l show-whitespace -d 'Show tabs, line ends, no-break and zero-width characters, the BOM'
complete -c folio -n "__fish_folio_using_subcommand read" -l checksum -d 'Print only the checksum and address of each part; in JSON, add the file\'s checksum'
complete -c folio -n "__fish_folio_using_subcommand read" -l raw -d 'Print the file\'s bytes as they are, UTF-16 too'
complete -c folio -n "__fish_folio_using_subcommand read" -l no-total -d 'Do not read on to count the file\'s lines'
complete -c folio -n "__fish_folio_using_subcommand read" -s F -l fixed-strings -d 'Take the pattern as literal text'
complete -c folio -n "__fish_folio_using_subcommand read" -s i -l ignore-case -d 'Match letters of either case'
complete -c folio -n "__fish_folio_using_subcommand read" -s S -l smart-case -d 'Ignore case unless the pattern holds a capital letter'
complete -c folio -n "__fish_folio_using_subcommand read" -s w -l word-regexp -d 'Match whole words only'
complete -c folio -n "__fish_folio_using_subcommand read" -s x -l line-regexp -d 'Match whole lines only'
complete -c folio -n "__fish_folio_using_subcommand read" -s a -l binary -d 'Take files that hold NUL bytes for text too'
complete -c folio -n "__fish_folio_using_subcommand read" -l no-config -d 'Take nothing from folio.toml and the user\'s configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand read" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand read" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand read" -l case-sensitive -d 'Match letters of the same case only (the default)'
complete -c folio -n "__fish_folio_using_subcommand read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand read" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand grep" -l style -d 'How hits are told; blocks have section hints' -r -f -a "lines\t'A hit a line'
blocks\t'A hit a block: file, line and section end, then the line'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l section-pattern -d 'Lines that begin a section, in place of all others; repeatable' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l in -d 'Only hits in the section of this name; a section may be named as for read' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l as -d 'Take documents for this kind of text instead of detecting it' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
ini\t'Sections behind markers, with keys'
log\t'Entries that begin with [LOG-'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l matching -d 'Parts whose names match: headings, entries\' lines, INI sections, keys' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l path -d 'Parts whose names, behind those of the sections around them, match: \'^Guide > Install\'' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l level -d 'Headings of these levels: 2, 2-3, 2-' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l kind -d 'Parts of these kinds' -r -f -a "section\t'Headings, log entries and INI sections (the default)'
heading\t'Headings with their sections'
entry\t'Log entries'
marker\t'INI sections'
key\t'Keys of INI files and of front matter'
code\t'Fenced code blocks'
table\t'Tables'
front-matter\t'Front matter'
file\t'Whole files'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l lang -d 'Code blocks in this language' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l having -d 'Parts with a section below them, or a key in them, whose name matches' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l not-having -d 'Parts without one' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l containing -d 'Parts with a line that matches, from their first line to their last, all sections below included; not in code blocks and HTML comments' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l lacking -d 'Parts without such a line' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l with-key -d 'Parts of files with this key in their front matter, and a value that matches; alone: these files' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l without-key -d 'Parts of Markdown files without this key; alone: these files' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l since -d 'Entries and headings whose line names this time or a later one: 2026-01-05, \'2026-01-05 10:00\'' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l until -d 'Entries and headings whose line names this time or an earlier one; a day is all of it' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l nth -d 'The Nth part in each file, from 1' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s e -l regexp -d 'A pattern; repeatable, any may match' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s f -l file -d 'Patterns from a file, one a line; - is standard input' -r -F
complete -c folio -n "__fish_folio_using_subcommand grep" -s r -l replace -d 'Show this in place of matches, $1 and ${name} for groups; no file changes' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s M -l max-columns -d 'Leave out lines that are longer, in bytes' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l context-separator -d 'What stands between lines that do not follow one another, in place of --' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l field-match-separator -d 'What stands behind the fields of a hit, in place of :' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l field-context-separator -d 'What stands behind the fields of a line of context, in place of -' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l hyperlink-format -d 'On a terminal, make names of files links: none, file, vscode … or a URL with {path}' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s A -l after-context -d 'Lines to show after each hit' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s B -l before-context -d 'Lines to show before each hit' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s C -l context -d 'Lines to show before and after each hit' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s m -l max-count -d 'Stop after so many hits in each file' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l max-total -d 'Stop after so many hits in all files, in order' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s g -l glob -d 'Only files whose path matches the glob; !GLOB leaves out' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l iglob -d 'The same, for names in either case' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s t -l type -d 'Only files of this type (md, rust, ...)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s T -l type-not -d 'No files of this type' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l type-add -d 'A glob of a type that is known or new: NAME:GLOB, NAME:include:OTHER' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l type-clear -d 'Forget the globs of a type' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-file -d 'A further file of ignore rules, which come after all others' -r -F
complete -c folio -n "__fish_folio_using_subcommand grep" -s d -l max-depth -d 'Go no deeper into directories' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l max-filesize -d 'Search no larger files in directories: bytes, or with K, M or G' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l sort -d 'In which order files are printed' -r -f -a "none\t'As by path'
path\t'By path'
modified\t'By the time of the last change, oldest first'
accessed\t'By the time of the last access'
created\t'By the time of creation'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l sortr -d 'The same, last first' -r -f -a "none\t'As by path'
path\t'By path'
modified\t'By the time of the last change, oldest first'
accessed\t'By the time of the last access'
created\t'By the time of creation'"
complete -c folio -n "__fish_folio_using_subcommand grep" -s j -l threads -d 'How many threads search; 0 lets folio choose' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s E -l encoding -d 'Take documents for text in this encoding (utf-8, utf-16le, latin1, ...)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l max-tokens -d 'Print at most so many tokens (bytes / 4), whole lines, and say where it goes on' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l offset -d 'How many lines of the answer to leave out before it' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand grep" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand grep" -s k -l section-hints -d 'Tell hits as addresses that go to the end of their sections'
complete -c folio -n "__fish_folio_using_subcommand grep" -s W -l section-context -d 'Show the whole section of each hit, once'
complete -c folio -n "__fish_folio_using_subcommand grep" -l outside-code -d 'Only hits that are not in code blocks'
complete -c folio -n "__fish_folio_using_subcommand grep" -l outside-comments -d 'Only hits that are not in HTML comments of Markdown'
complete -c folio -n "__fish_folio_using_subcommand grep" -l only-code -d 'Only hits in code blocks, fences included'
complete -c folio -n "__fish_folio_using_subcommand grep" -l include-code -d 'Let --containing and --lacking look in code blocks too'
complete -c folio -n "__fish_folio_using_subcommand grep" -l include-comments -d 'Let them look in HTML comments too'
complete -c folio -n "__fish_folio_using_subcommand grep" -l innermost -d 'Of selected parts that hold one another only the innermost'
complete -c folio -n "__fish_folio_using_subcommand grep" -l repeated -d 'Parts whose name another part that is selected in the file has too'
complete -c folio -n "__fish_folio_using_subcommand grep" -l first -d 'The first part in each file'
complete -c folio -n "__fish_folio_using_subcommand grep" -l last -d 'The last part in each file'
complete -c folio -n "__fish_folio_using_subcommand grep" -l across -d 'Take all files together for --repeated, --first, --last and --nth'
complete -c folio -n "__fish_folio_using_subcommand grep" -s F -l fixed-strings -d 'Take the pattern as literal text'
complete -c folio -n "__fish_folio_using_subcommand grep" -s i -l ignore-case -d 'Match letters of either case'
complete -c folio -n "__fish_folio_using_subcommand grep" -s s -l case-sensitive -d 'Match letters of the same case only (the default)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s S -l smart-case -d 'Ignore case unless the pattern holds a capital letter'
complete -c folio -n "__fish_folio_using_subcommand grep" -s w -l word-regexp -d 'Match whole words only'
complete -c folio -n "__fish_folio_using_subcommand grep" -s x -l line-regexp -d 'Match whole lines only'
complete -c folio -n "__fish_folio_using_subcommand grep" -s v -l invert-match -d 'Lines that do not match'
complete -c folio -n "__fish_folio_using_subcommand grep" -s U -l multiline -d 'Let matches go on over lines'
complete -c folio -n "__fish_folio_using_subcommand grep" -l multiline-dotall -d 'Let . match line ends too'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-unicode -d 'Let classes such as \\\\w hold ASCII characters only'
complete -c folio -n "__fish_folio_using_subcommand grep" -s c -l count -d 'Tell how many lines match, with -o how many matches there are'
complete -c folio -n "__fish_folio_using_subcommand grep" -l count-matches -d 'Print how many matches there are'
complete -c folio -n "__fish_folio_using_subcommand grep" -l include-zero -d 'With these two, count files without a match too'
complete -c folio -n "__fish_folio_using_subcommand grep" -s l -l files-with-matches -d 'Tell only the names of files with a match'
complete -c folio -n "__fish_folio_using_subcommand grep" -l files-without-match -d 'Tell only the names of files without a match'
complete -c folio -n "__fish_folio_using_subcommand grep" -s o -l only-matching -d 'Tell only what matches, not its line; --json counts matches then, not lines'
complete -c folio -n "__fish_folio_using_subcommand grep" -s q -l quiet -d 'Tell nothing; the exit status says whether something matches'
complete -c folio -n "__fish_folio_using_subcommand grep" -s n -l line-number -d 'Print line numbers (the default)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s N -l no-line-number -d 'Print no line numbers'
complete -c folio -n "__fish_folio_using_subcommand grep" -s H -l with-filename -d 'Print the names of files (the default for several)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s I -l no-filename -d 'Print no names of files'
complete -c folio -n "__fish_folio_using_subcommand grep" -l heading -d 'Print the name of a file above its hits (the default on a terminal)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-heading -d 'Print it in each line'
complete -c folio -n "__fish_folio_using_subcommand grep" -s p -l pretty -d 'For a pager: --color always --heading'
complete -c folio -n "__fish_folio_using_subcommand grep" -l column -d 'Print the column of the first match, in bytes from 1'
complete -c folio -n "__fish_folio_using_subcommand grep" -s b -l byte-offset -d 'Print the offset of the line in its file, with -o that of the match'
complete -c folio -n "__fish_folio_using_subcommand grep" -l vimgrep -d 'A match a line, with line and column, for editors'
complete -c folio -n "__fish_folio_using_subcommand grep" -l show-whitespace -d 'Show tabs, line ends, no-break and zero-width characters, the BOM'
complete -c folio -n "__fish_folio_using_subcommand grep" -l breadcrumbs -d 'Name the sections around each hit before its text'
complete -c folio -n "__fish_folio_using_subcommand grep" -l trim -d 'Leave out white space before the text of lines'
complete -c folio -n "__fish_folio_using_subcommand grep" -l max-columns-preview -d 'Show the beginning of such lines'
complete -c folio -n "__fish_folio_using_subcommand grep" -l passthru -l passthrough -d 'Print all other lines too, as context'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-context-separator -d 'Nothing stands between them'
complete -c folio -n "__fish_folio_using_subcommand grep" -l line-buffered -d 'Print each hit as soon as it is found, for pipes that go on'
complete -c folio -n "__fish_folio_using_subcommand grep" -l stop-on-nonmatch -d 'Leave a file where a line behind a hit is none'
complete -c folio -n "__fish_folio_using_subcommand grep" -l totals -d 'Count on after --max-count and --max-total, so that the totals are true'
complete -c folio -n "__fish_folio_using_subcommand grep" -l stats -d 'Tell at the end what was searched and found'
complete -c folio -n "__fish_folio_using_subcommand grep" -s 0 -l null -d 'A NUL behind file names; with -k behind addresses and texts'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-messages -d 'Print no errors about files; the exit status still tells of them'
complete -c folio -n "__fish_folio_using_subcommand grep" -l glob-case-insensitive -d 'Take all globs for names in either case'
complete -c folio -n "__fish_folio_using_subcommand grep" -l type-list -d 'Print the types of files and their globs'
complete -c folio -n "__fish_folio_using_subcommand grep" -l files -d 'Print the names of the files that would be searched'
complete -c folio -n "__fish_folio_using_subcommand grep" -s . -l hidden -d 'Search hidden files and directories too'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore -d 'Search what ignore files leave out too'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-dot -d 'Do not read .ignore and .rgignore'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-exclude -d 'Do not read .git/info/exclude'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-files -d 'Do not read what --ignore-file names'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-global -d 'Do not read the ignore file that is git\'s for all of your repositories'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-parent -d 'Do not read ignore files in directories above'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-vcs -d 'Do not read the ignore files of git'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-require-git -d 'Let .gitignore hold outside of repositories too'
complete -c folio -n "__fish_folio_using_subcommand grep" -s u -l unrestricted -d '-u: --no-ignore, -uu: --hidden too, -uuu: --binary too'
complete -c folio -n "__fish_folio_using_subcommand grep" -l binary -d 'Search binary files like those that are named'
complete -c folio -n "__fish_folio_using_subcommand grep" -s L -l follow -d 'Follow symbolic links'
complete -c folio -n "__fish_folio_using_subcommand grep" -l one-file-system -d 'Do not go into directories of other file systems'
complete -c folio -n "__fish_folio_using_subcommand grep" -s R -l recursive -d 'Accepted: directories are always searched as a whole'
complete -c folio -n "__fish_folio_using_subcommand grep" -s a -l text -d 'Take binary files for text'
complete -c folio -n "__fish_folio_using_subcommand grep" -l null-data -d 'Lines end in NUL'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-config -d 'Take nothing from folio.toml and the user\'s configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand grep" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand grep" -l block-buffered
complete -c folio -n "__fish_folio_using_subcommand grep" -l crlf
complete -c folio -n "__fish_folio_using_subcommand grep" -l mmap
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-auto-hybrid-regex
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-messages
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-mmap
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-pcre2
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-pre
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-search-zip
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-sort-files
complete -c folio -n "__fish_folio_using_subcommand grep" -l sort-files
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-dot
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-exclude
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-files
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-global
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-messages
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-parent
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-vcs
complete -c folio -n "__fish_folio_using_subcommand grep" -l messages
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-binary
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-block-buffered
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-byte-offset
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-column
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-encoding
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-fixed-strings
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-follow
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-glob-case-insensitive
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-hidden
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-include-zero
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-invert-match
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-json
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-line-buffered
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-max-columns-preview
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-multiline
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-multiline-dotall
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-one-file-system
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-stats
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-text
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-trim
complete -c folio -n "__fish_folio_using_subcommand grep" -l require-git
complete -c folio -n "__fish_folio_using_subcommand grep" -l unicode
complete -c folio -n "__fish_folio_using_subcommand grep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand grep" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand patch" -l lines -d 'Lines: 10, 10-50, 10-; to read also several: 50-60,100-110' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s s -l section -d 'A heading with its body, an INI section, a log entry; also \'Guide > Install\', \'Setup[2]\'; to read, several' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l body -d 'The same without its first line' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l heading -d 'As --section; to edit, the line of the heading itself' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l code-block -d 'What stands between the fences of a code block, counted from 0; LANG:N counts one language' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l table -d 'A table, counted from 0' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l anchor -d 'What #ID leads to' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -s T -l text -d 'A text, perhaps in the section of --section; to read, the first line that holds it' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s e -l pattern -d 'What a regular expression matches within a line; to read, the first such line' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l target -d 'A target as JSON: {"heading":"## Install"}' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l in -d 'Look for the target in this section only' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l key -d 'A key of the INI section or front matter' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l section-pattern -d 'Lines that begin a section, in place of ^\\[LOG-' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l matching -d 'Parts whose names match: headings, entries\' lines, INI sections, keys' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l path -d 'Parts whose names, behind those of the sections around them, match: \'^Guide > Install\'' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l level -d 'Headings of these levels: 2, 2-3, 2-' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l kind -d 'Parts of these kinds' -r -f -a "section\t'Headings, log entries and INI sections (the default)'
heading\t'Headings with their sections'
entry\t'Log entries'
marker\t'INI sections'
key\t'Keys of INI files and of front matter'
code\t'Fenced code blocks'
table\t'Tables'
front-matter\t'Front matter'
file\t'Whole files'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l lang -d 'Code blocks in this language' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l having -d 'Parts with a section below them, or a key in them, whose name matches' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l not-having -d 'Parts without one' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l containing -d 'Parts with a line that matches, from their first line to their last, all sections below included; not in code blocks and HTML comments' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l lacking -d 'Parts without such a line' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l with-key -d 'Parts of files with this key in their front matter, and a value that matches; alone: these files' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l without-key -d 'Parts of Markdown files without this key; alone: these files' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l since -d 'Entries and headings whose line names this time or a later one: 2026-01-05, \'2026-01-05 10:00\'' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l until -d 'Entries and headings whose line names this time or an earlier one; a day is all of it' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l nth -d 'The Nth part in each file, from 1' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s c -l content -d 'What to put in' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s f -l content-file -d 'Put in what a file holds (- for standard input)' -r -F
complete -c folio -n "__fish_folio_using_subcommand patch" -l set -d 'Fill {{NAME}} in the content' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l to -d 'Where move and copy put the part: FILE, FILE:12, FILE#anchor' -r -F
complete -c folio -n "__fish_folio_using_subcommand patch" -l links-in -d 'The same only in these documents, or those below a directory (repeatable)' -r -F
complete -c folio -n "__fish_folio_using_subcommand patch" -l occurrence -d 'Which matches: first, last, all, or a number from 1' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l expect -d 'Refuse unless there are this many matches, or parts that conditions select' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s g -l glob -d 'Below directories, take only files that the glob names (!GLOB leaves out; repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s t -l type -d 'Below directories, take only files of this type (repeatable)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l if-match -d 'Refuse unless the file\'s SHA-256 begins with this (12 to 64 digits)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l if-range-match -d 'Refuse unless the part\'s SHA-256 begins with this' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l max-delete -d 'Refuse to take away more lines than this (200)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l backup -d 'Keep the old file beside the new one: x.md.bak, or x.md.bak.1 where that is taken' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l as -d 'Take documents for this kind of text instead of detecting it' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
ini\t'Sections behind markers, with keys'
log\t'Entries that begin with [LOG-'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l encoding -d 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand patch" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l front-matter -d 'Front matter'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-children -d 'Leave out the sections below a heading'
complete -c folio -n "__fish_folio_using_subcommand patch" -l value -d 'The value of the key alone'
complete -c folio -n "__fish_folio_using_subcommand patch" -l fences -d 'The fences of the code block too'
complete -c folio -n "__fish_folio_using_subcommand patch" -l include-code -d 'Let --containing and --lacking look in code blocks too'
complete -c folio -n "__fish_folio_using_subcommand patch" -l include-comments -d 'Let them look in HTML comments too'
complete -c folio -n "__fish_folio_using_subcommand patch" -l innermost -d 'Of selected parts that hold one another only the innermost'
complete -c folio -n "__fish_folio_using_subcommand patch" -l repeated -d 'Parts whose name another part that is selected in the file has too'
complete -c folio -n "__fish_folio_using_subcommand patch" -l first -d 'The first part in each file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l last -d 'The last part in each file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l across -d 'Take all files together for --repeated, --first, --last and --nth'
complete -c folio -n "__fish_folio_using_subcommand patch" -l whole-file -d 'The whole file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l before -d 'Before the part'
complete -c folio -n "__fish_folio_using_subcommand patch" -l after -d 'After the part'
complete -c folio -n "__fish_folio_using_subcommand patch" -l links -d 'Keep links right that the edit would break, in the whole repository'
complete -c folio -n "__fish_folio_using_subcommand patch" -l preserve-indent -d 'Give content that brings no indentation that of the part\'s first line (the default)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-preserve-indent -d 'Take content as it is indented'
complete -c folio -n "__fish_folio_using_subcommand patch" -l exact -d 'Take parts and content with just the blank lines and the indentation that they have'
complete -c folio -n "__fish_folio_using_subcommand patch" -l unique -d 'Refuse if there are several matches'
complete -c folio -n "__fish_folio_using_subcommand patch" -l ignore-whitespace -d 'Take any run of blanks for any other'
complete -c folio -n "__fish_folio_using_subcommand patch" -l normalize-unicode -d 'Take quotes, dashes and accents for equal however they are spelt'
complete -c folio -n "__fish_folio_using_subcommand patch" -l outside-code -d 'Pass over matches in code blocks'
complete -c folio -n "__fish_folio_using_subcommand patch" -l outside-comments -d 'Pass over matches in HTML comments of Markdown'
complete -c folio -n "__fish_folio_using_subcommand patch" -s U -l multiline -d 'Let the pattern match over several lines'
complete -c folio -n "__fish_folio_using_subcommand patch" -l expand -d 'Fill $1 and ${name} in the content from the pattern\'s groups'
complete -c folio -n "__fish_folio_using_subcommand patch" -l force -d 'Do it though the structure changes elsewhere, or more lines go than --max-delete'
complete -c folio -n "__fish_folio_using_subcommand patch" -s d -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c folio -n "__fish_folio_using_subcommand patch" -l check -d 'Write nothing; exit 1 if something would change; with --diff, show what'
complete -c folio -n "__fish_folio_using_subcommand patch" -l diff -d 'Print what changed as a diff'
complete -c folio -n "__fish_folio_using_subcommand patch" -l preview -d 'In JSON, add the lines before and after'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-preview -d 'Take --preview back, as aliases do'
complete -c folio -n "__fish_folio_using_subcommand patch" -l in-place -d 'Write into the file itself, where another cannot take its place (hard links, bind mounts)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l keep-going -d 'Edit the other files though one fails; each is a transaction of its own'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-undo -d 'Do not remember how to take it back'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-sync -d 'Do not wait until the disk has it'
complete -c folio -n "__fish_folio_using_subcommand patch" -l checksum -d 'Tell the checksums of the file before and after'
complete -c folio -n "__fish_folio_using_subcommand patch" -s F -l fixed-strings -d 'Take the pattern as literal text'
complete -c folio -n "__fish_folio_using_subcommand patch" -s i -l ignore-case -d 'Match letters of either case'
complete -c folio -n "__fish_folio_using_subcommand patch" -s S -l smart-case -d 'Ignore case unless the pattern holds a capital letter'
complete -c folio -n "__fish_folio_using_subcommand patch" -s w -l word-regexp -d 'Match whole words only'
complete -c folio -n "__fish_folio_using_subcommand patch" -s x -l line-regexp -d 'Match whole lines only'
complete -c folio -n "__fish_folio_using_subcommand patch" -s a -l binary -d 'Take files that hold NUL bytes for text too'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-config -d 'Take nothing from folio.toml and the user\'s configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand patch" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand patch" -l case-sensitive -d 'Match letters of the same case only (the default)'
complete -c folio -n "__fish_folio_using_subcommand patch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand patch" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand edit" -l lines -d 'Lines: 10, 10-50, 10-; to read also several: 50-60,100-110' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -s s -l section -d 'A heading with its body, an INI section, a log entry; also \'Guide > Install\', \'Setup[2]\'; to read, several' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l body -d 'The same without its first line' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l heading -d 'As --section; to edit, the line of the heading itself' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l code-block -d 'What stands between the fences of a code block, counted from 0; LANG:N counts one language' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l table -d 'A table, counted from 0' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l anchor -d 'What #ID leads to' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -s T -l text -d 'A text, perhaps in the section of --section; to read, the first line that holds it' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -s e -l pattern -d 'What a regular expression matches within a line; to read, the first such line' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l target -d 'A target as JSON: {"heading":"## Install"}' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l in -d 'Look for the target in this section only' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l key -d 'A key of the INI section or front matter' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l section-pattern -d 'Lines that begin a section, in place of ^\\[LOG-' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l backup -d 'Keep the old file beside the new one: x.md.bak, or x.md.bak.1 where that is taken' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l as -d 'Take documents for this kind of text instead of detecting it' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
ini\t'Sections behind markers, with keys'
log\t'Entries that begin with [LOG-'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand edit" -l encoding -d 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand edit" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand edit" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand edit" -l front-matter -d 'Front matter'
complete -c folio -n "__fish_folio_using_subcommand edit" -l no-children -d 'Leave out the sections below a heading'
complete -c folio -n "__fish_folio_using_subcommand edit" -l value -d 'The value of the key alone'
complete -c folio -n "__fish_folio_using_subcommand edit" -l fences -d 'The fences of the code block too'
complete -c folio -n "__fish_folio_using_subcommand edit" -l diff -d 'Print what changed as a diff'
complete -c folio -n "__fish_folio_using_subcommand edit" -l in-place -d 'Write into the file itself, where another cannot take its place (hard links, bind mounts)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l no-undo -d 'Do not remember how to take it back'
complete -c folio -n "__fish_folio_using_subcommand edit" -s a -l binary -d 'Take files that hold NUL bytes for text too'
complete -c folio -n "__fish_folio_using_subcommand edit" -l no-config -d 'Take nothing from folio.toml and the user\'s configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand edit" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand edit" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand undo" -l show -d 'Show what a patch did, as a diff' -r
complete -c folio -n "__fish_folio_using_subcommand undo" -l forget -d 'Leave a patch as it is: take it out of the history, and change no file' -r
complete -c folio -n "__fish_folio_using_subcommand undo" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand undo" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand undo" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand undo" -s d -l dry-run -l diff -d 'Print what would be taken back as a diff, and write nothing'
complete -c folio -n "__fish_folio_using_subcommand undo" -l any -d 'Take back the last patch wherever it was, or list all'
complete -c folio -n "__fish_folio_using_subcommand undo" -l list -d 'Show what can be taken back, newest first'
complete -c folio -n "__fish_folio_using_subcommand undo" -l redo -d 'Bring back what was taken back last, as folio redo does'
complete -c folio -n "__fish_folio_using_subcommand undo" -l recover -d 'Put in order what runs left that were cut off'
complete -c folio -n "__fish_folio_using_subcommand undo" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand undo" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand undo" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand redo" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand redo" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand redo" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand redo" -s d -l dry-run -l diff -d 'Print what would be brought back as a diff, and write nothing'
complete -c folio -n "__fish_folio_using_subcommand redo" -l any -d 'Bring back what was taken back last, wherever it was'
complete -c folio -n "__fish_folio_using_subcommand redo" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand redo" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand redo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand redo" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand list" -l mode -d 'What to show' -r -f -a "list\t'Entries, each by its path'
tree\t'Directories and how many children they have'"
complete -c folio -n "__fish_folio_using_subcommand list" -s d -l depth -l max-depth -d 'How deep to go: 1, the default, is the directory itself' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l limit -d 'The most entries to print; 0, the default, for all' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l offset -d 'How many entries to leave out before them' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l max-tokens -d 'Print at most so many tokens (bytes / 4), whole entries, and say where it goes on' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l sort -d 'The order; in a tree that of the entries of each directory' -r -f -a "name\t'By the bytes of their names'
size\t'The largest files first'
modified\t'What was changed last first'"
complete -c folio -n "__fish_folio_using_subcommand list" -s e -l extension -d 'Only files with these extensions (md, .md, tar.gz)' -r
complete -c folio -n "__fish_folio_using_subcommand list" -s g -l glob -d 'Only entries whose path matches the glob; !GLOB leaves out' -r
complete -c folio -n "__fish_folio_using_subcommand list" -s E -l exclude -d 'Leave out entries whose path matches the glob, and what is below them' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand list" -l hyperlink-format -d 'On a terminal, make names of files links: none, file, vscode … or a URL with {path}' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand list" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand list" -l tree -d 'Draw all of it: short for --mode tree --files --recursive'
complete -c folio -n "__fish_folio_using_subcommand list" -l files -d 'Draw files in the tree too'
complete -c folio -n "__fish_folio_using_subcommand list" -s R -s r -l recursive -d 'Go as deep as there are directories, or as --depth says'
complete -c folio -n "__fish_folio_using_subcommand list" -s l -l details -d 'Show kind, size, time of change and number of children'
complete -c folio -n "__fish_folio_using_subcommand list" -l titles -d 'Show titles of documents: the heading of level 1, that in front matter, or the top heading'
complete -c folio -n "__fish_folio_using_subcommand list" -s I -l no-ignore -d 'List what ignore files leave out too'
complete -c folio -n "__fish_folio_using_subcommand list" -s H -s a -s . -l hidden -l all -d 'List hidden entries too'
complete -c folio -n "__fish_folio_using_subcommand list" -s u -l unrestricted -d 'List all there is: --no-ignore and --hidden'
complete -c folio -n "__fish_folio_using_subcommand list" -s 0 -l null -d 'Paths end with NUL, for any file name'
complete -c folio -n "__fish_folio_using_subcommand list" -l no-config -d 'Take nothing from folio.toml and the user\'s configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand list" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand list" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand list" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand links" -l ignore -d 'Pass over destinations that match the glob, with their #fragment or without' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l site -d 'What builds the site: its pages, their names and anchors; without it, GitHub' -r -f -a "astro\t''
docusaurus\t''
github\t''
hugo\t''
jekyll\t''
mdbook\t''
mdn\t''
mkdocs\t''
vitepress\t''"
complete -c folio -n "__fish_folio_using_subcommand links" -l root-dir -d 'What a link that begins with / begins at, in place of the repository' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand links" -l index-files -d 'The files that a directory shows, the first that is there; one must be' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l fallback-extensions -d 'Extensions that links to files leave out' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l remap -d 'Look for what a pattern turns a destination into; the first that matches counts' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l baseline -d 'Leave out the broken links in FILE, which --json has printed; only new ones fail' -r -F
complete -c folio -n "__fish_folio_using_subcommand links" -s g -l glob -d 'Only files whose path matches the glob; !GLOB leaves out' -r
complete -c folio -n "__fish_folio_using_subcommand links" -s t -l type -d 'Only files of this type (md, rust, …)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand links" -l as -d 'Take documents for this kind of text instead of detecting it' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
ini\t'Sections behind markers, with keys'
log\t'Entries that begin with [LOG-'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand links" -l encoding -d 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l max-tokens -d 'Print at most so many tokens (bytes / 4), whole lines, and say where it goes on' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l offset -d 'How many lines of the answer to leave out before it' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand links" -l hyperlink-format -d 'On a terminal, make names of files links: none, file, vscode … or a URL with {path}' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l format -d 'Output for people, for programs or for GitHub' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'
github\t'Annotations of a workflow: ::error file=…,line=…::…'"
complete -c folio -n "__fish_folio_using_subcommand links" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand links" -l fix -d 'Rewrite links of which it is certain what was meant; one undo takes that back'
complete -c folio -n "__fish_folio_using_subcommand links" -s d -l dry-run -d 'Print what --fix would change as a diff, and write nothing'
complete -c folio -n "__fish_folio_using_subcommand links" -l diff -d 'Print what --fix changed as a diff'
complete -c folio -n "__fish_folio_using_subcommand links" -s q -l quiet -d 'Tell nothing; the exit status says whether a link is broken'
complete -c folio -n "__fish_folio_using_subcommand links" -s 0 -l null -d 'Records as ADDRESS NUL TEXT NUL, for any file name'
complete -c folio -n "__fish_folio_using_subcommand links" -s . -l hidden -d 'Check hidden files and directories too'
complete -c folio -n "__fish_folio_using_subcommand links" -l no-ignore -d 'Check what ignore files leave out too'
complete -c folio -n "__fish_folio_using_subcommand links" -s a -l binary -d 'Take files that hold NUL bytes for text too'
complete -c folio -n "__fish_folio_using_subcommand links" -l no-config -d 'Take nothing from folio.toml and the user\'s configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand links" -l resolve -d 'Find a file that does not exist by its name, if only one below here has it'
complete -c folio -n "__fish_folio_using_subcommand links" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand links" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand links" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand search" -s q -l query -d 'A question; up to ten are answered, in order (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand search" -s c -l collection -d 'Search this collection, or a directory: a value with a slash, or . (repeatable)' -r -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand search" -l in -d 'Only sections below a heading that is called so' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand search" -l limit -d 'The most sections for each question' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l max-distance -d 'Only sections at most so far from the question, from 0 (the same) to 2' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l max-tokens -d 'Print at most so many tokens (bytes / 4), whole lines, and say where it goes on' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l offset -d 'How many lines of the answer to leave out before it' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand search" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand search" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand search" -l keyword-only -d 'Judge by words alone'
complete -c folio -n "__fish_folio_using_subcommand search" -l semantic-only -d 'Judge by meaning alone'
complete -c folio -n "__fish_folio_using_subcommand search" -l no-update -d 'Search the index as it is, without looking for files that changed'
complete -c folio -n "__fish_folio_using_subcommand search" -s 0 -l null -d 'Records are address NUL text NUL, for any file name'
complete -c folio -n "__fish_folio_using_subcommand search" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand search" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand related" -l chunk -d 'Compare this passage in place of the document' -r
complete -c folio -n "__fish_folio_using_subcommand related" -s c -l collection -d 'Look in this collection, or directory: a value with a slash, or . (repeatable)' -r -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand related" -l limit -d 'The most sections' -r
complete -c folio -n "__fish_folio_using_subcommand related" -l max-tokens -d 'Print at most so many tokens (bytes / 4), whole lines, and say where it goes on' -r
complete -c folio -n "__fish_folio_using_subcommand related" -l offset -d 'How many lines of the answer to leave out before it' -r
complete -c folio -n "__fish_folio_using_subcommand related" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand related" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand related" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand related" -l same-document -d 'Take sections of the same document too'
complete -c folio -n "__fish_folio_using_subcommand related" -l no-update -d 'Take the index as it is, without looking for files that changed'
complete -c folio -n "__fish_folio_using_subcommand related" -s 0 -l null -d 'Records are address NUL text NUL, for any file name'
complete -c folio -n "__fish_folio_using_subcommand related" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand related" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand related" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand collection" -l alias -d 'add: another name for it (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l description -d 'add: what it is about' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l version -d 'add: of which version of something it tells' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l include -d 'add: only documents whose path matches the glob (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l exclude -d 'add: leave out documents, or directories, whose path matches (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l language -d 'add: the language whose words are stemmed; none for no stemming [default: english]' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l limit -d 'show: the most documents [default: 100]' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l offset -d 'show: how many documents to leave out before them [default: 0]' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand collection" -l format -d 'Output for people or for programs' -r -f -a "text\t'For people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand collection" -l color -d 'When to colour text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand collection" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand collection" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand mcp" -l tools -d 'Which sets of tools: core, fs-mcp, text, documents, read_text_file, fs, all' -r
complete -c folio -n "__fish_folio_using_subcommand mcp" -l timeout -d 'Stop a call after this many seconds' -r
complete -c folio -n "__fish_folio_using_subcommand mcp" -l acp-events -d 'Append calls to this file, as events of the Agent Client Protocol' -r -F
complete -c folio -n "__fish_folio_using_subcommand mcp" -l acp-socket -d 'Ask an editor on this Unix socket first what is in a file: read_text_file' -r -F
complete -c folio -n "__fish_folio_using_subcommand mcp" -l acp-session -d 'The session that events and questions name' -r
complete -c folio -n "__fish_folio_using_subcommand mcp" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand mcp" -l read-only -d 'Leave out tools that write'
complete -c folio -n "__fish_folio_using_subcommand mcp" -l allow-secrets -d 'Show .git, .env files and key files too'
complete -c folio -n "__fish_folio_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand mcp" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand call" -l root -d 'Take only files below this directory; a path that begins with NAME means it (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand call" -l list -d 'List all tools: set, name, title'
complete -c folio -n "__fish_folio_using_subcommand call" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand call" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand schema" -l example -d 'Print an example in place of the schema: of edits'
complete -c folio -n "__fish_folio_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand schema" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand completions" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand man" -s V -l version -d 'Print version'

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
    command $folio __complete fish (count $before) $before "$current" 2>/dev/null </dev/null
end

complete -c folio -n "__fish_folio_needs_command" -f -a help -d 'Print the help of a command or topic'
complete -c folio -n "__fish_folio_using_subcommand help schema man" -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand undo" -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand collection" -k -a '(__folio_ask)'
complete -c folio -n "string match -q '@*' -- (commandline -ct)" -k -a '(__folio_ask)'
complete -c folio -n "string match -q '*#*' -- (commandline -ct)" -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a replace -d 'The part becomes the content'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a insert -d 'Content before or after the part'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a append -d 'Content at the end of a section or of the file'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a delete -d 'The part goes'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a rename -d 'A heading gets another text'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a move -d 'The part, or the file itself, goes to another place'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a copy -d 'The part comes at another place too'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a create -d 'A new file'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a set -d 'A key gets a value, whether it is there or not'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a apply -d 'Edits in JSON'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a add -d 'Give a directory a name'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a list -d 'Show all collections'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a show -d 'Show the documents of one'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a update -d 'Bring indexes up to date'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a remove -d 'Take a name and its index away'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a alias -d 'Give one another name'
complete -c folio -n "__fish_folio_using_subcommand completions; and not \
    __fish_seen_subcommand_from bash elvish fish powershell zsh" -f -a bash
complete -c folio -n "__fish_folio_using_subcommand completions; and not \
    __fish_seen_subcommand_from bash elvish fish powershell zsh" -f -a elvish
complete -c folio -n "__fish_folio_using_subcommand completions; and not \
    __fish_seen_subcommand_from bash elvish fish powershell zsh" -f -a fish
complete -c folio -n "__fish_folio_using_subcommand completions; and not \
    __fish_seen_subcommand_from bash elvish fish powershell zsh" -f -a powershell
complete -c folio -n "__fish_folio_using_subcommand completions; and not \
    __fish_seen_subcommand_from bash elvish fish powershell zsh" -f -a zsh
complete -c folio-inspect -w 'folio inspect'
complete -c folio-read -w 'folio read'
complete -c folio-grep -w 'folio grep'
complete -c folio-patch -w 'folio patch'
complete -c folio-edit -w 'folio edit'
complete -c folio-undo -w 'folio undo'
complete -c folio-redo -w 'folio redo'
complete -c folio-list -w 'folio list'
complete -c folio-links -w 'folio links'
complete -c folio-search -w 'folio search'
complete -c folio-related -w 'folio related'
complete -c folio-collection -w 'folio collection'
complete -c folio-mcp -w 'folio mcp'
complete -c folio-call -w 'folio call'
complete -c folio-schema -w 'folio schema'
complete -c folio-completions -w 'folio completions'
complete -c folio-man -w 'folio man'
