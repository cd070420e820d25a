//! Tests of edits of INI files.

use super::*;
use crate::edit;
use crate::find::{KeyMiss, Step, look_up};
use crate::tree::Syntax;

/// Sets a key, as a program does that knows only its path.
fn set_value(dialect: IniDialect, text: &str, path: &str, value: &str) -> IniResult {
    let tree = parse(dialect, text).expect("a document");
    let value = Value::string(value);
    let (path, found) = look_up(&tree, path).expect("a path");
    let edits = match found {
        Ok(found) => replace(&tree, found.index, &value, Check::Now)?,
        Err(KeyMiss::Ambiguous { .. }) => return Err("several".to_owned().into()),
        Err(KeyMiss::NotFound { container, steps }) => {
            let name = |step: &Step| match step {
                Step::Name(name) => Ok(name.clone()),
                _ => Err(KeyRefusal::Other("no such number".to_owned())),
            };
            let names: IniResult<Vec<String>> = path.steps[steps..].iter().map(name).collect();
            insert_key(&tree, container.index, &names?, &value, Check::Now)?
        }
    };
    Ok(edits)
}

#[track_caller]
fn check_set(
    dialect: IniDialect,
    text: &str,
    path: &str,
    value: &str,
    expected: &str,
) -> Vec<Note> {
    let edits = set_value(dialect, text, path, value);
    let edits = edits.map_err(|refusal| format!("{path} = {value}: {refusal}"));
    let edits = edits.expect("planned");
    assert_eq!(apply(text, &edits.changes), expected, "{path} = {value}");
    edits.notes
}

#[track_caller]
fn check_refusal(dialect: IniDialect, text: &str, path: &str, value: &str, message: &str) {
    let refusal = set_value(dialect, text, path, value).expect_err("refused").to_string();
    assert!(refusal.contains(message), "{refusal}");
}

const SETTINGS: &str = "[a]\nx = 1 ; note\n\n[b]\ny=2\n";

#[test]
fn values_are_set_in_their_style() {
    let check_setting = |path: &str, value: &str, expected: &str| {
        check_set(IniDialect::Indented, SETTINGS, path, value, expected)
    };
    check_setting("a.x", "v w", &SETTINGS.replace("x = 1", "x = v w"));
    check_setting("a.X", "v", &SETTINGS.replace("x = 1", "x = v"));
    check_setting("a.x", "", &SETTINGS.replace("x = 1", "x = "));
    check_setting("a.z", "v w", &SETTINGS.replace("note\n", "note\nz = v w\n"));
    check_setting("b.z", "v w", &format!("{SETTINGS}z=v w\n"));
    check_setting("b.z", "", &format!("{SETTINGS}z=\n"));
    assert_eq!(
        check_setting("n.z", "v w", &format!("{SETTINGS}\n[n]\nz=v w\n")),
        [Note::InNewSection("[n]".to_owned())]
    );
    assert_eq!(
        check_setting("A.x", "1", &format!("{SETTINGS}\n[A]\nx=1\n")),
        [Note::SimilarSection(1), Note::InNewSection("[A]".to_owned())]
    );
}

