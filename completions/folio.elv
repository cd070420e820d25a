
use builtin;
use str;

set edit:completion:arg-completer[folio] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'folio'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'folio'= {
            cand --install 'Make links named folio-COMMAND to this binary in DIR'
            cand --list 'Print the names of the commands'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand inspect 'Show the outline of files: headings, code blocks, sections, anchors'
            cand read 'Print a part of a file: lines, a section, a code block, a key, to the next match'
            cand schema 'Print the JSON Schema of what a command prints'
            cand completions 'Print a completion script for a shell'
            cand man 'Print a manual page'
        }
        &'folio;inspect'= {
            cand --mode 'What to show'
            cand --query 'What to search for, or which lines to show'
            cand -C 'Lines to show around each hit'
            cand --context 'Lines to show around each hit'
            cand --only 'Only these parts of the structure'
            cand --max-level 'Leave out headings of deeper levels'
            cand --section-pattern 'Lines that begin a section, in place of ^\[LOG-'
            cand -g 'Only files whose path matches the glob; !GLOB leaves out'
            cand --glob 'Only files whose path matches the glob; !GLOB leaves out'
            cand -t 'Only files of this type (md, rust, …)'
            cand --type 'Only files of this type (md, rust, …)'
            cand --as 'Take documents for this kind of text instead of detecting it'
            cand --encoding 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)'
            cand --format 'Output for people or for programs'
            cand --color 'When to colour text'
            cand --regex 'Take the query as a regular expression'
            cand -O 'Headings only'
            cand --outline 'Headings only'
            cand --flat 'Headings as one list, not as a tree'
            cand --tokens 'Tell the size of each section in tokens (bytes / 4)'
            cand --checksum 'Tell the checksum of each file (16 digits of its SHA-256)'
            cand -0 'Records as ADDRESS NUL TEXT NUL, for any file name'
            cand --null 'Records as ADDRESS NUL TEXT NUL, for any file name'
            cand -F 'Take the pattern as literal text'
            cand --fixed-strings 'Take the pattern as literal text'
            cand -i 'Match letters of either case'
            cand --ignore-case 'Match letters of either case'
            cand -s 'Match letters of the same case only (the default)'
            cand --case-sensitive 'Match letters of the same case only (the default)'
            cand -S 'Ignore case unless the pattern holds a capital letter'
            cand --smart-case 'Ignore case unless the pattern holds a capital letter'
            cand -w 'Match whole words only'
            cand --word-regexp 'Match whole words only'
            cand -x 'Match whole lines only'
            cand --line-regexp 'Match whole lines only'
            cand -a 'Take files that hold NUL bytes for text too'
            cand --binary 'Take files that hold NUL bytes for text too'
            cand --json 'Short for --format json'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'folio;read'= {
            cand --from 'Start at this line'
            cand --to-next 'End before the next line that matches'
            cand --limit 'End after this many lines'
            cand --head 'The first lines'
            cand --tail 'The last lines'
            cand --lines 'Lines: 10, 10-50, 10-, 50-60,100-110'
            cand --section 'A heading with its body, an INI section, a log entry; also ''Guide > Install'', ''Setup[2]'''
            cand --body 'The same without its first line'
            cand --heading 'As --section'
            cand --code-block 'What stands between the fences of a code block, counted from 0; LANG:N counts one language'
            cand --anchor 'What #ID leads to'
            cand --text 'The first line that holds a text'
            cand --pattern 'The first line that matches'
            cand --search 'Short for --text STRING -C 5'
            cand --target 'A target as JSON: {"heading":"Install"}'
            cand --in 'Look for the target in this section only'
            cand --key 'A key of the INI section or front matter'
            cand -C 'Lines to print around a match'
            cand --context 'Lines to print around a match'
            cand --section-pattern 'Lines that begin a section, in place of ^\[LOG-'
            cand --addresses-from 'Read the addresses that begin the lines of a file (- for standard input)'
            cand --batch 'Read what JSON Lines ask for: {"address":…} or {"filePath":…,"target":…}'
            cand --max-lines 'Cut a part after this many lines'
            cand --max-bytes 'Cut a part after this many bytes, between lines'
            cand --as 'Take documents for this kind of text instead of detecting it'
            cand --encoding 'Take documents for text in this encoding (utf-8, utf-16le, latin1, shift_jis, …)'
            cand --format 'Output for people or for programs'
            cand --color 'When to colour text'
            cand --to-section-end 'End with the innermost section that holds the first line'
            cand --outside-code 'Let --to-next pass over code blocks'
            cand -W 'The whole innermost section that holds the line'
            cand --section-context 'The whole innermost section that holds the line'
            cand --front-matter 'Front matter'
            cand --no-children 'Leave out the sections below a heading'
            cand --value 'The value of the key alone'
            cand --fences 'The fences of the code block too'
            cand -0 'The lines of --addresses-from end with NUL: ADDRESS NUL TEXT NUL'
            cand --null 'The lines of --addresses-from end with NUL: ADDRESS NUL TEXT NUL'
            cand -n 'Number the lines'
            cand --number 'Number the lines'
            cand --show-whitespace 'Show tabs, line ends, no-break and zero-width characters, the BOM'
            cand --checksum 'Print only the checksum and address of each part; in JSON, add the file''s checksum'
            cand --raw 'Print the file''s bytes as they are, UTF-16 too'
            cand --no-total 'Do not read on to count the file''s lines'
            cand --resolve 'Find a file that does not exist by its name, if only one below here has it'
            cand -F 'Take the pattern as literal text'
            cand --fixed-strings 'Take the pattern as literal text'
            cand -i 'Match letters of either case'
            cand --ignore-case 'Match letters of either case'
            cand -s 'Match letters of the same case only (the default)'
            cand --case-sensitive 'Match letters of the same case only (the default)'
            cand -S 'Ignore case unless the pattern holds a capital letter'
            cand --smart-case 'Ignore case unless the pattern holds a capital letter'
            cand -w 'Match whole words only'
            cand --word-regexp 'Match whole words only'
            cand -x 'Match whole lines only'
            cand --line-regexp 'Match whole lines only'
            cand -a 'Take files that hold NUL bytes for text too'
            cand --binary 'Take files that hold NUL bytes for text too'
            cand --json 'Short for --format json'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'folio;schema'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'folio;completions'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'folio;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
    ]
    $completions[$command]
}
