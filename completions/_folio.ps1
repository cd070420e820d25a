
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'folio' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'folio'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'folio' {
            [CompletionResult]::new('--install', '--install', [CompletionResultType]::ParameterName, 'Make links named folio-COMMAND to this binary in DIR')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'Print the names of the commands')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Show the outline of files: headings, code blocks, sections, anchors')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Print a part of a file: lines, a section, a code block, a key, to the next match')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of what a command prints')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a manual page')
            break
        }
        'folio;inspect' {
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'What to show')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'What to search for, or which lines to show')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Lines to show around each hit')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Lines to show around each hit')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Only these parts of the structure')
            [CompletionResult]::new('--max-level', '--max-level', [CompletionResultType]::ParameterName, 'Leave out headings of deeper levels')
            [CompletionResult]::new('--section-pattern', '--section-pattern', [CompletionResultType]::ParameterName, 'Lines that begin a section, in place of ^\[LOG-')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Only files whose path matches the glob; !GLOB leaves out')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'Only files whose path matches the glob; !GLOB leaves out')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Only files of this type (md, rust, …)')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only files of this type (md, rust, …)')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Take documents for this kind of text instead of detecting it')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output for people or for programs')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text')
            [CompletionResult]::new('--regex', '--regex', [CompletionResultType]::ParameterName, 'Take the query as a regular expression')
            [CompletionResult]::new('-O', '-O ', [CompletionResultType]::ParameterName, 'Headings only')
            [CompletionResult]::new('--outline', '--outline', [CompletionResultType]::ParameterName, 'Headings only')
            [CompletionResult]::new('--flat', '--flat', [CompletionResultType]::ParameterName, 'Headings as one list, not as a tree')
            [CompletionResult]::new('--tokens', '--tokens', [CompletionResultType]::ParameterName, 'Tell the size of each section in tokens (bytes / 4)')
            [CompletionResult]::new('--checksum', '--checksum', [CompletionResultType]::ParameterName, 'Tell the checksum of each file (16 digits of its SHA-256)')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'Records as ADDRESS NUL TEXT NUL, for any file name')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Records as ADDRESS NUL TEXT NUL, for any file name')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Take the pattern as literal text')
            [CompletionResult]::new('--fixed-strings', '--fixed-strings', [CompletionResultType]::ParameterName, 'Take the pattern as literal text')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Match letters of either case')
            [CompletionResult]::new('--ignore-case', '--ignore-case', [CompletionResultType]::ParameterName, 'Match letters of either case')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Match letters of the same case only (the default)')
            [CompletionResult]::new('--case-sensitive', '--case-sensitive', [CompletionResultType]::ParameterName, 'Match letters of the same case only (the default)')
            [CompletionResult]::new('-S', '-S ', [CompletionResultType]::ParameterName, 'Ignore case unless the pattern holds a capital letter')
            [CompletionResult]::new('--smart-case', '--smart-case', [CompletionResultType]::ParameterName, 'Ignore case unless the pattern holds a capital letter')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Match whole words only')
            [CompletionResult]::new('--word-regexp', '--word-regexp', [CompletionResultType]::ParameterName, 'Match whole words only')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Match whole lines only')
            [CompletionResult]::new('--line-regexp', '--line-regexp', [CompletionResultType]::ParameterName, 'Match whole lines only')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Take files that hold NUL bytes for text too')
            [CompletionResult]::new('--binary', '--binary', [CompletionResultType]::ParameterName, 'Take files that hold NUL bytes for text too')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Short for --format json')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'folio;read' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Start at this line')
            [CompletionResult]::new('--to-next', '--to-next', [CompletionResultType]::ParameterName, 'End before the next line that matches')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'End after this many lines')
            [CompletionResult]::new('--head', '--head', [CompletionResultType]::ParameterName, 'The first lines')
            [CompletionResult]::new('--tail', '--tail', [CompletionResultType]::ParameterName, 'The last lines')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'Lines: 10, 10-50, 10-, 50-60,100-110')
            [CompletionResult]::new('--section', '--section', [CompletionResultType]::ParameterName, 'A heading with its body, an INI section, a log entry; also ''Guide > Install'', ''Setup[2]''')
            [CompletionResult]::new('--body', '--body', [CompletionResultType]::ParameterName, 'The same without its first line')
            [CompletionResult]::new('--heading', '--heading', [CompletionResultType]::ParameterName, 'As --section')
            [CompletionResult]::new('--code-block', '--code-block', [CompletionResultType]::ParameterName, 'What stands between the fences of a code block, counted from 0; LANG:N counts one language')
            [CompletionResult]::new('--anchor', '--anchor', [CompletionResultType]::ParameterName, 'What #ID leads to')
            [CompletionResult]::new('--text', '--text', [CompletionResultType]::ParameterName, 'The first line that holds a text')
            [CompletionResult]::new('--pattern', '--pattern', [CompletionResultType]::ParameterName, 'The first line that matches')
            [CompletionResult]::new('--search', '--search', [CompletionResultType]::ParameterName, 'Short for --text STRING -C 5')
            [CompletionResult]::new('--target', '--target', [CompletionResultType]::ParameterName, 'A target as JSON: {"heading":"Install"}')
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'Look for the target in this section only')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'A key of the INI section or front matter')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Lines to print around a match')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Lines to print around a match')
            [CompletionResult]::new('--section-pattern', '--section-pattern', [CompletionResultType]::ParameterName, 'Lines that begin a section, in place of ^\[LOG-')
            [CompletionResult]::new('--addresses-from', '--addresses-from', [CompletionResultType]::ParameterName, 'Read the addresses that begin the lines of a file (- for standard input)')
            [CompletionResult]::new('--batch', '--batch', [CompletionResultType]::ParameterName, 'Read what JSON Lines ask for: {"address":…} or {"filePath":…,"target":…}')
            [CompletionResult]::new('--max-lines', '--max-lines', [CompletionResultType]::ParameterName, 'Cut a part after this many lines')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Cut a part after this many bytes, between lines')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Take documents for this kind of text instead of detecting it')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output for people or for programs')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text')
            [CompletionResult]::new('--to-section-end', '--to-section-end', [CompletionResultType]::ParameterName, 'End with the innermost section that holds the first line')
            [CompletionResult]::new('--outside-code', '--outside-code', [CompletionResultType]::ParameterName, 'Let --to-next pass over code blocks')
            [CompletionResult]::new('-W', '-W ', [CompletionResultType]::ParameterName, 'The whole innermost section that holds the line')
            [CompletionResult]::new('--section-context', '--section-context', [CompletionResultType]::ParameterName, 'The whole innermost section that holds the line')
            [CompletionResult]::new('--front-matter', '--front-matter', [CompletionResultType]::ParameterName, 'Front matter')
            [CompletionResult]::new('--no-children', '--no-children', [CompletionResultType]::ParameterName, 'Leave out the sections below a heading')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'The value of the key alone')
            [CompletionResult]::new('--fences', '--fences', [CompletionResultType]::ParameterName, 'The fences of the code block too')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'The lines of --addresses-from end with NUL: ADDRESS NUL TEXT NUL')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'The lines of --addresses-from end with NUL: ADDRESS NUL TEXT NUL')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Number the lines')
            [CompletionResult]::new('--number', '--number', [CompletionResultType]::ParameterName, 'Number the lines')
            [CompletionResult]::new('--show-whitespace', '--show-whitespace', [CompletionResultType]::ParameterName, 'Show tabs, line ends, no-break and zero-width characters, the BOM')
            [CompletionResult]::new('--checksum', '--checksum', [CompletionResultType]::ParameterName, 'Print only the checksum and address of each part; in JSON, add the file''s checksum')
            [CompletionResult]::new('--raw', '--raw', [CompletionResultType]::ParameterName, 'Print the file''s bytes as they are, UTF-16 too')
            [CompletionResult]::new('--no-total', '--no-total', [CompletionResultType]::ParameterName, 'Do not read on to count the file''s lines')
            [CompletionResult]::new('--resolve', '--resolve', [CompletionResultType]::ParameterName, 'Find a file that does not exist by its name, if only one below here has it')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Take the pattern as literal text')
            [CompletionResult]::new('--fixed-strings', '--fixed-strings', [CompletionResultType]::ParameterName, 'Take the pattern as literal text')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Match letters of either case')
            [CompletionResult]::new('--ignore-case', '--ignore-case', [CompletionResultType]::ParameterName, 'Match letters of either case')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Match letters of the same case only (the default)')
            [CompletionResult]::new('--case-sensitive', '--case-sensitive', [CompletionResultType]::ParameterName, 'Match letters of the same case only (the default)')
            [CompletionResult]::new('-S', '-S ', [CompletionResultType]::ParameterName, 'Ignore case unless the pattern holds a capital letter')
            [CompletionResult]::new('--smart-case', '--smart-case', [CompletionResultType]::ParameterName, 'Ignore case unless the pattern holds a capital letter')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Match whole words only')
            [CompletionResult]::new('--word-regexp', '--word-regexp', [CompletionResultType]::ParameterName, 'Match whole words only')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Match whole lines only')
            [CompletionResult]::new('--line-regexp', '--line-regexp', [CompletionResultType]::ParameterName, 'Match whole lines only')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Take files that hold NUL bytes for text too')
            [CompletionResult]::new('--binary', '--binary', [CompletionResultType]::ParameterName, 'Take files that hold NUL bytes for text too')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Short for --format json')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'folio;schema' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'folio;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'folio;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