#[test]
fn quotes_and_comments_of_old_values_are_kept() {
    let indented = IniDialect::Indented;
    check_set(indented, "k = \"a\" ; c\n", "k", "b ; d", "k = \"b ; d\" ; c\n");
    check_set(indented, "k = 'a'\n", "k", "\"b\"", "k = 'b'\n");
    check_set(indented, "k = a\n", "k", "\"b c\"", "k = \"b c\"\n");
    check_set(indented, "k = \"a\", \"b\"\n", "k", "\"c\"", "k = \"c\"\n");
    check_refusal(indented, "k = a\n", "k", "b # c", "would be read as something else");
    check_refusal(indented, "k = \"a\"\n", "k", "a\"b ; c", "would be read as something else");
    check_refusal(indented, "k = a\n", "n", "b # c", "would be read as something else");
    check_set(IniDialect::Python, "[a]\nk = \"1\" # z\n", "a.k", "2 # e", "[a]\nk = 2 # e\n");
    check_set(IniDialect::Systemd, "[a]\nk=\"b ; c\"\n", "a.k", "new ; x", "[a]\nk=new ; x\n");
    check_set(IniDialect::Git, "[a]\nx = \"b;c\" d#e\n", "a.x", "new", "[a]\nx = new#e\n");
    let git = "[a]\nx = \"b\\\\c\" # d\n";
    check_set(IniDialect::Git, git, "a.x", r"C:\d", "[a]\nx = \"C:\\\\d\" # d\n");
    check_set(IniDialect::Git, "[a]\nx = 1\n", "a.y", " b;", "[a]\nx = 1\ny = \" b;\"\n");
    check_set(IniDialect::Npm, "@a:b=1 ; c\n", "@a:b", "x#y", "@a:b=\"x#y\" ; c\n");
    check_set(IniDialect::Unknown, "k =# c\n", "k", "v", "k =v # c\n");
    check_set(indented, "k = a\n  b ; c\n  # d\n  e\nl = 1\n", "k", "f", "k = f\nl = 1\n");
    check_set(indented, "k = \"a\"\n  b\n", "k", "f", "k = f\n");
    check_set(indented, "k: a\r\n[s]\r\n", "k", "b", "k: b\r\n[s]\r\n");
    check_set(indented, "k: a\r\n[s]\r\n", "s.l", "b", "k: a\r\n[s]\r\nl = b\r\n");
}

#[test]
fn edits_note_kept_comments() {
    let notes = |syntax: Syntax, text: &str| {
        let tree = crate::parse(syntax, text.as_bytes()).expect("valid");
        let value = Value::string("b");
        edit::replace(&tree, 1, &value, Check::Now).expect("planned").notes
    };
    let ini = Syntax::Ini(IniDialect::Indented);
    assert_eq!(notes(ini, "k = \"a\" ; c\n"), [Note::KeptComment]);
    assert_eq!(notes(Syntax::Yaml, "k: a # c\n"), [Note::KeptComment]);
    assert!(notes(Syntax::Ini(IniDialect::Python), "k = a # c\n").is_empty());
    assert!(notes(ini, "k = a\n").is_empty());
}

#[test]
fn values_of_several_lines_are_refused() {
    let indented = IniDialect::Indented;
    for value in ["a\nb", "a\rb", "5\n[evil]"] {
        check_refusal(indented, SETTINGS, "a.x", value, "one line");
        check_refusal(indented, SETTINGS, "a.n", value, "one line");
    }
    check_refusal(indented, SETTINGS, "a.x", "\u{a0}b", "whitespace");
    check_set(IniDialect::Systemd, "[a]\nx=1\n", "a.x", "b\u{a0}", "[a]\nx=b\u{a0}\n");
    let toml = "[a]\nx = 1\nlist = [\n  \"b\",\n]\n[c]\ny = \"\"\"\nz\n\"\"\"\n";
    for (path, message) in [
        ("a.list", "the value of 'list' spans several lines as in TOML"),
        ("a.new", "the value of 'list' spans several lines"),
        ("c.y", "the value of 'y' spans several lines"),
    ] {
        check_refusal(indented, toml, path, "1", message);
    }
    check_set(indented, toml, "a.x", "2", &toml.replace("x = 1", "x = 2"));
    check_set(indented, "k = [\n  1\n  ]\n", "l", "2", "k = [\n  1\n  ]\nl = 2\n");
}

