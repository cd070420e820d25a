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

complete -c folio -n "__fish_folio_needs_command" -l install -d 'Create links named folio-COMMAND to this binary in DIR' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_needs_command" -l list -d 'Print the names of the commands'
complete -c folio -n "__fish_folio_needs_command" -s h -l help -d 'Print help'
complete -c folio -n "__fish_folio_needs_command" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_needs_command" -f -a "inspect" -d 'Show the outline of files: headings, code blocks, sections, keys'
complete -c folio -n "__fish_folio_needs_command" -f -a "read" -d 'Print part of a file: lines, a section, a code block, a table or a key'
complete -c folio -n "__fish_folio_needs_command" -f -a "grep" -d 'Search files, showing the section each match is in'
complete -c folio -n "__fish_folio_needs_command" -f -a "patch" -d 'Edit part of a file: replace, insert, delete, move, rename and more'
complete -c folio -n "__fish_folio_needs_command" -f -a "edit" -d 'Edit part of a file in your editor'
complete -c folio -n "__fish_folio_needs_command" -f -a "undo" -d 'Undo the last patch'
complete -c folio -n "__fish_folio_needs_command" -f -a "redo" -d 'Redo the last undo'
complete -c folio -n "__fish_folio_needs_command" -f -a "list" -d 'List directories, flat or as a tree'
complete -c folio -n "__fish_folio_needs_command" -f -a "links" -d 'Find broken links and anchors in Markdown files'
complete -c folio -n "__fish_folio_needs_command" -f -a "search" -d 'Search documents by meaning and by keyword'
complete -c folio -n "__fish_folio_needs_command" -f -a "related" -d 'Find sections related to a document or a passage'
complete -c folio -n "__fish_folio_needs_command" -f -a "collection" -d 'Manage named collections of documents'
complete -c folio -n "__fish_folio_needs_command" -f -a "mcp" -d 'Serve tools over the Model Context Protocol'
complete -c folio -n "__fish_folio_needs_command" -f -a "call" -d 'Call an MCP tool from the shell'
complete -c folio -n "__fish_folio_needs_command" -f -a "schema" -d 'Print the JSON Schema of a command\'s input or output'
complete -c folio -n "__fish_folio_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c folio -n "__fish_folio_needs_command" -f -a "man" -d 'Show a manual page'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l mode -d 'What to show' -r -f -a "structure\t'The outline'
search\t'Lines that match the query'
lines\t'Lines by number'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l query -d 'Text to search for (--mode search), or lines to show (--mode lines)' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -s C -l context -d 'Show N lines of context around each match' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l only -d 'Show only these parts of the structure' -r -f -a "headings\t'Headings'
code\t'Code blocks'
tables\t'Tables'
front-matter\t'Front matter'
anchors\t'Explicit anchors'
sections\t'Log entries, INI sections, groups of blank lines, comment blocks'
keys\t'Keys of TOML, YAML, JSON, .env and .properties (by default for files, not for directories)'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l max-level -d 'Omit headings deeper than LEVEL' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l depth-budget -d 'Omit the deepest headings, so that the output fits in N tokens' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l section-pattern -d 'Pattern for lines that begin a log entry (default: a time, ^\\[LOG-)' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l section -d 'Select sections with this name: Install, or \'Guide > Install\'' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l matching -d 'Select parts by name: headings, log entries, INI sections, keys' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l path -d 'Select parts whose heading path matches, such as \'^Guide > Install\'' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l level -d 'Select headings of these levels: 2, 2-3 or 2-' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l kind -d 'Select parts of these kinds: heading, key, code, table, function, type, …' -r -f -a "section\t'Headings, log entries, INI sections and symbols (the default)'
heading\t'Headings with their sections; grep searches only the heading lines'
entry\t'Log entries'
marker\t'INI sections'
key\t'Keys of INI files and of front matter'
function\t'Functions, methods and tests in source code'
method\t'Methods in source code'
type\t'Types in source code'
interface\t'Traits and interfaces'
impl\t'Implementations (impl)'
module\t'Modules and namespaces'
constant\t'Constants and variables outside of functions'
member\t'Fields and variants'
macro\t'Macros'
test\t'Tests'
target\t'Rules of makefiles'
stage\t'Stages of Dockerfiles'
object\t'Tables, views and other objects of SQL'
code\t'Fenced code blocks'
table\t'Tables'
front-matter\t'Front matter'
file\t'Whole files'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l lang -d 'Select code blocks in this language' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l having -d 'Select parts that contain a section or a key with a matching name' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l not-having -d 'Select parts that contain no section or key with a matching name' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l containing -d 'Select parts with a matching line, except in code and HTML comments' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l lacking -d 'Select parts that do not contain a matching line' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l with-key -d 'Select parts of files that have KEY (with a matching value)' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l without-key -d 'Select parts of files without KEY, or without a value that matches' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l since -d 'Select log entries and headings dated TIME (yesterday, -2h) or later' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l later-than -d 'Select log entries and headings dated later than TIME' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l until -d 'Select log entries and headings dated TIME or earlier' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l level-at-least -d 'Select log entries of LEVEL (info, warn, error, …) or above' -r -f -a "trace\t'All levels'
debug\t'Debugging'
info\t'Information and notices'
warn\t'Warnings'
error\t'Errors'
fatal\t'Critical and fatal errors, alerts'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l nth -d 'Select only the Nth part in each file (the first is 1)' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -s g -l glob -d 'Include only files that match the glob; !GLOB excludes (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -s t -l type -d 'Include only files of this type: md, rust, … (repeatable)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l as -d 'Read files in this format, such as markdown, yaml or rust' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
rst\t'reStructuredText'
asciidoc\t'AsciiDoc'
org\t'Org'
html\t'HTML'
man\t'Manual pages'
latex\t'LaTeX'
toml\t'Tables and keys, by key path'
yaml\t'Mappings and lists, by key path'
json\t'Objects and lists, by key path; comments allowed'
jsonl\t'A JSON value per line'
ini\t'Sections after markers, with keys'
env\t'Assignments, as in .env'
properties\t'Java properties'
log\t'Entries that begin with a time, or with [LOG-'
rust\t'Functions, types and other symbols'
python\t'Functions, types and other symbols'
javascript\t'Functions, types and other symbols'
typescript\t'Functions, types and other symbols'
tsx\t'Functions, types and other symbols'
go\t'Functions, types and other symbols'
java\t'Functions, types and other symbols'
c\t'Functions, types and other symbols'
cpp\t'Functions, types and other symbols'
ruby\t'Functions, types and other symbols'
bash\t'Functions, types and other symbols'
makefile\t'Rules, by their targets'
dockerfile\t'Stages'
sql\t'Tables, functions and other objects that CREATE creates'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l encoding -d 'Encoding of the files: utf-16le, shift_jis, latin1 (windows-1252), …' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l max-tokens -d 'Stop after N tokens (4 bytes each), and print how to continue' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l offset -d 'Skip the first N lines of output' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l hyperlink-format -d 'Format of hyperlinks: none, file, vscode, … or a URL with {path}' -r
complete -c folio -n "__fish_folio_using_subcommand inspect" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand inspect" -l regex -d 'Treat the query as a regular expression'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s O -l outline -d 'Show only headings'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l flat -d 'In JSON output, list the headings instead of printing a tree'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l tokens -d 'Show the size of each section in tokens (4 bytes each)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l checksum -d 'Show the checksum of each file (the first 16 digits of its SHA-256)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l anchors -d 'Show the anchor of each heading, for links'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l breadcrumbs -d 'Show the path of each heading, such as Guide > Install'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l top-level -d 'Exclude headings in block quotes, list items and footnotes'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l public -d 'In source code, select only public symbols'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l include-code -d 'With --containing and --lacking, also search code blocks'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l include-comments -d 'With --containing and --lacking, also search HTML comments'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l innermost -d 'Exclude parts that contain another selected part'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l repeated -d 'Select parts whose name, without markup, is repeated in the file'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l by-source -d 'With --repeated, compare names with their markup'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l first -d 'Select only the first part in each file'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l last -d 'Select only the last part in each file'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l across -d 'Apply --repeated, --first, --last and --nth to all files together'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s l -l files-with-matches -d 'Print only the names of files that contain a selected part'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s c -l count -d 'Print the number of selected parts in each file'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l tree -d 'Draw a tree even when the output is not a terminal'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s p -l pretty -d 'Draw a tree in color, for a pager'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s 0 -l null -d 'Print records as ADDRESS NUL TEXT NUL'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s F -l fixed-strings -d 'Treat the pattern as literal text'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s i -l ignore-case -d 'Match case-insensitively'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s s -l case-sensitive -d 'Match case-sensitively (the default)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s S -l smart-case -d 'Match case-insensitively unless the pattern contains an uppercase letter'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s w -l word-regexp -d 'Match only whole words'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s x -l line-regexp -d 'Match only whole lines'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s a -l binary -d 'Treat binary files as text'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l no-config -d 'Ignore folio.toml and the user configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l resolve -d 'If a file is missing, find one of that name below the current directory'
complete -c folio -n "__fish_folio_using_subcommand inspect" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand inspect" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand read" -l from -d 'Start at this line of the file' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l to-next -d 'Stop before the next line that matches' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l limit -d 'Stop after N lines' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l head -d 'Print only the first N lines' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l tail -d 'Print only the last N lines' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l lines -d 'Lines: 10, 10-50, 10- (in read, also 50-60,100-110)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -s s -l section -d 'A section, INI section or log entry: Install, \'Guide > Install\', \'Setup[2]\'' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l body -d 'A section without its heading, or a log entry without its first line' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l heading -d 'In patch, the heading line; in read, the whole section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l code-block -d 'The contents of code block N (from 0), LANG:N; in read, LANG:all, or a symbol with --section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l table -d 'Table N (the first is 0)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l anchor -d 'The heading or anchor with this ID' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -s T -l text -d 'The text STRING (in read, the first line that contains it)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -s e -l pattern -d 'The text that matches REGEX (in read, the first matching line)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l target -d 'A target in JSON, such as {"heading":"## Install"}' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l in -d 'Look for the target only in this section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l key -d 'The entry at a key path, or a key of --section or --front-matter' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l section-pattern -d 'Pattern for lines that begin a log entry (default: a time, ^\\[LOG-)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l search -d 'Short for --text STRING -C 5' -r
complete -c folio -n "__fish_folio_using_subcommand read" -s C -l context -d 'Print N lines of context around the match' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l addresses-from -d 'Read the parts at the addresses in FILE, one address per line' -r -F
complete -c folio -n "__fish_folio_using_subcommand read" -l batch -d 'Take JSON requests from FILE (format: folio schema batch)' -r -F
complete -c folio -n "__fish_folio_using_subcommand read" -l matching -d 'Select parts by name: headings, log entries, INI sections, keys' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l level -d 'Select headings of these levels: 2, 2-3 or 2-' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l kind -d 'Select parts of these kinds: heading, key, code, table, function, type, …' -r -f -a "section\t'Headings, log entries, INI sections and symbols (the default)'
heading\t'Headings with their sections; grep searches only the heading lines'
entry\t'Log entries'
marker\t'INI sections'
key\t'Keys of INI files and of front matter'
function\t'Functions, methods and tests in source code'
method\t'Methods in source code'
type\t'Types in source code'
interface\t'Traits and interfaces'
impl\t'Implementations (impl)'
module\t'Modules and namespaces'
constant\t'Constants and variables outside of functions'
member\t'Fields and variants'
macro\t'Macros'
test\t'Tests'
target\t'Rules of makefiles'
stage\t'Stages of Dockerfiles'
object\t'Tables, views and other objects of SQL'
code\t'Fenced code blocks'
table\t'Tables'
front-matter\t'Front matter'
file\t'Whole files'"
complete -c folio -n "__fish_folio_using_subcommand read" -l lang -d 'Select code blocks in this language' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l having -d 'Select parts that contain a section or a key with a matching name' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l not-having -d 'Select parts that contain no section or key with a matching name' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l containing -d 'Select parts with a matching line, except in code and HTML comments' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l lacking -d 'Select parts that do not contain a matching line' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l with-key -d 'Select parts of files that have KEY (with a matching value)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l without-key -d 'Select parts of files without KEY, or without a value that matches' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l since -d 'Select log entries and headings dated TIME (yesterday, -2h) or later' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l later-than -d 'Select log entries and headings dated later than TIME' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l until -d 'Select log entries and headings dated TIME or earlier' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l level-at-least -d 'Select log entries of LEVEL (info, warn, error, …) or above' -r -f -a "trace\t'All levels'
debug\t'Debugging'
info\t'Information and notices'
warn\t'Warnings'
error\t'Errors'
fatal\t'Critical and fatal errors, alerts'"
complete -c folio -n "__fish_folio_using_subcommand read" -l nth -d 'Select only the Nth part in each file (the first is 1)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l glob -d 'Select parts only in files that match the glob; !GLOB excludes (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l type -d 'Select parts only in files of this type (repeatable)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand read" -l max-lines -d 'Truncate each part after N lines' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l max-bytes -d 'Truncate each part after N bytes, at a line boundary' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l max-tokens -d 'Truncate the output after N tokens (4 bytes each), at a line boundary' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l as -d 'Read files in this format, such as markdown, yaml or rust' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
rst\t'reStructuredText'
asciidoc\t'AsciiDoc'
org\t'Org'
html\t'HTML'
man\t'Manual pages'
latex\t'LaTeX'
toml\t'Tables and keys, by key path'
yaml\t'Mappings and lists, by key path'
json\t'Objects and lists, by key path; comments allowed'
jsonl\t'A JSON value per line'
ini\t'Sections after markers, with keys'
env\t'Assignments, as in .env'
properties\t'Java properties'
log\t'Entries that begin with a time, or with [LOG-'
rust\t'Functions, types and other symbols'
python\t'Functions, types and other symbols'
javascript\t'Functions, types and other symbols'
typescript\t'Functions, types and other symbols'
tsx\t'Functions, types and other symbols'
go\t'Functions, types and other symbols'
java\t'Functions, types and other symbols'
c\t'Functions, types and other symbols'
cpp\t'Functions, types and other symbols'
ruby\t'Functions, types and other symbols'
bash\t'Functions, types and other symbols'
makefile\t'Rules, by their targets'
dockerfile\t'Stages'
sql\t'Tables, functions and other objects that CREATE creates'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand read" -l encoding -d 'Encoding of the files: utf-16le, shift_jis, latin1 (windows-1252), …' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand read" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand read" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand read" -l path -d 'Select parts whose heading path matches, such as \'^Guide > Install\'' -r
complete -c folio -n "__fish_folio_using_subcommand read" -l to-section-end -d 'Stop at the end of the innermost section that contains the first line'
complete -c folio -n "__fish_folio_using_subcommand read" -l outside-code -d 'With --to-next, ignore matches in code blocks'
complete -c folio -n "__fish_folio_using_subcommand read" -l outside-comments -d 'With --to-next, ignore matches in HTML comments'
complete -c folio -n "__fish_folio_using_subcommand read" -s W -l section-context -d 'Print the innermost section that contains the line'
complete -c folio -n "__fish_folio_using_subcommand read" -l front-matter -d 'The front matter of the file'
complete -c folio -n "__fish_folio_using_subcommand read" -l no-children -d 'Exclude nested sections'
complete -c folio -n "__fish_folio_using_subcommand read" -l value -d 'Only the value of --key'
complete -c folio -n "__fish_folio_using_subcommand read" -l fences -d 'Include the fences of --code-block'
complete -c folio -n "__fish_folio_using_subcommand read" -s 0 -l null -d 'End parts with NUL; with --addresses-from, read ADDRESS NUL TEXT NUL'
complete -c folio -n "__fish_folio_using_subcommand read" -l top-level -d 'Exclude headings in block quotes, list items and footnotes'
complete -c folio -n "__fish_folio_using_subcommand read" -l public -d 'In source code, select only public symbols'
complete -c folio -n "__fish_folio_using_subcommand read" -l include-code -d 'With --containing and --lacking, also search code blocks'
complete -c folio -n "__fish_folio_using_subcommand read" -l include-comments -d 'With --containing and --lacking, also search HTML comments'
complete -c folio -n "__fish_folio_using_subcommand read" -l innermost -d 'Exclude parts that contain another selected part'
complete -c folio -n "__fish_folio_using_subcommand read" -l repeated -d 'Select parts whose name, without markup, is repeated in the file'
complete -c folio -n "__fish_folio_using_subcommand read" -l by-source -d 'With --repeated, compare names with their markup'
complete -c folio -n "__fish_folio_using_subcommand read" -l first -d 'Select only the first part in each file'
complete -c folio -n "__fish_folio_using_subcommand read" -l last -d 'Select only the last part in each file'
complete -c folio -n "__fish_folio_using_subcommand read" -l across -d 'Apply --repeated, --first, --last and --nth to all files together'
complete -c folio -n "__fish_folio_using_subcommand read" -s n -l number -d 'Print line numbers'
complete -c folio -n "__fish_folio_using_subcommand read" -l no-headers -d 'Do not print a header before each part'
complete -c folio -n "__fish_folio_using_subcommand read" -l breadcrumbs -d 'Print only addresses and heading paths; in JSON, add the heading paths'
complete -c folio -n "__fish_folio_using_subcommand read" -l show-whitespace -d 'Make whitespace, line endings and invisible characters visible'
complete -c folio -n "__fish_folio_using_subcommand read" -l checksum -d 'Print only checksums and addresses; in JSON, add the checksums'
complete -c folio -n "__fish_folio_using_subcommand read" -l raw -d 'Print the bytes of the file without decoding them'
complete -c folio -n "__fish_folio_using_subcommand read" -l no-total -d 'Do not count the lines of the file; omit the total from the output'
complete -c folio -n "__fish_folio_using_subcommand read" -s F -l fixed-strings -d 'Treat the pattern as literal text'
complete -c folio -n "__fish_folio_using_subcommand read" -s i -l ignore-case -d 'Match case-insensitively'
complete -c folio -n "__fish_folio_using_subcommand read" -s S -l smart-case -d 'Match case-insensitively unless the pattern contains an uppercase letter'
complete -c folio -n "__fish_folio_using_subcommand read" -s w -l word-regexp -d 'Match only whole words'
complete -c folio -n "__fish_folio_using_subcommand read" -s x -l line-regexp -d 'Match only whole lines'
complete -c folio -n "__fish_folio_using_subcommand read" -s a -l binary -d 'Treat binary files as text'
complete -c folio -n "__fish_folio_using_subcommand read" -l no-config -d 'Ignore folio.toml and the user configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand read" -l resolve -d 'If a file is missing, find one of that name below the current directory'
complete -c folio -n "__fish_folio_using_subcommand read" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand read" -l case-sensitive -d 'Match case-sensitively (the default)'
complete -c folio -n "__fish_folio_using_subcommand read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand read" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand grep" -l style -d 'Output style' -r -f -a "lines\t'One line per match'
blocks\t'One block per match: file, line number, end of the section, then the text'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l section-pattern -d 'Pattern for lines that begin a section (instead of headings)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l in -d 'Search only in the section with this name' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l as -d 'Read files in this format, such as markdown, yaml or rust' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
rst\t'reStructuredText'
asciidoc\t'AsciiDoc'
org\t'Org'
html\t'HTML'
man\t'Manual pages'
latex\t'LaTeX'
toml\t'Tables and keys, by key path'
yaml\t'Mappings and lists, by key path'
json\t'Objects and lists, by key path; comments allowed'
jsonl\t'A JSON value per line'
ini\t'Sections after markers, with keys'
env\t'Assignments, as in .env'
properties\t'Java properties'
log\t'Entries that begin with a time, or with [LOG-'
rust\t'Functions, types and other symbols'
python\t'Functions, types and other symbols'
javascript\t'Functions, types and other symbols'
typescript\t'Functions, types and other symbols'
tsx\t'Functions, types and other symbols'
go\t'Functions, types and other symbols'
java\t'Functions, types and other symbols'
c\t'Functions, types and other symbols'
cpp\t'Functions, types and other symbols'
ruby\t'Functions, types and other symbols'
bash\t'Functions, types and other symbols'
makefile\t'Rules, by their targets'
dockerfile\t'Stages'
sql\t'Tables, functions and other objects that CREATE creates'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l matching -d 'Select parts by name: headings, log entries, INI sections, keys' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l path -d 'Select parts whose heading path matches, such as \'^Guide > Install\'' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l level -d 'Select headings of these levels: 2, 2-3 or 2-' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l kind -d 'Select parts of these kinds: heading, key, code, table, function, type, …' -r -f -a "section\t'Headings, log entries, INI sections and symbols (the default)'
heading\t'Headings with their sections; grep searches only the heading lines'
entry\t'Log entries'
marker\t'INI sections'
key\t'Keys of INI files and of front matter'
function\t'Functions, methods and tests in source code'
method\t'Methods in source code'
type\t'Types in source code'
interface\t'Traits and interfaces'
impl\t'Implementations (impl)'
module\t'Modules and namespaces'
constant\t'Constants and variables outside of functions'
member\t'Fields and variants'
macro\t'Macros'
test\t'Tests'
target\t'Rules of makefiles'
stage\t'Stages of Dockerfiles'
object\t'Tables, views and other objects of SQL'
code\t'Fenced code blocks'
table\t'Tables'
front-matter\t'Front matter'
file\t'Whole files'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l lang -d 'Select code blocks in this language' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l having -d 'Select parts that contain a section or a key with a matching name' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l not-having -d 'Select parts that contain no section or key with a matching name' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l containing -d 'Select parts with a matching line, except in code and HTML comments' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l lacking -d 'Select parts that do not contain a matching line' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l with-key -d 'Select parts of files that have KEY (with a matching value)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l without-key -d 'Select parts of files without KEY, or without a value that matches' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l since -d 'Select log entries and headings dated TIME (yesterday, -2h) or later' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l later-than -d 'Select log entries and headings dated later than TIME' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l until -d 'Select log entries and headings dated TIME or earlier' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l level-at-least -d 'Select log entries of LEVEL (info, warn, error, …) or above' -r -f -a "trace\t'All levels'
debug\t'Debugging'
info\t'Information and notices'
warn\t'Warnings'
error\t'Errors'
fatal\t'Critical and fatal errors, alerts'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l nth -d 'Select only the Nth part in each file (the first is 1)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s e -l regexp -d 'Pattern to search for (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s f -l file -d 'Read patterns from FILE, one per line (- for standard input)' -r -F
complete -c folio -n "__fish_folio_using_subcommand grep" -s r -l replace -d 'Replace each match with TEXT ($1, ${name}), only in the output' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s M -l max-columns -d 'Omit lines longer than N bytes' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l context-separator -d 'Separator between groups of context lines (default: --)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l field-match-separator -d 'Separator after the fields of a matching line (default: :)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l field-context-separator -d 'Separator after the fields of a context line (default: -)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l hyperlink-format -d 'Format of hyperlinks: none, file, vscode, … or a URL with {path}' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s A -l after-context -d 'Print N lines of context after each match' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s B -l before-context -d 'Print N lines of context before each match' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s C -l context -d 'Print N lines of context before and after each match' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s m -l max-count -d 'Stop after N matching lines in each file' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l max-total -d 'Stop after N matching lines in total' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s g -l glob -d 'Include only files that match the glob; !GLOB excludes (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l iglob -d 'Like --glob, but case-insensitive (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s t -l type -d 'Include only files of this type: md, rust, ... (repeatable)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s T -l type-not -d 'Exclude files of this type (repeatable)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l type-add -d 'Add a glob to a file type: NAME:GLOB or NAME:include:OTHER' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l type-clear -d 'Clear the globs of a file type' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l ignore-file -d 'Additional file with ignore rules, of the lowest precedence' -r -F
complete -c folio -n "__fish_folio_using_subcommand grep" -s d -l max-depth -d 'Descend at most N directory levels' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l max-filesize -d 'Skip files larger than SIZE: in bytes, or with suffix K, M or G' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l sort -d 'Sort order of files' -r -f -a "none\t'Same as path'
path\t'By path'
modified\t'By the time of the last change, oldest first'
accessed\t'By the time of the last access'
created\t'By the time of creation'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l sortr -d 'Sort order of files, reversed' -r -f -a "none\t'Same as path'
path\t'By path'
modified\t'By the time of the last change, oldest first'
accessed\t'By the time of the last access'
created\t'By the time of creation'"
complete -c folio -n "__fish_folio_using_subcommand grep" -s j -l threads -d 'Number of threads to use; 0 to choose automatically' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -s E -l encoding -d 'Encoding of the files: utf-16le, shift_jis, latin1 (windows-1252), …' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l max-tokens -d 'Stop after N tokens (4 bytes each), and print how to continue' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l offset -d 'Skip the first N lines of output' -r
complete -c folio -n "__fish_folio_using_subcommand grep" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand grep" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand grep" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand grep" -s k -l section-hints -d 'Before each match, print the address of the rest of the section'
complete -c folio -n "__fish_folio_using_subcommand grep" -s W -l section-context -d 'Print each section that contains a match'
complete -c folio -n "__fish_folio_using_subcommand grep" -l outside-code -d 'Ignore matches in code blocks'
complete -c folio -n "__fish_folio_using_subcommand grep" -l outside-comments -d 'Ignore matches in HTML comments'
complete -c folio -n "__fish_folio_using_subcommand grep" -l only-code -d 'Search only in code blocks, including their fences'
complete -c folio -n "__fish_folio_using_subcommand grep" -l top-level -d 'Exclude headings in block quotes, list items and footnotes'
complete -c folio -n "__fish_folio_using_subcommand grep" -l public -d 'In source code, select only public symbols'
complete -c folio -n "__fish_folio_using_subcommand grep" -l include-code -d 'With --containing and --lacking, also search code blocks'
complete -c folio -n "__fish_folio_using_subcommand grep" -l include-comments -d 'With --containing and --lacking, also search HTML comments'
complete -c folio -n "__fish_folio_using_subcommand grep" -l innermost -d 'Exclude parts that contain another selected part'
complete -c folio -n "__fish_folio_using_subcommand grep" -l repeated -d 'Select parts whose name, without markup, is repeated in the file'
complete -c folio -n "__fish_folio_using_subcommand grep" -l by-source -d 'With --repeated, compare names with their markup'
complete -c folio -n "__fish_folio_using_subcommand grep" -l first -d 'Select only the first part in each file'
complete -c folio -n "__fish_folio_using_subcommand grep" -l last -d 'Select only the last part in each file'
complete -c folio -n "__fish_folio_using_subcommand grep" -l across -d 'Apply --repeated, --first, --last and --nth to all files together'
complete -c folio -n "__fish_folio_using_subcommand grep" -s F -l fixed-strings -d 'Treat the pattern as literal text'
complete -c folio -n "__fish_folio_using_subcommand grep" -s i -l ignore-case -d 'Match case-insensitively'
complete -c folio -n "__fish_folio_using_subcommand grep" -s s -l case-sensitive -d 'Match case-sensitively (the default)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s S -l smart-case -d 'Match case-insensitively unless the pattern contains an uppercase letter'
complete -c folio -n "__fish_folio_using_subcommand grep" -s w -l word-regexp -d 'Match only whole words'
complete -c folio -n "__fish_folio_using_subcommand grep" -s x -l line-regexp -d 'Match only whole lines'
complete -c folio -n "__fish_folio_using_subcommand grep" -s v -l invert-match -d 'Print lines that do not match'
complete -c folio -n "__fish_folio_using_subcommand grep" -s U -l multiline -d 'Allow matches to span lines'
complete -c folio -n "__fish_folio_using_subcommand grep" -l multiline-dotall -d 'Let . match line endings'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-unicode -d 'Make classes such as \\w match only ASCII characters'
complete -c folio -n "__fish_folio_using_subcommand grep" -s c -l count -d 'Count the matching lines of each file or, with -o, the matches'
complete -c folio -n "__fish_folio_using_subcommand grep" -l count-matches -d 'Print the number of matches in each file'
complete -c folio -n "__fish_folio_using_subcommand grep" -l include-zero -d 'With --count and --count-matches, include files without a match'
complete -c folio -n "__fish_folio_using_subcommand grep" -s l -l files-with-matches -d 'Print only the names of files with a match'
complete -c folio -n "__fish_folio_using_subcommand grep" -l files-without-match -d 'Print only the names of files without a match'
complete -c folio -n "__fish_folio_using_subcommand grep" -s o -l only-matching -d 'Print only the matching text'
complete -c folio -n "__fish_folio_using_subcommand grep" -s q -l quiet -d 'Print nothing; exit with 0 if there is a match'
complete -c folio -n "__fish_folio_using_subcommand grep" -s n -l line-number -d 'Print line numbers (the default)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s N -l no-line-number -d 'Do not print line numbers'
complete -c folio -n "__fish_folio_using_subcommand grep" -s H -l with-filename -d 'Print file names (the default for several files)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s I -l no-filename -d 'Do not print file names'
complete -c folio -n "__fish_folio_using_subcommand grep" -l heading -d 'Print file names above their matches (the default on a terminal)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-heading -d 'Print the file name on each line'
complete -c folio -n "__fish_folio_using_subcommand grep" -s p -l pretty -d 'Same as --color always --heading, for a pager'
complete -c folio -n "__fish_folio_using_subcommand grep" -l column -d 'Print the column of the first match, in bytes (the first is 1)'
complete -c folio -n "__fish_folio_using_subcommand grep" -s b -l byte-offset -d 'Print the byte offset of each line (with -o, of each match)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l vimgrep -d 'Print each match on its own line, with line and column, for editors'
complete -c folio -n "__fish_folio_using_subcommand grep" -l show-whitespace -d 'Make whitespace, line endings and invisible characters visible'
complete -c folio -n "__fish_folio_using_subcommand grep" -l breadcrumbs -d 'Print the heading path or key path of each match before its text'
complete -c folio -n "__fish_folio_using_subcommand grep" -l trim -d 'Strip leading whitespace from each line'
complete -c folio -n "__fish_folio_using_subcommand grep" -l max-columns-preview -d 'Print the beginning of lines longer than --max-columns'
complete -c folio -n "__fish_folio_using_subcommand grep" -l passthru -l passthrough -d 'Print all lines, including lines that do not match'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-context-separator -d 'Do not separate groups of context lines'
complete -c folio -n "__fish_folio_using_subcommand grep" -l line-buffered -d 'Flush output after each line'
complete -c folio -n "__fish_folio_using_subcommand grep" -l stop-on-nonmatch -d 'Stop searching a file at the first nonmatching line after a match'
complete -c folio -n "__fish_folio_using_subcommand grep" -l totals -d 'Also count matches beyond --max-count or --max-total'
complete -c folio -n "__fish_folio_using_subcommand grep" -l stats -d 'Print statistics about the search'
complete -c folio -n "__fish_folio_using_subcommand grep" -s 0 -l null -d 'Print NUL after file names (with -k, after each address and text)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-messages -d 'Suppress error messages about files'
complete -c folio -n "__fish_folio_using_subcommand grep" -l glob-case-insensitive -d 'Match all globs case-insensitively'
complete -c folio -n "__fish_folio_using_subcommand grep" -l type-list -d 'Print all file types and their globs'
complete -c folio -n "__fish_folio_using_subcommand grep" -l files -d 'Print the names of the files that would be searched'
complete -c folio -n "__fish_folio_using_subcommand grep" -s . -l hidden -d 'Search hidden files and directories'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore -d 'Search ignored files'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-dot -d 'Do not read .ignore and .rgignore'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-exclude -d 'Do not read .git/info/exclude'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-files -d 'Do not read the files given to --ignore-file'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-global -d 'Do not read git\'s global ignore file'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-parent -d 'Do not read ignore files in parent directories'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-ignore-vcs -d 'Do not read git\'s ignore files'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-require-git -d 'Apply .gitignore files outside git repositories'
complete -c folio -n "__fish_folio_using_subcommand grep" -s u -l unrestricted -d '-u for --no-ignore, -uu to add --hidden, -uuu to add --binary'
complete -c folio -n "__fish_folio_using_subcommand grep" -l binary -d 'Search binary files'
complete -c folio -n "__fish_folio_using_subcommand grep" -s L -l follow -d 'Follow symbolic links'
complete -c folio -n "__fish_folio_using_subcommand grep" -l one-file-system -d 'Do not cross file system boundaries'
complete -c folio -n "__fish_folio_using_subcommand grep" -s R -l recursive -d 'Accepted for compatibility: directories are always searched recursively'
complete -c folio -n "__fish_folio_using_subcommand grep" -s a -l text -d 'Treat binary files as text'
complete -c folio -n "__fish_folio_using_subcommand grep" -l null-data -d 'Use NUL as the line terminator'
complete -c folio -n "__fish_folio_using_subcommand grep" -l no-config -d 'Ignore folio.toml and the user configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand grep" -l resolve -d 'If a file is missing, find one of that name below the current directory'
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
complete -c folio -n "__fish_folio_using_subcommand patch" -l lines -d 'Lines: 10, 10-50, 10- (in read, also 50-60,100-110)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s s -l section -d 'A section, INI section or log entry: Install, \'Guide > Install\', \'Setup[2]\'' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l body -d 'A section without its heading, or a log entry without its first line' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l heading -d 'In patch, the heading line; in read, the whole section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l code-block -d 'The contents of code block N (from 0), LANG:N; in read, LANG:all, or a symbol with --section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l table -d 'Table N (the first is 0)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l anchor -d 'The heading or anchor with this ID' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -s T -l text -d 'The text STRING (in read, the first line that contains it)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s e -l pattern -d 'The text that matches REGEX (in read, the first matching line)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l target -d 'A target in JSON, such as {"heading":"## Install"}' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l in -d 'Look for the target only in this section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l key -d 'The entry at a key path, or a key of --section or --front-matter' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l section-pattern -d 'Pattern for lines that begin a log entry (default: a time, ^\\[LOG-)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l matching -d 'Select parts by name: headings, log entries, INI sections, keys' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l path -d 'Select parts whose heading path matches, such as \'^Guide > Install\'' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l level -d 'Select headings of these levels: 2, 2-3 or 2-' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l kind -d 'Select parts of these kinds: heading, key, code, table, function, type, …' -r -f -a "section\t'Headings, log entries, INI sections and symbols (the default)'
heading\t'Headings with their sections; grep searches only the heading lines'
entry\t'Log entries'
marker\t'INI sections'
key\t'Keys of INI files and of front matter'
function\t'Functions, methods and tests in source code'
method\t'Methods in source code'
type\t'Types in source code'
interface\t'Traits and interfaces'
impl\t'Implementations (impl)'
module\t'Modules and namespaces'
constant\t'Constants and variables outside of functions'
member\t'Fields and variants'
macro\t'Macros'
test\t'Tests'
target\t'Rules of makefiles'
stage\t'Stages of Dockerfiles'
object\t'Tables, views and other objects of SQL'
code\t'Fenced code blocks'
table\t'Tables'
front-matter\t'Front matter'
file\t'Whole files'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l lang -d 'Select code blocks in this language' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l having -d 'Select parts that contain a section or a key with a matching name' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l not-having -d 'Select parts that contain no section or key with a matching name' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l containing -d 'Select parts with a matching line, except in code and HTML comments' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l lacking -d 'Select parts that do not contain a matching line' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l with-key -d 'Select parts of files that have KEY (with a matching value)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l without-key -d 'Select parts of files without KEY, or without a value that matches' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l since -d 'Select log entries and headings dated TIME (yesterday, -2h) or later' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l later-than -d 'Select log entries and headings dated later than TIME' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l until -d 'Select log entries and headings dated TIME or earlier' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l level-at-least -d 'Select log entries of LEVEL (info, warn, error, …) or above' -r -f -a "trace\t'All levels'
debug\t'Debugging'
info\t'Information and notices'
warn\t'Warnings'
error\t'Errors'
fatal\t'Critical and fatal errors, alerts'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l nth -d 'Select only the Nth part in each file (the first is 1)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s c -l content -d 'The new text' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s f -l content-file -d 'Read the new text from FILE (- for standard input)' -r -F
complete -c folio -n "__fish_folio_using_subcommand patch" -l set -d 'Replace {{NAME}} in the content with VALUE (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l to -d 'Destination of move and copy: FILE, or after FILE:12 or FILE#anchor' -r -F
complete -c folio -n "__fish_folio_using_subcommand patch" -l links-in -d 'Update links only in this file or directory (repeatable)' -r -F
complete -c folio -n "__fish_folio_using_subcommand patch" -l occurrence -d 'Match to edit: first, last, all or a number (default: the only one)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l expect -d 'Fail unless there are exactly N matches or selected parts' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s g -l glob -d 'In directories, include only files that match the glob; !GLOB excludes (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -s t -l type -d 'With --key, the type of the value: string, int, float, bool, null, json, yaml; in directories, include only files of this type (repeatable)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l if-match -d 'Fail unless the SHA-256 of the file or of the part begins with CHECKSUM' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l if-range-match -d 'Fail unless the SHA-256 of the part begins with CHECKSUM (12 to 64 digits)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l max-delete -d 'Fail if more than N lines would be deleted (default: 200)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l max-files -d 'Fail if more than N files would change (default: 50, or max_files in the user configuration)' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l backup -d 'Keep a copy of the old file: FILE.bak, or FILE.bak.1 if that exists' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l as -d 'Read files in this format, such as markdown, yaml or rust' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
rst\t'reStructuredText'
asciidoc\t'AsciiDoc'
org\t'Org'
html\t'HTML'
man\t'Manual pages'
latex\t'LaTeX'
toml\t'Tables and keys, by key path'
yaml\t'Mappings and lists, by key path'
json\t'Objects and lists, by key path; comments allowed'
jsonl\t'A JSON value per line'
ini\t'Sections after markers, with keys'
env\t'Assignments, as in .env'
properties\t'Java properties'
log\t'Entries that begin with a time, or with [LOG-'
rust\t'Functions, types and other symbols'
python\t'Functions, types and other symbols'
javascript\t'Functions, types and other symbols'
typescript\t'Functions, types and other symbols'
tsx\t'Functions, types and other symbols'
go\t'Functions, types and other symbols'
java\t'Functions, types and other symbols'
c\t'Functions, types and other symbols'
cpp\t'Functions, types and other symbols'
ruby\t'Functions, types and other symbols'
bash\t'Functions, types and other symbols'
makefile\t'Rules, by their targets'
dockerfile\t'Stages'
sql\t'Tables, functions and other objects that CREATE creates'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l encoding -d 'Encoding of the files: utf-16le, shift_jis, latin1 (windows-1252), …' -r
complete -c folio -n "__fish_folio_using_subcommand patch" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand patch" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand patch" -l front-matter -d 'The front matter of the file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-children -d 'Exclude nested sections'
complete -c folio -n "__fish_folio_using_subcommand patch" -l value -d 'Only the value of --key'
complete -c folio -n "__fish_folio_using_subcommand patch" -l fences -d 'Include the fences of --code-block'
complete -c folio -n "__fish_folio_using_subcommand patch" -l top-level -d 'Exclude headings in block quotes, list items and footnotes'
complete -c folio -n "__fish_folio_using_subcommand patch" -l public -d 'In source code, select only public symbols'
complete -c folio -n "__fish_folio_using_subcommand patch" -l include-code -d 'With --containing and --lacking, also search code blocks'
complete -c folio -n "__fish_folio_using_subcommand patch" -l include-comments -d 'With --containing and --lacking, also search HTML comments'
complete -c folio -n "__fish_folio_using_subcommand patch" -l innermost -d 'Exclude parts that contain another selected part'
complete -c folio -n "__fish_folio_using_subcommand patch" -l repeated -d 'Select parts whose name, without markup, is repeated in the file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l by-source -d 'With --repeated, compare names with their markup'
complete -c folio -n "__fish_folio_using_subcommand patch" -l first -d 'Select only the first part in each file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l last -d 'Select only the last part in each file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l across -d 'Apply --repeated, --first, --last and --nth to all files together'
complete -c folio -n "__fish_folio_using_subcommand patch" -l whole-file -d 'The whole file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l before -d 'Insert before the part (in move and copy, before the address in --to)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l after -d 'Insert after the part (in move and copy, after the address in --to)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l links -d 'Update links that the edit would break, in the whole repository'
complete -c folio -n "__fish_folio_using_subcommand patch" -l preserve-indent -d 'Indent unindented content to match the first line of the part (the default)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-preserve-indent -d 'Do not change the indentation of the content'
complete -c folio -n "__fish_folio_using_subcommand patch" -l exact -d 'Do not adjust blank lines or indentation'
complete -c folio -n "__fish_folio_using_subcommand patch" -l unique -d 'Fail if there are several matches (the default)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l ignore-whitespace -d 'Treat all runs of spaces and tabs as equal, also at line ends'
complete -c folio -n "__fish_folio_using_subcommand patch" -l normalize-unicode -d 'Treat Unicode variants of quotes, dashes and accented letters as equal'
complete -c folio -n "__fish_folio_using_subcommand patch" -l outside-code -d 'Ignore matches in code blocks'
complete -c folio -n "__fish_folio_using_subcommand patch" -l only-code -d 'Match only in code blocks, including their fences'
complete -c folio -n "__fish_folio_using_subcommand patch" -l outside-comments -d 'Ignore matches in HTML comments'
complete -c folio -n "__fish_folio_using_subcommand patch" -s U -l multiline -d 'Allow a match of the pattern to span lines'
complete -c folio -n "__fish_folio_using_subcommand patch" -l expand -d 'Replace $1 and ${name} in the content with what the pattern\'s groups matched'
complete -c folio -n "__fish_folio_using_subcommand patch" -l inline -d 'With insert and --text, insert next to the text instead of next to its line'
complete -c folio -n "__fish_folio_using_subcommand patch" -l follow -d 'Follow ADDRESS if it is a symlink to a directory'
complete -c folio -n "__fish_folio_using_subcommand patch" -l force -d 'Allow changes to headings outside the part, and more deletions than --max-delete'
complete -c folio -n "__fish_folio_using_subcommand patch" -s d -l dry-run -d 'Print a diff of what would change, and write nothing'
complete -c folio -n "__fish_folio_using_subcommand patch" -l check -d 'Write nothing; exit with 1 if something would change'
complete -c folio -n "__fish_folio_using_subcommand patch" -l diff -d 'Print a diff of what changed'
complete -c folio -n "__fish_folio_using_subcommand patch" -l preview -d 'Include the old and the new lines in JSON output'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-preview -d 'Disable --preview'
complete -c folio -n "__fish_folio_using_subcommand patch" -l in-place -d 'Write into the existing file instead of replacing it (for hard links and bind mounts)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l keep-going -d 'Continue with the other files if one fails; each file is a separate transaction'
complete -c folio -n "__fish_folio_using_subcommand patch" -l parents -d 'Create the missing directories of a new or moved file'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-undo -d 'Do not record the edit for folio undo'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-sync -d 'Do not wait for the data to reach the disk'
complete -c folio -n "__fish_folio_using_subcommand patch" -l checksum -d 'Print the checksum of the file before and after the edit'
complete -c folio -n "__fish_folio_using_subcommand patch" -s F -l fixed-strings -d 'Treat the pattern as literal text'
complete -c folio -n "__fish_folio_using_subcommand patch" -s i -l ignore-case -d 'Match case-insensitively'
complete -c folio -n "__fish_folio_using_subcommand patch" -s S -l smart-case -d 'Match case-insensitively unless the pattern contains an uppercase letter'
complete -c folio -n "__fish_folio_using_subcommand patch" -s w -l word-regexp -d 'Match only whole words'
complete -c folio -n "__fish_folio_using_subcommand patch" -s x -l line-regexp -d 'Match only whole lines'
complete -c folio -n "__fish_folio_using_subcommand patch" -s a -l binary -d 'Treat binary files as text'
complete -c folio -n "__fish_folio_using_subcommand patch" -l no-config -d 'Ignore folio.toml and the user configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand patch" -l resolve -d 'If a file is missing, find one of that name below the current directory'
complete -c folio -n "__fish_folio_using_subcommand patch" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand patch" -l case-sensitive -d 'Match case-sensitively (the default)'
complete -c folio -n "__fish_folio_using_subcommand patch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand patch" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand edit" -l lines -d 'Lines: 10, 10-50, 10- (in read, also 50-60,100-110)' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -s s -l section -d 'A section, INI section or log entry: Install, \'Guide > Install\', \'Setup[2]\'' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l body -d 'A section without its heading, or a log entry without its first line' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l heading -d 'In patch, the heading line; in read, the whole section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l code-block -d 'The contents of code block N (from 0), LANG:N; in read, LANG:all, or a symbol with --section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l table -d 'Table N (the first is 0)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l anchor -d 'The heading or anchor with this ID' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -s T -l text -d 'The text STRING (in read, the first line that contains it)' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -s e -l pattern -d 'The text that matches REGEX (in read, the first matching line)' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l target -d 'A target in JSON, such as {"heading":"## Install"}' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l in -d 'Look for the target only in this section' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l key -d 'The entry at a key path, or a key of --section or --front-matter' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l section-pattern -d 'Pattern for lines that begin a log entry (default: a time, ^\\[LOG-)' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l backup -d 'Keep a copy of the old file: x.md.bak, or x.md.bak.1 if that exists' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l as -d 'Read files in this format, such as markdown, yaml or rust' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
rst\t'reStructuredText'
asciidoc\t'AsciiDoc'
org\t'Org'
html\t'HTML'
man\t'Manual pages'
latex\t'LaTeX'
toml\t'Tables and keys, by key path'
yaml\t'Mappings and lists, by key path'
json\t'Objects and lists, by key path; comments allowed'
jsonl\t'A JSON value per line'
ini\t'Sections after markers, with keys'
env\t'Assignments, as in .env'
properties\t'Java properties'
log\t'Entries that begin with a time, or with [LOG-'
rust\t'Functions, types and other symbols'
python\t'Functions, types and other symbols'
javascript\t'Functions, types and other symbols'
typescript\t'Functions, types and other symbols'
tsx\t'Functions, types and other symbols'
go\t'Functions, types and other symbols'
java\t'Functions, types and other symbols'
c\t'Functions, types and other symbols'
cpp\t'Functions, types and other symbols'
ruby\t'Functions, types and other symbols'
bash\t'Functions, types and other symbols'
makefile\t'Rules, by their targets'
dockerfile\t'Stages'
sql\t'Tables, functions and other objects that CREATE creates'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand edit" -l encoding -d 'Encoding of the files: utf-16le, shift_jis, latin1 (windows-1252), …' -r
complete -c folio -n "__fish_folio_using_subcommand edit" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand edit" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand edit" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand edit" -l front-matter -d 'The front matter of the file'
complete -c folio -n "__fish_folio_using_subcommand edit" -l no-children -d 'Exclude nested sections'
complete -c folio -n "__fish_folio_using_subcommand edit" -l value -d 'Only the value of --key'
complete -c folio -n "__fish_folio_using_subcommand edit" -l fences -d 'Include the fences of --code-block'
complete -c folio -n "__fish_folio_using_subcommand edit" -l diff -d 'Print a diff of what changed'
complete -c folio -n "__fish_folio_using_subcommand edit" -l in-place -d 'Write into the existing file instead of replacing it (for hard links and bind mounts)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l no-undo -d 'Do not record the edit for folio undo'
complete -c folio -n "__fish_folio_using_subcommand edit" -s a -l binary -d 'Treat binary files as text'
complete -c folio -n "__fish_folio_using_subcommand edit" -l no-config -d 'Ignore folio.toml and the user configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand edit" -l resolve -d 'If a file is missing, find one of that name below the current directory'
complete -c folio -n "__fish_folio_using_subcommand edit" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand edit" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand undo" -l show -d 'Print the diff of a patch' -r
complete -c folio -n "__fish_folio_using_subcommand undo" -l forget -d 'Remove a patch or an undo from the history without changing files' -r
complete -c folio -n "__fish_folio_using_subcommand undo" -l forget-matching -d 'Remove each patch and undo that removed TEXT, or whose record contains it elsewhere' -r
complete -c folio -n "__fish_folio_using_subcommand undo" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand undo" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand undo" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand undo" -s d -l dry-run -l diff -d 'Print a diff of the changes that undo would make, and write nothing'
complete -c folio -n "__fish_folio_using_subcommand undo" -l any -d 'Undo the last patch in any directory; with --list or --forget, in all directories'
complete -c folio -n "__fish_folio_using_subcommand undo" -l list -d 'List the patches that can be undone and the undos that can be redone, newest first'
complete -c folio -n "__fish_folio_using_subcommand undo" -l redo -d 'Redo the last undo, as folio redo does'
complete -c folio -n "__fish_folio_using_subcommand undo" -l all -d 'With --forget, remove all patches and undos that --list would list'
complete -c folio -n "__fish_folio_using_subcommand undo" -l recover -d 'Finish or roll back interrupted runs'
complete -c folio -n "__fish_folio_using_subcommand undo" -l resolve -d 'If a file is missing, find one of that name below the current directory'
complete -c folio -n "__fish_folio_using_subcommand undo" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand undo" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand redo" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand redo" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand redo" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand redo" -s d -l dry-run -l diff -d 'Print a diff of the changes that redo would make, and write nothing'
complete -c folio -n "__fish_folio_using_subcommand redo" -l any -d 'Redo the last undo in any directory'
complete -c folio -n "__fish_folio_using_subcommand redo" -l resolve -d 'If a file is missing, find one of that name below the current directory'
complete -c folio -n "__fish_folio_using_subcommand redo" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand redo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand redo" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand list" -l mode -d 'What to list' -r -f -a "list\t'All entries'
tree\t'Directories with their number of entries, as a tree'"
complete -c folio -n "__fish_folio_using_subcommand list" -s d -l depth -l max-depth -d 'List at most N levels (default: 1, the entries of DIR)' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l limit -d 'Print at most N entries (default: 0, all)' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l offset -d 'Skip the first N entries' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l max-tokens -d 'Stop after N tokens (4 bytes each), and print how to continue' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l sort -d 'Sort order' -r -f -a "name\t'By name, in byte order'
size\t'By size, largest first'
modified\t'By time of the last change, newest first'"
complete -c folio -n "__fish_folio_using_subcommand list" -s e -l extension -d 'Include only files with these extensions: md, tar.gz' -r
complete -c folio -n "__fish_folio_using_subcommand list" -s g -l glob -d 'Include only entries that match the glob; !GLOB excludes (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand list" -s E -l exclude -d 'Exclude entries that match the glob, and their contents (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand list" -l hyperlink-format -d 'Format of hyperlinks: none, file, vscode, … or a URL with {path}' -r
complete -c folio -n "__fish_folio_using_subcommand list" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand list" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand list" -l tree -d 'Draw a tree with files: short for --mode tree --files --recursive'
complete -c folio -n "__fish_folio_using_subcommand list" -l files -d 'Include files in the tree'
complete -c folio -n "__fish_folio_using_subcommand list" -s R -s r -l recursive -d 'List subdirectories recursively, down to --depth if given'
complete -c folio -n "__fish_folio_using_subcommand list" -s l -l details -d 'Show kind, size, modification time and number of entries'
complete -c folio -n "__fish_folio_using_subcommand list" -l titles -d 'Show the title of each document: its level-1 heading or else the title in front matter, or else the first heading of the highest level'
complete -c folio -n "__fish_folio_using_subcommand list" -s I -l no-ignore -d 'Include ignored entries'
complete -c folio -n "__fish_folio_using_subcommand list" -s H -s a -s . -l hidden -l all -d 'Include hidden entries'
complete -c folio -n "__fish_folio_using_subcommand list" -s u -l unrestricted -d 'Include ignored and hidden entries'
complete -c folio -n "__fish_folio_using_subcommand list" -s 0 -l null -d 'End paths with NUL instead of a newline'
complete -c folio -n "__fish_folio_using_subcommand list" -l json-object -d 'Print one line of JSON for each directory, with all its entries'
complete -c folio -n "__fish_folio_using_subcommand list" -l no-config -d 'Ignore folio.toml and the user configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand list" -l resolve -d 'If a file is missing, find one of that name below the current directory'
complete -c folio -n "__fish_folio_using_subcommand list" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand list" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand links" -l ignore -d 'Ignore destinations that match the glob, with or without their #fragment (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l site -d 'Resolve links by the rules of this site generator (default: detected, else github)' -r -f -a "astro\t''
docusaurus\t''
github\t''
hugo\t''
jekyll\t''
mdbook\t''
mdn\t''
mkdocs\t''
vitepress\t''
wiki\t''"
complete -c folio -n "__fish_folio_using_subcommand links" -l root-dir -d 'Directory that / refers to, instead of the root of the repository' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand links" -l index-files -d 'Names of index files; a link to a directory without an index file is broken' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l fallback-extensions -d 'File extensions that links may omit' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l remap -d 'Rewrite destinations before checking; the first matching REGEX applies' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l baseline -d 'Ignore broken links listed in FILE, written by folio links --json' -r -F
complete -c folio -n "__fish_folio_using_subcommand links" -s g -l glob -d 'Include only files that match the glob; !GLOB excludes (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand links" -s t -l type -d 'Include only files of this type: md, rust, … (repeatable)' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand links" -l as -d 'Read files in this format, such as markdown, yaml or rust' -r -f -a "markdown\t'Headings, code blocks, front matter'
mdx\t'Markdown with JSX and JavaScript'
rst\t'reStructuredText'
asciidoc\t'AsciiDoc'
org\t'Org'
html\t'HTML'
man\t'Manual pages'
latex\t'LaTeX'
toml\t'Tables and keys, by key path'
yaml\t'Mappings and lists, by key path'
json\t'Objects and lists, by key path; comments allowed'
jsonl\t'A JSON value per line'
ini\t'Sections after markers, with keys'
env\t'Assignments, as in .env'
properties\t'Java properties'
log\t'Entries that begin with a time, or with [LOG-'
rust\t'Functions, types and other symbols'
python\t'Functions, types and other symbols'
javascript\t'Functions, types and other symbols'
typescript\t'Functions, types and other symbols'
tsx\t'Functions, types and other symbols'
go\t'Functions, types and other symbols'
java\t'Functions, types and other symbols'
c\t'Functions, types and other symbols'
cpp\t'Functions, types and other symbols'
ruby\t'Functions, types and other symbols'
bash\t'Functions, types and other symbols'
makefile\t'Rules, by their targets'
dockerfile\t'Stages'
sql\t'Tables, functions and other objects that CREATE creates'
text\t'Anything else'"
complete -c folio -n "__fish_folio_using_subcommand links" -l encoding -d 'Encoding of the files: utf-16le, shift_jis, latin1 (windows-1252), …' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l max-tokens -d 'Stop after N tokens (4 bytes each), and print how to continue' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l offset -d 'Skip the first N lines of output' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand links" -l hyperlink-format -d 'Format of hyperlinks: none, file, vscode, … or a URL with {path}' -r
complete -c folio -n "__fish_folio_using_subcommand links" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'
github\t'Annotations of a GitHub workflow: ::error file=…,line=…::…'"
complete -c folio -n "__fish_folio_using_subcommand links" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand links" -l fix -d 'Rewrite broken links that have only one possible target'
complete -c folio -n "__fish_folio_using_subcommand links" -s d -l dry-run -d 'Print a diff of what --fix would change, and write nothing'
complete -c folio -n "__fish_folio_using_subcommand links" -l diff -d 'Print a diff of what --fix changed'
complete -c folio -n "__fish_folio_using_subcommand links" -l all -d 'List all links with their kind and status, not only broken links (requires --json)'
complete -c folio -n "__fish_folio_using_subcommand links" -l unused -d 'Also report unused link definitions whose destination is broken'
complete -c folio -n "__fish_folio_using_subcommand links" -s q -l quiet -d 'Print nothing; exit with 1 if a link is broken'
complete -c folio -n "__fish_folio_using_subcommand links" -s 0 -l null -d 'Print records as ADDRESS NUL TEXT NUL'
complete -c folio -n "__fish_folio_using_subcommand links" -s . -l hidden -d 'Check hidden files and directories'
complete -c folio -n "__fish_folio_using_subcommand links" -l no-ignore -d 'Check ignored files'
complete -c folio -n "__fish_folio_using_subcommand links" -s a -l binary -d 'Treat binary files as text'
complete -c folio -n "__fish_folio_using_subcommand links" -l no-config -d 'Ignore folio.toml and the user configuration (folio help config)'
complete -c folio -n "__fish_folio_using_subcommand links" -l resolve -d 'If a file is missing, find one of that name below the current directory'
complete -c folio -n "__fish_folio_using_subcommand links" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand links" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand links" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand search" -s q -l query -d 'Query; repeat the option for up to ten queries' -r
complete -c folio -n "__fish_folio_using_subcommand search" -s c -l collection -d 'Collection or directory to search, or all (repeatable)' -r -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand search" -l in -d 'Search only in this section and its subsections' -r -f -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand search" -l limit -d 'Maximum number of sections for each query (1 to 100)' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l per-document -d 'Maximum number of sections per document (default: 2 within the first 5 results)' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l max-distance -d 'Omit results with a cosine distance greater than DISTANCE (0 to 2)' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l max-tokens -d 'Stop after N tokens (4 bytes each), and print how to continue' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l offset -d 'Skip the first N lines of output' -r
complete -c folio -n "__fish_folio_using_subcommand search" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand search" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand search" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand search" -l keyword-only -d 'Rank only by keywords'
complete -c folio -n "__fish_folio_using_subcommand search" -l semantic-only -d 'Rank only by meaning'
complete -c folio -n "__fish_folio_using_subcommand search" -l no-correction -d 'Do not correct query words that are not in the index'
complete -c folio -n "__fish_folio_using_subcommand search" -l no-update -d 'Do not check for changed files before searching'
complete -c folio -n "__fish_folio_using_subcommand search" -l content -d 'Include the text of each section in JSON output'
complete -c folio -n "__fish_folio_using_subcommand search" -s 0 -l null -d 'Print records as ADDRESS NUL TEXT NUL'
complete -c folio -n "__fish_folio_using_subcommand search" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand search" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand related" -l chunk -d 'Compare this text instead of the document' -r
complete -c folio -n "__fish_folio_using_subcommand related" -s c -l collection -d 'Collection or directory to search, or all (repeatable)' -r -k -a '(__folio_ask)'
complete -c folio -n "__fish_folio_using_subcommand related" -l limit -d 'Maximum number of sections (1 to 100)' -r
complete -c folio -n "__fish_folio_using_subcommand related" -l max-tokens -d 'Stop after N tokens (4 bytes each), and print how to continue' -r
complete -c folio -n "__fish_folio_using_subcommand related" -l offset -d 'Skip the first N lines of output' -r
complete -c folio -n "__fish_folio_using_subcommand related" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand related" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand related" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand related" -l same-document -d 'Include sections of the same document'
complete -c folio -n "__fish_folio_using_subcommand related" -l no-update -d 'Do not check for changed files before searching'
complete -c folio -n "__fish_folio_using_subcommand related" -l content -d 'Include the text of each section in JSON output'
complete -c folio -n "__fish_folio_using_subcommand related" -s 0 -l null -d 'Print records as ADDRESS NUL TEXT NUL'
complete -c folio -n "__fish_folio_using_subcommand related" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand related" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand related" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand collection" -l alias -d 'add: Another name for the collection (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l description -d 'add: Description of the collection' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l version -d 'add: Version that the documents describe' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l include -d 'add: Include only documents that match the glob (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l exclude -d 'add: Exclude documents and directories that match the glob (repeatable)' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l language -d 'add: Language of the documents; none for no stemming [default: detected]' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l limit -d 'show: Maximum number of documents [default: 100]' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l offset -d 'show: Skip the first N documents [default: 0]' -r
complete -c folio -n "__fish_folio_using_subcommand collection" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand collection" -l format -d 'Output format' -r -f -a "text\t'Text for people and pipes'
json\t'JSON Lines'"
complete -c folio -n "__fish_folio_using_subcommand collection" -l color -d 'When to color text' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c folio -n "__fish_folio_using_subcommand collection" -l json -d 'Short for --format json'
complete -c folio -n "__fish_folio_using_subcommand collection" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand mcp" -l tools -d 'Sets of tools: core, fs-mcp, text, documents, read_text_file, fs, related, all' -r
complete -c folio -n "__fish_folio_using_subcommand mcp" -l timeout -d 'Cancel a call after this many seconds' -r
complete -c folio -n "__fish_folio_using_subcommand mcp" -l acp-events -d 'Append each call to FILE as an Agent Client Protocol event' -r -F
complete -c folio -n "__fish_folio_using_subcommand mcp" -l acp-socket -d 'In read_text_file, request unsaved text from the editor at this Unix socket' -r -F
complete -c folio -n "__fish_folio_using_subcommand mcp" -l acp-session -d 'Session ID for --acp-events and --acp-socket' -r
complete -c folio -n "__fish_folio_using_subcommand mcp" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand mcp" -l read-only -d 'Serve only tools that do not change files'
complete -c folio -n "__fish_folio_using_subcommand mcp" -l allow-secrets -d 'Allow access to .git, .env files and key files'
complete -c folio -n "__fish_folio_using_subcommand mcp" -l verbose -d 'Report on standard error which restrictions the kernel enforces'
complete -c folio -n "__fish_folio_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand mcp" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand call" -l root -d 'Allow access only below DIR, written as NAME in addresses (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c folio -n "__fish_folio_using_subcommand call" -l list -d 'List all tools: set, name and title'
complete -c folio -n "__fish_folio_using_subcommand call" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c folio -n "__fish_folio_using_subcommand call" -s V -l version -d 'Print version'
complete -c folio -n "__fish_folio_using_subcommand schema" -l example -d 'Print examples instead of the schema (edits)'
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
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a replace -d 'Replace the part with the content'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a insert -d 'Insert the content before or after the part'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a append -d 'Append the content to a section or to the file'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a delete -d 'Delete the part'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a rename -d 'Rename a heading or INI section'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a move -d 'Move the part or the file'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a copy -d 'Copy the part'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a create -d 'Create a file'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a set -d 'Set a key, adding it if necessary'
complete -c folio -n "__fish_folio_using_subcommand patch; and not \
    __fish_seen_subcommand_from replace insert append delete rename move copy create set apply" -f -a apply -d 'Apply edits in JSON'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a add -d 'Name a directory'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a list -d 'List all collections'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a show -d 'List the documents of a collection'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a update -d 'Update indexes'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a remove -d 'Remove a name and its index'
complete -c folio -n "__fish_folio_using_subcommand collection; and not \
    __fish_seen_subcommand_from add list show update remove alias" -f -a alias -d 'Add another name'
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