#[test]
fn values_that_may_continue_are_refused() {
    let text = "[tox]\nl = one\n\n  # c\n\n  two: 2\n";
    let message = "the value of 'l' may continue on line 6, after a blank line";
    check_refusal(IniDialect::Indented, text, "tox.l", "x", message);
    check_refusal(IniDialect::Indented, text, "tox.n", "x", message);
    check_set(IniDialect::Python, text, "tox.l", "x", "[tox]\nl = x\n");
    let other = "[a]\n\tl = one\n\n\tthree\n";
    check_set(IniDialect::Indented, other, "a.l", "x", &other.replace("one", "x"));
    let tree = parse(IniDialect::Indented, text).expect("a document");
    assert!(remove(&tree, 2, Check::Now).is_err() && rename(&tree, 2, "m", Check::Now).is_err());
}

#[test]
fn keys_before_the_first_section_are_not_possible_everywhere() {
    let message = "the new key 'z' needs a section";
    for dialect in [IniDialect::Indented, IniDialect::Systemd] {
        check_refusal(dialect, SETTINGS, "z", "v", message);
    }
    check_refusal(IniDialect::Git, "", "z", "v", message);
    check_refusal(IniDialect::Indented, SETTINGS, "x", "v", "no key 'x' before the first section");
    check_set(IniDialect::Line, "[*]\n", "root", "true", "root = true\n[*]\n");
    check_set(IniDialect::Indented, "k = 1\n[a]\n", "z", "v", "k = 1\nz = v\n[a]\n");
    check_set(IniDialect::Npm, "", "//r.io/:_a", "2", "//r.io/:_a = 2\n");
    let notes = check_set(IniDialect::Indented, "a = 1\n", "b.c", "2", "a = 1\nb.c = 2\n");
    assert_eq!(notes, [Note::LiteralName("b.c".to_owned())]);
    let notes = check_set(IniDialect::Systemd, "[S]\nE=1\n", "S.'E[1]'", "x", "[S]\nE=1\nE[1]=x\n");
    assert_eq!(notes, [Note::LiteralName("E[1]".to_owned())]);
    check_refusal(IniDialect::Systemd, "[S]\nE=1\n", "S.E[1]", "x", "no such number");
}

#[test]
fn bare_keys_get_a_value() {
    let text = "a: 1\n[b]\n x\ny=2\n[c]\nz\n  more\n";
    let indented = IniDialect::Indented;
    check_set(indented, text, "b.x", "v w", &text.replace(" x\n", " x=v w\n"));
    // The key below would be a part of the value.
    check_refusal(indented, text, "c.z", "v", "the edit would change other data too");
    check_set(indented, "[b]\nx\ny\n", "b.x", "v", "[b]\nx = v\ny\n");
    check_set(indented, "k=1\nskip # c\n", "skip", "y", "k=1\nskip=y # c\n");
    check_set(indented, "[a]\nx: 1\n[b]\n  skip", "b.SKIP", "y", "[a]\nx: 1\n[b]\n  skip: y");
    check_refusal(IniDialect::Python, "[a]\nskip # c\n", "a.skip", "y", "read as something else");
}

#[test]
fn a_commented_example_is_replaced() {
    let unknown = IniDialect::Unknown;
    let before = "[Journal]\n# Storage=where logs are\n#Storage=auto ; note\nX=1\n[Other]\n#Y=1\n";
    let after = before.replace("#Storage=auto", "Storage=none");
    let notes = check_set(unknown, before, "Journal.Storage", "none", &after);
    assert_eq!(notes, [Note::InPlaceOfComment]);
    let added = before.replace("X=1\n", "X=1\nY=none\n");
    assert!(check_set(unknown, before, "Journal.Y", "none", &added).is_empty());
    let several = "[J]\n#S=a\n#S=b\nX=1\n";
    check_set(unknown, several, "J.S", "c", &format!("{several}S=c\n"));
    // The line is within the value of another key.
    let within = "[J]\nX=1 \\\n#S=a\n  2\n";
    check_set(unknown, within, "J.S", "c", &format!("{within}S=c\n"));
    let plain = "a = 1\n#port = 5432\t# (restart)\n";
    check_set(unknown, plain, "port", "5", "a = 1\nport = 5\t# (restart)\n");
}

#[test]
fn new_keys_are_below_the_last_key() {
    let text = "[u]\n\tn = a\n# on v\n\n[v]\n";
    let expected = text.replace("n = a\n", "n = a\n\tm = b\n");
    check_set(IniDialect::Git, text, "u.m", "b", &expected);
    check_set(IniDialect::Git, text, "v.m", "b", &format!("{text}m = b\n"));
    check_set(IniDialect::Indented, "[a]", "a.k", "v", "[a]\nk = v");
    let message = "a key on the line of its section is not supported";
    check_refusal(IniDialect::Git, "[a] k = 1\n", "a.k", "2", message);
    check_set(IniDialect::Git, "[a] ; c\n", "a.k", "2", "[a] ; c\nk = 2\n");
}

#[test]
fn new_sections_are_at_the_end() {
    let indented = IniDialect::Indented;
    check_set(indented, "", "n.z", "v", "[n]\nz = v\n");
    check_set(indented, "[u]\n\tn = a\n", "c.e", "1", "[u]\n\tn = a\n\n[c]\ne = 1\n");
    check_set(indented, "[u]\nn=a", "c.e", "1", "[u]\nn=a\n\n[c]\ne=1");
    check_set(indented, "[u]\nn=a\n\n", "c.e", "1", "[u]\nn=a\n\n[c]\ne=1\n");
    // Where sections have no blank lines above them, neither has the new one.
    let dense = "[u]\nn=a\n[v]\nm=b\n";
    check_set(indented, dense, "c.e", "1", &format!("{dense}[c]\ne=1\n"));
    let globs = "root = true\n\n[*.[ch]]\nx = 1\n";
    for section in ["[ab].[cd]", "*.rs", "file[12]"] {
        let added = format!("{globs}\n[{section}]\nx = 2\n");
        check_set(IniDialect::Line, globs, &format!("{section}.x"), "2", &added);
    }
    let git = "[branch \"a\"]\n\tmerge = 1\n";
    let added = format!("{git}\n[remote \"b.c\"]\nurl = 2\n");
    check_set(IniDialect::Git, git, "remote.b.c.url", "2", &added);
    for path in ["'Peer[2]'.k", "Peer[k=b].k", "a]b.k"] {
        check_refusal(IniDialect::Unknown, "[Peer]\nk=b\n", path, "1", "name of a section");
    }
    let tree = parse(IniDialect::Indented, SETTINGS).expect("a document");
    let names = ["[a]", "n"].map(str::to_owned);
    let value = Value::string("1");
    let edits = insert_key(&tree, Tree::ROOT, &names, &value, Check::Now).expect("planned");
    assert_eq!(apply(SETTINGS, &edits.changes), SETTINGS.replace("note\n", "note\nn = 1\n"));
}

#[test]
fn names_must_be_read_back() {
    let tree = parse(IniDialect::Indented, SETTINGS).expect("a document");
    for name in ["x\n[evil]\ny", "[x]", " x ", "x=y", "x:y", "#x", ";x", "", "\u{a0}x"] {
        let names = [name.to_owned()];
        let value = Value::string("v");
        let added = insert_key(&tree, 1, &names, &value, Check::Now);
        assert_eq!(added, Err(KeyRefusal::NoKeyName(name.to_owned())), "{name}");
        let renamed = rename(&tree, 2, name, Check::Now);
        assert_eq!(renamed, Err(KeyRefusal::NoKeyName(name.to_owned())), "{name}");
    }
    let npm = parse(IniDialect::Npm, "a=1\n").expect("a document");
    assert!(rename(&npm, 1, "@x:y", Check::Now).is_ok());
}

#[test]
fn keys_and_sections_are_renamed() {
    let text = "[u]\na = 1 ; one\nb=2\nb=3\nbare\n[v]\n [w ] ; c\n";
    let tree = parse(IniDialect::Indented, text).expect("a document");
    let renamed = |index: usize, name: &str| {
        rename(&tree, index, name, Check::Now)
            .map(|edits| (apply(text, &edits.changes), edits.notes))
    };
    let check_rename = |index, name, from: &str, to: &str| {
        assert_eq!(renamed(index, name), Ok((text.replacen(from, to, 1), Vec::new())));
    };
    check_rename(2, "c", "a =", "c =");
    check_rename(2, "A", "a =", "A =");
    check_rename(4, "c", "b=3", "c=3");
    check_rename(5, "naked", "bare", "naked");
    check_rename(1, "new", "[u]", "[new]");
    check_rename(7, "[new]", "[w ]", "[new]");
    let exists = |index, name: &str| Err(KeyRefusal::Exists { index, name: name.to_owned() });
    assert_eq!(renamed(2, "b"), exists(3, "b"));
    assert_eq!(renamed(2, "a"), exists(2, "a"));
    assert_eq!(renamed(2, "B"), exists(3, "B"));
    let noted = renamed(1, "v").expect("planned");
    assert_eq!(noted, (text.replace("[u]", "[v]"), vec![Note::SameSection(6)]));
    for name in ["x]y", "[]", "", "a\n[b]"] {
        assert!(matches!(renamed(1, name), Err(KeyRefusal::NoSectionName(_))), "{name}");
    }
}

#[test]
fn keys_and_sections_are_removed() {
    let text = "k=1\n\n[a]\n# on x\nx = 1\n  more\ny = 2\n\n[b]\nz = 3\n";
    let tree = parse(IniDialect::Indented, text).expect("a document");
    let removed = |index: usize| {
        let edits = remove(&tree, index, Check::Now).expect("planned");
        apply(text, &edits.changes)
    };
    assert_eq!(removed(3), text.replace("x = 1\n  more\n", ""));
    assert_eq!(removed(4), text.replace("y = 2\n", ""));
    assert_eq!(removed(2), "k=1\n\n[b]\nz = 3\n");
    assert_eq!(removed(5), text.replace("\n[b]\nz = 3\n", ""));
    let unit = "[Service]\nExecStart=/a \\\n  -d\n  Restart=no\n";
    let tree = parse(IniDialect::Systemd, unit).expect("a document");
    let edits = remove(&tree, 2, Check::Now).expect("planned");
    assert_eq!(apply(unit, &edits.changes), "[Service]\n  Restart=no\n");
}

#[test]
fn whole_lines_are_inserted_and_replaced() {
    let text = "[a]\n  x = 1 ; one\n  y = 2\n\n[b]\n";
    let tree = parse(IniDialect::Indented, text).expect("a document");
    let inserted = |section, name, content| {
        let edits = insert_line(&tree, section, name, content, Check::Now);
        edits.map(|edits| apply(text, &edits.changes))
    };
    let line = |text: &str| Ok(text.to_owned());
    assert_eq!(
        inserted(1, "n", "n = 5 ; five\n"),
        line(&text.replace("2\n", "2\n  n = 5 ; five\n"))
    );
    assert_eq!(inserted(4, "n", "n: 5\n  more"), line(&format!("{text}n: 5\n  more\n")));
    assert_eq!(inserted(4, "n", "n"), line(&format!("{text}n\n")));
    let exists = KeyRefusal::Exists { index: 2, name: "x".to_owned() };
    assert_eq!(inserted(1, "x", "x = 1"), Err(exists));
    for content in ["5", "m = 1", "n = 5\n[evil]\nz = 1", "n = 5\nm = 1", "[n]", ""] {
        assert_eq!(inserted(1, "n", content), Err(KeyRefusal::NotOneKey("n".to_owned())));
    }
    let replaced = |index, content| {
        let edits = replace_line(&tree, index, content);
        edits.map(|edits| apply(text, &edits.changes))
    };
    assert_eq!(replaced(2, "X = 5 # c"), line(&text.replace("x = 1 ; one", "X = 5 # c")));
    assert_eq!(
        replaced(2, "x = \n    5\n    6\n"),
        line(&text.replace("x = 1 ; one", "x = \n      5\n      6"))
    );
    assert_eq!(replaced(3, "y = 3 \\"), line(&text.replace("y = 2", "y = 3 \\")));
    assert_eq!(
        replaced(2, "x = 3 \\"),
        Err(KeyRefusal::Other("the edit would change other data too".to_owned()))
    );
    for content in ["new", "x = 1\n[evil]", "y = 1", ""] {
        assert_eq!(replaced(2, content), Err(KeyRefusal::NotOneKey("x".to_owned())));
    }
}

#[test]
fn the_order_of_repeated_sections_and_keys_is_data() {
    let tree = |text: &str| parse(IniDialect::Systemd, text).expect("a document");
    let old = tree("[P]\nk=1\n[P]\nl=2\nk=3\n");
    let value = string_value_tree(&old, "3").expect("a string");
    let keeps =
        |new: &str, intent: Intent<'_>| crate::verify::keeps_order(&old, &tree(new), &intent);
    let replace = Intent::Replace(2, Some(&value));
    assert!(keeps("[P]\nk=3\n[P]\nl=2\nk=3\n", replace));
    assert!(!keeps("[P]\nk=3\n[P]\nk=3\nl=2\n", replace));
    assert!(keeps("[P]\n[P]\nl=2\nk=3\n", Intent::Remove(2)));
    assert!(!keeps("[P]\nl=2\n[P]\nk=3\n", Intent::Remove(2)));
    let keys = [NewKey { name: "n", source: "n".to_owned() }];
    let insert = Intent::Insert(1, Place::Key(&keys), &value);
    assert!(keeps("[P]\nk=1\nn=3\n[P]\nl=2\nk=3\n", insert));
    assert!(!keeps("[P]\nk=1\n[P]\nl=2\nn=3\nk=3\n", insert));
    assert!(!keeps("[P]\nk=1\nn=3\n[P]\nk=3\nl=2\n", insert));
}

#[test]
fn lists_nested_keys_and_other_types_are_refused() {
    let tree = parse(IniDialect::Indented, "k = 1\n[a]\nx = 1\nbare\n").expect("a document");
    let value = Value::string("v");
    let message = |edits: IniResult| edits.expect_err("refused").to_string();
    for index in 0..tree.nodes.len() {
        let added = edit::insert_item(&tree, index, None, &value, Check::Now);
        assert_eq!(message(added), "this format has no lists");
    }
    let names = ["n", "m"].map(str::to_owned);
    for index in [2, 4] {
        let added = edit::insert_key(&tree, index, &names, &value, Check::Now);
        assert_eq!(message(added), "this format has no nested keys");
    }
    assert_eq!(
        message(edit::insert_key(&tree, 1, &names[..1], &value, Check::Now)),
        "a string has no keys"
    );
    let number = Value::source(Kind::Integer, "1");
    let strings = "values of this format are strings";
    assert_eq!(message(edit::replace(&tree, 1, &number, Check::Now)), strings);
    let table = "a section has no value of its own; set its keys";
    assert_eq!(message(edit::replace(&tree, 2, &value, Check::Now)), table);
    let beside = crate::beside::insert_beside(&tree, 2, true, "z = 1", Check::Now);
    assert_eq!(message(beside), table);
}

#[test]
fn several_edits_go_together() {
    let text = "[a]\nx=1\nx=2\ny=1\n[b]\nz=1\n";
    let syntax = Syntax::Ini(IniDialect::Systemd);
    let tree = parse(IniDialect::Systemd, text).expect("a document");
    let value = Value::string("9");
    let edits = [
        remove(&tree, 2, Check::Later),
        replace(&tree, 4, &value, Check::Later),
        insert_key(&tree, 5, &["n".to_owned()], &value, Check::Later),
    ];
    let edits: Vec<Edits> = edits.into_iter().map(|edits| edits.expect("planned")).collect();
    let differences: Vec<Difference> = edits.iter().filter_map(|edits| edits.difference).collect();
    assert_eq!(differences.len(), edits.len());
    let changes: Vec<Change> = edits.into_iter().flat_map(|edits| edits.changes).collect();
    let new = apply(text, &changes);
    assert_eq!(new, "[a]\nx=2\ny=9\n[b]\nz=1\nn=9\n");
    assert!(edit::has_all(syntax, text.as_bytes(), &differences, new.as_bytes()));
    assert!(!edit::has_all(syntax, text.as_bytes(), &differences[1..], new.as_bytes()));
}

#[test]
fn keys_of_light_markup_keep_their_marks() {
    let asciidoc = "= T\n:a: 1\n:!u:\n:l: x \\\n  y\n\n:z: 2\n";
    let check_asciidoc = |path: &str, value: &str, expected: &str| {
        check_set(IniDialect::AsciiDoc, asciidoc, path, value, expected);
    };
    check_asciidoc("a", "b c", &asciidoc.replace("a: 1", "a: b c"));
    check_asciidoc("a", "", &asciidoc.replace("a: 1", "a: "));
    check_asciidoc("l", "v", &asciidoc.replace("x \\\n  y", "v"));
    check_asciidoc("n", "v", &asciidoc.replace("1\n", "1\n:n: v\n"));
    check_refusal(IniDialect::AsciiDoc, asciidoc, "u", "v", "not supported: this line unsets 'u'");
    check_refusal(IniDialect::AsciiDoc, asciidoc, "a", "v \\", "other data");
    check_refusal(IniDialect::AsciiDoc, "= T\n", "n", "v", "not supported: there is no other key");
    let org = ":PROPERTIES:\n:ID: 1\n:END:\n#+title: T\n* A\n:PROPERTIES:\n:k: v\n:END:\n* B\n";
    let check_org = |path: &str, value: &str, expected: &str| {
        check_set(IniDialect::Org, org, path, value, expected);
    };
    check_org("TITLE", "U", &org.replace("title: T", "title: U"));
    check_org("date", "x", &org.replace(": T\n", ": T\n#+date: x\n"));
    check_org("A.k", "w", &org.replace("k: v", "k: w"));
    check_org("A.n", "w", &org.replace("k: v\n", "k: v\n:n: w\n"));
    check_refusal(IniDialect::Org, org, "B.n", "w", "not supported: there is no other key");
    let rst = ":Author: A\n:Long: x\n   y\n\ntext\n\n:no: key\n";
    let check_rst = |path: &str, value: &str, expected: &str| {
        check_set(IniDialect::Rst, rst, path, value, expected);
    };
    check_rst("Author", "B", &rst.replace(": A", ": B"));
    check_rst("long", "z", &rst.replace("x\n   y", "z"));
    check_rst("New one", "z", &rst.replace("y\n\nt", "y\n:New one: z\n\nt"));
    check_refusal(IniDialect::Rst, rst, "a`b", "z", "not be the name of a key");
    let remove = |dialect, text: &str, path: &str| {
        let tree = parse(dialect, text).expect("keys");
        let index = look_up(&tree, path).expect("a path").1.expect("a key").index;
        let edits = edit::remove_with_comments(&tree, index, Check::Now).expect("planned");
        apply(text, &edits.changes)
    };
    assert_eq!(remove(IniDialect::Org, "#+a: 1\n#+b: 2\n", "b"), "#+a: 1\n");
    assert_eq!(
        remove(IniDialect::AsciiDoc, asciidoc, "l"),
        asciidoc.replace(":l: x \\\n  y\n", "")
    );
}
