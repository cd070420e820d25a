//! Keys and sections of INI files, in the dialect of each file.

use super::{SETTINGS, check_invalid};
use crate::support::Sandbox;
use crate::support::edits::{check_edit, check_refused, edit};
use crate::support::records::{File, Record};

#[test]
fn an_ini_key_has_a_path_of_its_section_and_name() {
    let text = "[core]\n\teditor = vim\n[remote \"origin\"]\n\turl = git@x\n[a.b]\nc = 1\nc = 2\n";
    let sandbox = Sandbox::with(&[("git.ini", text)]);
    let read = |key: &str| sandbox.run(&["read", "git.ini", "--value", "--key", key]);
    read("core.editor").prints("vim\n");
    read("remote.origin.url").prints("git@x\n");
    read("a.b.c[1]").prints("2\n");
    read("a.b.c").exits(3).tells("--key '\"a.b\".c[0]'");
    sandbox.run(&["read", "git.ini#core.editor"]).prints("\teditor = vim\n");
    for (condition, status) in
        [("core.editor=^vi", 0), ("editor", 0), ("editor=emacs", 1), ("core.url", 1)]
    {
        sandbox.run(&["inspect", "--with-key", condition, "git.ini"]).exits(status);
    }
    for (key, value) in [("remote.origin.url", "y"), ("core.pager", "less"), ("new.key", "1")] {
        sandbox.run(&["patch", "set", "git.ini", "--key", key, "-c", value]).succeeds();
    }
    let set = text.replace("git@x", "y").replace("vim\n", "vim\n\tpager = less\n");
    let all = format!("{set}[new]\nkey = 1\n");
    sandbox.run(&["read", "git.ini"]).prints(all);
}

#[test]
fn a_path_of_a_missing_ini_section_creates_it() {
    let set = |key: &'static str| ["set", "--key", key, "-c", "1"];
    check_edit("a.ini", "[u]\n\tn = a\n", &set("core.e"), "[u]\n\tn = a\n\n[core]\ne = 1\n");
    check_edit("a.ini", "a.x = 2\n", &set("a.y"), "a.x = 2\na.y = 1\n");
    let twice = "[a]\nx=1\n\n[a]\ny=2\n";
    check_edit("a.ini", twice, &set("a.y"), "[a]\nx=1\n\n[a]\ny=1\n");
    check_refused("a.ini", twice, &set("a.n"), 3, "--key 'a[1].n'");
    let sandbox = Sandbox::with(&[("a.ini", twice)]);
    sandbox.run(&["read", "a.ini", "--key", "a.x", "--value"]).prints("1\n");
    sandbox.run(&["read", "a.ini", "--key", "a.q"]).exits(3).tells("--key 'a[1].q'");
    sandbox.run(&["inspect", "--with-key", "a.y", "a.ini"]).exits(0);
}

#[test]
fn ini_keys_are_renamed_emptied_and_numbered() {
    let text = "[u]\na = 1 ; one\nb=2\nb=3\n";
    check_edit("a.ini", text, &["rename", "--key", "u.a", "-c", "c"], &text.replace("a =", "c ="));
    check_edit("a.ini", text, &["rename", "--key", "u.a", "-c", "A"], &text.replace("a =", "A ="));
    for name in ["b", "[x", "x=y", "a"] {
        check_refused("a.ini", text, &["rename", "--key", "u.a", "-c", name], 2, name);
    }
    check_edit("a.ini", text, &["set", "--key", "u.b[1]", "-c", ""], &text.replace("b=3", "b="));
    check_edit("a.ini", text, &["set", "--key", "u.b[-2]", "-c", "4"], &text.replace("b=2", "b=4"));
    check_edit("a.ini", text, &["set", "--key", "u.n", "-c", ""], &format!("{text}n=\n"));
    check_refused("a.ini", text, &["set", "--key", "u.b[2]", "-c", "4"], 1, "no key 'b[2]'");
}

#[test]
fn a_value_that_may_continue_after_a_blank_line_is_not_edited() {
    let text = "[a]\nl = one\n  two\n\n  three\n";
    let message = "line 2: the value of 'l' may continue on line 5, after a blank line";
    check_refused("a.ini", text, &["set", "--key", "a.l", "-c", "x"], 2, message);
    check_refused("a.ini", text, &["delete", "--key", "a.l"], 2, message);
    let other = "[a]\n\tl = one\n\n\tthree\n";
    check_edit("a.ini", other, &["set", "--key", "a.l", "-c", "x"], &other.replace("one", "x"));
    let text = "[tox]\nl = one\n\n  # c\n\n  two: 2\n";
    let message = "line 2: the value of 'l' may continue on line 6, after a blank line";
    check_refused("tox.ini", text, &["set", "--key", "tox.l", "-c", "x"], 2, message);
    check_refused("tox.ini", text, &["set", "--key", "tox.n", "-c", "x"], 2, message);
    check_edit("pytest.ini", text, &["set", "--key", "tox.l", "-c", "x"], "[tox]\nl = x\n");
}

#[test]
fn values_of_units_have_no_inline_comments() {
    let unit = "[Service]\nExecStart=/bin/sh -c \"a ; b\" \\\n# not this\n  -d\n";
    let sandbox = Sandbox::with(&[("y.service", unit)]);
    let read = ["read", "y.service", "--key", "Service.ExecStart", "--value"];
    sandbox.run(&read).exits(0).prints("/bin/sh -c \"a ; b\" -d\n");
}

#[test]
fn selected_keys_have_the_dialect_of_their_file() {
    let git = "[core]\n  a = 1\n    b = 2\n";
    let delete = ["delete", "--kind", "key", "--matching", "^a$"];
    check_edit(".gitconfig", git, &delete, "[core]\n    b = 2\n");
    let rc = "[run]\nsetenv = A=1\n    B=2\n";
    check_edit(".coveragerc", rc, &["delete", "--section", "run", "--key", "setenv"], "[run]\n");
}

#[test]
fn keys_of_every_kind_are_shown() {
    let text = "top = 1\nflag\n[db]\nhost = a\nskip-networking\nport=1\n";
    let sandbox = Sandbox::with(&[("a.ini", text)]);
    let file = File::one(&sandbox.run(&["inspect", "--json", "a.ini"]).succeeds());
    assert_eq!(file.structure.keys.expect("keys"), ["top", "flag"]);
    let db = &file.structure.sections.expect("sections")[0];
    assert_eq!(db.keys.as_ref().expect("keys"), &["host", "skip-networking", "port"]);
    let shown = sandbox.run(&["inspect", "a.ini"]).succeeds();
    shown.prints("a.ini:1-2:keys: top, flag\na.ini:3-6:[db]\n");
    let read = |words: &[&str]| sandbox.run(&[&["read", "a.ini"], words].concat()).succeeds();
    read(&["--key", "flag"]).prints("flag\n");
    read(&["--section", "db", "--key", "skip-networking"]).prints("skip-networking\n");
    read(&["--section", "db", "--key", "skip-networking", "--value"]).prints("\n");
    let patch = ["patch", "replace", "a.ini", "--section", "db", "--key", "skip-networking"];
    sandbox.run(&[&patch[..], &["--value", "-c", "1"]].concat()).succeeds();
    read(&["--key", "db.skip-networking"]).prints("skip-networking=1\n");
}

#[test]
fn keys_of_sections_are_set_and_created() {
    let set = |section, key| ["set", "--section", section, "--key", key, "-c", "v w"];
    check_edit("a.ini", SETTINGS, &set("a", "x"), &SETTINGS.replace("x = 1", "x = v w"));
    check_edit("a.ini", SETTINGS, &set("a", "z"), &SETTINGS.replace("note\n", "note\nz = v w\n"));
    check_edit("a.ini", SETTINGS, &set("[n]", "z"), &format!("{SETTINGS}\n[n]\nz=v w\n"));
    let top = ["set", "--key", "z", "-c", "v w"];
    check_invalid("a.ini", SETTINGS, &top, "the new key 'z' needs a section");
    check_invalid("a.service", SETTINGS, &top, "needs a section");
    check_edit(
        ".editorconfig",
        "[*]\n",
        &["set", "--key", "root", "-c", "true"],
        "root = true\n[*]\n",
    );
    check_edit("a.ini", "k = 1\n[a]\n", &top, "k = 1\nz = v w\n[a]\n");
    check_edit("a.ini", "", &set("n", "z"), "[n]\nz = v w\n");
    // The style is that of the last key with a value in any section.
    let bare = "a: 1\n[b]\n x\ny=2\n[c]\nz\n  more\n";
    check_edit("a.ini", bare, &set("b", "x"), &bare.replace(" x\n", " x=v w\n"));
    check_edit("a.ini", "[b]\nx\ny\n", &set("b", "x"), "[b]\nx = v w\ny\n");
    let edited = edit("a.ini", SETTINGS.as_bytes(), &set("A", "x"));
    assert!(edited.records[0]["warnings"][0].as_str().is_some_and(|text| text.contains("'[a]'")));
    let same = edit("a.ini", b"k = v w\n", &["set", "--key", "k", "-c", "v w"]);
    assert_eq!(same.records[0]["status"], "unchanged");
    check_invalid("a.ini", "k = 1\nk = 2\n[x]\n", &["set", "-c", "v"], "needs a key");
    check_invalid("a.ini", SETTINGS, &set("a]b", "x"), "would not be the name");
    check_invalid("a.md", "# A\n", &["set", "--section", "A", "-c", "v"], "needs a key");
    let two = ["set", "--key", "k", "-c", "a\nb"];
    check_invalid("a.ini", SETTINGS, &two, "one line");
    let json = r#"{"filePath":"b.ini","operation":"set","target":{"key":"k"},"content":"v"}"#;
    let sandbox = Sandbox::with(&[("b.ini", "k = 1\n")]);
    sandbox.run_with_input(&["patch", "apply", "-"], json).succeeds();
    assert_eq!(std::fs::read(sandbox.path("b.ini")).unwrap(), b"k = v\n");
}

#[test]
fn sections_of_settings_are_renamed() {
    let rename = |content| ["rename", "--section", "a", "-c", content];
    check_edit("a.ini", SETTINGS, &rename("new"), &SETTINGS.replace("[a]", "[new]"));
    check_edit("a.ini", " [a] ; c\n", &rename("[new]"), " [new] ; c\n");
    let twice = edit("a.ini", SETTINGS.as_bytes(), &rename("b"));
    assert!(twice.records[0]["warnings"][0].as_str().is_some_and(|text| text.contains("line 4")));
    check_invalid("a.ini", SETTINGS, &rename("x]y"), "would not be the name");
    check_invalid("a.ini", SETTINGS, &rename("[]"), "would not be the name");
}

#[test]
fn ambiguous_ini_values_are_quoted() {
    for (key, operation) in [("y", "replace"), ("n", "insert")] {
        let sandbox = Sandbox::with(&[("a.ini", SETTINGS)]);
        let set = ["patch", "set", "a.ini", "--section", "b", "--key", key, "-c", "a # b"];
        let whole = format!("{key} = \"a # b\"");
        let hint = format!("folio patch {operation} a.ini --section b --key {key} -c '{whole}'");
        let errors = sandbox.run(&set).errors();
        assert!(errors.contains(&hint), "{errors}");
        let typed = ["--section", "b", "--key", key, "--content", &whole];
        sandbox.run(&[&["patch", operation, "a.ini"], &typed[..]].concat()).succeeds();
    }
}

/// `set` adds a missing key, so it edits only files with the section.
#[test]
fn keys_are_set_in_each_file_with_the_section() {
    let sandbox = Sandbox::with(&[
        ("a.ini", "[server]\nport = 80\n\n[db]\nport = 1\n"),
        ("b.conf", "[server]\nhost = h\n"),
        ("c.ini", "[other]\nport = 80\n"),
        ("d.toml", "[server]\nport = 80\n"),
        ("e.yaml", "server: 1\n"),
        ("f.md", "# server\n"),
    ]);
    let holds = |name: &str, text: &str| {
        assert_eq!(std::fs::read_to_string(sandbox.path(name)).unwrap(), text);
    };
    let set = ["patch", "set", ".", "--section", "server", "--key", "port", "-c", "81"];
    let run = sandbox.run(&[&set[..], &["--glob", "!b.conf", "--dry-run"]].concat()).exits(0);
    assert!(run.errors().contains("2 places in 2 files"), "{run}");
    let run = sandbox.run(&set).exits(0);
    assert!(run.text().contains("3 places in 3 files"), "{run}");
    holds("a.ini", "[server]\nport = 81\n\n[db]\nport = 1\n");
    holds("b.conf", "[server]\nhost = h\nport = 81\n");
    holds("c.ini", "[other]\nport = 80\n");
    holds("d.toml", "[server]\nport = 81\n");
    holds("e.yaml", "server: 1\n");
    let none = ["patch", "set", ".", "--section", "none", "--key", "port", "-c", "81"];
    sandbox.run(&none).exits(1).tells("none of 6 files contains --section none --key port");
    // Without a section, every file could be edited.
    sandbox.run(&["patch", "set", ".", "--key", "port", "-c", "81"]).exits(2);
}

#[test]
fn the_name_of_an_ini_file_determines_where_a_value_ends() {
    let set = |key| ["set", "--key", key, "-c", "new"];
    let git = "[user]\nname = Me\n\temail = me@x\n";
    check_edit(".gitconfig", git, &set("user.name"), &git.replace("Me", "new"));
    let quoted = "[a]\nx = \"b;c\" d#e\n";
    check_edit(".gitconfig", quoted, &set("a.x"), "[a]\nx = new#e\n");
    let escaped = "[a]\nx = \"b\\\\c\" # d\n";
    check_edit(
        ".gitconfig",
        escaped,
        &["set", "--key", "a.x", "-c", r"C:\d"],
        &escaped.replace("b", "C:").replace('c', "d"),
    );
    check_edit(
        "a.ini",
        "[a]\nx = 1\n",
        &["set", "--key", "a.x", "-c", "\"b c\""],
        "[a]\nx = \"b c\"\n",
    );
    let keys = "[Desktop Entry]\nName=X\nName[de]=Y\n";
    let german = ["set", "--key", "Desktop Entry.Name[de]", "-c", "Z"];
    check_edit("a.desktop", keys, &german, &keys.replace('Y', "Z"));
    let added = "[*]\na = 1\n\n[*.py]\nb = 2\n";
    let of_suffix = ["set", "--key", "*.py.b", "-c", "2"];
    check_edit(".editorconfig", "[*]\na = 1\n", &of_suffix, added);
    let npm = ["set", "--key", "@a:b", "-c", "x#y"];
    check_edit(".npmrc", "@a:b=1 ; c\n", &npm, "@a:b=\"x#y\" ; c\n");
    check_edit(
        "a.ini",
        "[a]\nk = \"a\", \"b\"\n",
        &["set", "--key", "a.k", "-c", "\"c\""],
        "[a]\nk = \"c\"\n",
    );
    let same_line = ["set", "--key", "a.k", "-c", "2"];
    check_invalid(".gitconfig", "[a] k = 1\n", &same_line, "the line of its section");
    let beside = "[z]\ny = 1\n[core] k = v\n[a \"q\\\"x\"]\nb = 1\n";
    check_edit(
        ".gitconfig",
        beside,
        &["delete", "--section", "z"],
        beside.trim_start_matches("[z]\ny = 1\n"),
    );
    let list = "[options]\nrequires =\n  a\n  b\n";
    check_refused("setup.cfg", list, &["delete", "--key", "options.requires[0]"], 1, "no key");
    let unit = "[Service]\nExecStart=/a \"b ; c\"\n  # d\n  Restart=no\n";
    let start = "Service.ExecStart";
    check_edit("x.service", unit, &set(start), &unit.replace("/a \"b ; c\"", "new"));
    check_edit("x.service", unit, &["delete", "--key", start], "[Service]\n  # d\n  Restart=no\n");
    let editor = "[*]\nindent_style = space\n  indent_size = 4\n";
    let delete = ["delete", "--section", "*", "--key", "indent_style"];
    check_edit(".editorconfig", editor, &delete, "[*]\n  indent_size = 4\n");
    check_edit("a.conf", editor, &delete, "[*]\n  indent_size = 4\n");
    check_edit("setup.cfg", editor, &delete, "[*]\n");
}

#[test]
fn a_key_of_a_section_is_set_in_each_file_with_the_section() {
    let sandbox = Sandbox::with(&[("d/a.service", "[Unit]\nA=1\n"), ("d/b.yaml", "A: 1\n")]);
    sandbox.run(&["patch", "set", "d", "--key", "Unit.A", "-c", "2"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("d/a.service")).unwrap(), b"[Unit]\nA=2\n");
    let set = ["patch", "set", "d", "--key", "A", "-c", "2"];
    let hint = ["--with-key", "A"];
    sandbox.run(&set).exits(2).tells("patch set d --key A -c 2 --with-key A");
    sandbox.run(&[&set[..], &hint].concat()).exits(0);
    assert_eq!(std::fs::read(sandbox.path("d/b.yaml")).unwrap(), b"A: 2\n");
}

#[test]
fn names_of_ini_sections_may_contain_dots_and_brackets() {
    let text = "root = true\n\n[*.[ch]]\nx = 1\n\n[{a,[bc]}.py]\ny = 1\n";
    let set = |key| ["set", "--key", key, "-c", "2"];
    check_edit(".editorconfig", text, &set("*.[ch].x"), &text.replace("x = 1", "x = 2"));
    check_edit(".editorconfig", text, &set("*.[ch].z"), &text.replace("x = 1\n", "x = 1\nz = 2\n"));
    check_edit(".editorconfig", text, &set("{a,[bc]}.py.y"), &text.replace("y = 1", "y = 2"));
    check_edit(".editorconfig", text, &set("\"*.[ch]\".x"), &text.replace("x = 1", "x = 2"));
    check_edit(
        ".editorconfig",
        text,
        &["delete", "--key", "*.[ch].x"],
        &text.replace("x = 1\n", ""),
    );
    let rename = ["rename", "--key", "*.[ch].x", "-c", "z"];
    check_edit(".editorconfig", text, &rename, &text.replace("x =", "z ="));
    for section in ["*.[ch]", "[*.[ch]]"] {
        let set = ["set", "--section", section, "--key", "x", "-c", "2"];
        check_edit(".editorconfig", text, &set, &text.replace("x = 1", "x = 2"));
    }
    for key in ["[ab].[cd].x", "*.rs.x", "file[12].x"] {
        let added = format!("{text}\n[{}]\nx = 2\n", key.trim_end_matches(".x"));
        check_edit(".editorconfig", text, &set(key), &added);
    }
    check_edit(".editorconfig", "root = true\n", &set("*.c.x"), "root = true\n\n[*.c]\nx = 2\n");
    let git = "[branch \"a.b\"]\n\tmerge = 1\n";
    for key in ["branch.a.b.merge", "branch.\"a.b\".merge"] {
        check_edit(".gitconfig", git, &set(key), &git.replace('1', "2"));
    }
}

#[test]
fn names_of_ini_keys_may_be_in_quotes() {
    let set = |key| ["set", "--key", key, "-c", "2"];
    let text = "//r.io/:_authToken=1\n";
    for key in ["//r.io/:_authToken", "\"//r.io/:_authToken\"", "'//r.io/:_authToken'"] {
        check_edit(".npmrc", text, &set(key), &text.replace('1', "2"));
        check_edit(".npmrc", text, &["delete", "--key", key], "");
        check_edit(".npmrc", "", &set(key), "//r.io/:_authToken = 2\n");
        check_edit(".npmrc", "a=1\n", &set(key), "a=1\n//r.io/:_authToken=2\n");
    }
    check_edit(".npmrc", "\"q\"=1\n", &set("\"q\""), "\"q\"=2\n");
    check_edit("a.ini", "[s]\na = 1\n", &set("s.\"b.c\""), "[s]\na = 1\nb.c = 2\n");
    let edited = check_edit("a.ini", "a = 1\n", &set("b.c"), "a = 1\nb.c = 2\n");
    assert_eq!(edited.records[0]["details"], serde_json::json!(["as a key named 'b.c'"]));
    let edited = check_edit("a.ini", "[a]\nx = 1\n", &set("b.c"), "[a]\nx = 1\n\n[b]\nc = 2\n");
    assert_eq!(edited.records[0]["details"], serde_json::json!(["in the new section '[b]'"]));
}

const PEERS: &str = "[Interface]\nKey = 0\n\n[Peer]\nKey = a\n\n[Peer]\nKey = b\nPort = 1\n";

#[test]
fn a_number_selects_one_of_several_ini_sections() {
    let set = |key| ["set", "--key", key, "-c", "x"];
    check_edit("wg0.conf", PEERS, &set("Peer[2].Key"), &PEERS.replace("= b", "= x"));
    check_edit("wg0.conf", PEERS, &set("Peer.Port"), &PEERS.replace("Port = 1", "Port = x"));
    let added = PEERS.replace("= a\n", "= a\nPort = x\n");
    check_edit("wg0.conf", PEERS, &set("Peer[1].Port"), &added);
    let delete = ["delete", "--key", "Peer[2].Port"];
    check_edit("wg0.conf", PEERS, &delete, &PEERS.replace("Port = 1\n", ""));
    for (key, status, hint) in [
        ("Peer.Key", 3, "--key 'Peer[1].Key'"),
        ("Peer[3].Key", 1, "--key 'Peer[1].Key'"),
        ("Peer[0].Key", 1, "--key 'Peer[1].Key'"),
        ("Other[2].Key", 1, "no key 'Other[2].Key'"),
    ] {
        check_refused("wg0.conf", PEERS, &set(key), status, hint);
    }
    for key in ["'Peer[2]'.Key", "Peer[Key=b].Key"] {
        let message = "would not be the name of a section";
        check_refused("wg0.conf", PEERS, &set(key), 2, message);
    }
    let text = "[S]\nE=1\nE=2\n";
    check_edit("a.service", text, &set("S.'E[1]'"), &format!("{text}E[1]=x\n"));
    check_refused("a.service", text, &["delete", "--key", "S.'E[1]'"], 1, "no key");
    let globs = "[*]\na = 1\n";
    check_edit(".editorconfig", globs, &set("'*[12]'.a"), &format!("{globs}\n[*[12]]\na = x\n"));
    let read = ["read", "wg0.conf", "--value", "--key"];
    let sandbox = Sandbox::with(&[("wg0.conf", PEERS)]);
    sandbox.run(&[&read[..], &["Peer[2].Key"]].concat()).prints("b\n");
    let hint = "folio read wg0.conf --value --key 'Peer[1].Key'";
    sandbox.run(&[&read[..], &["Peer[9].Key"]].concat()).exits(1).tells(hint);
}

#[test]
fn values_of_configparser_have_all_their_lines() {
    let text = "[o]\nreq = a # x\n    b\n\n    # note\n    c ; y\nnext = \"1\" # z\n";
    let sandbox = Sandbox::with(&[("setup.cfg", text), ("a.ini", text)]);
    let read = |name, key| sandbox.run(&["read", name, "--value", "--key", key]);
    read("setup.cfg", "o.req").prints("a # x\nb\n\nc ; y\n");
    read("setup.cfg", "o.next").prints("\"1\" # z\n");
    read("a.ini", "o.next").prints("1\n");
    let (_, next) = text.split_once("next").unwrap();
    let set = ["set", "--key", "o.req", "-c", "d # e"];
    check_edit("setup.cfg", text, &set, &format!("[o]\nreq = d # e\nnext{next}"));
    check_edit("setup.cfg", text, &["delete", "--key", "o.req"], &format!("[o]\nnext{next}"));
    let set = ["set", "--key", "o.next", "-c", "2"];
    check_edit("setup.cfg", text, &set, &text.replace("\"1\" # z", "2"));
    check_edit("a.ini", text, &set, &text.replace('1', "2"));
}

#[test]
fn values_that_continue_by_the_rules_of_toml_are_refused() {
    let toml = "[a]\nx = 1\nlist = [\n  \"b\",\n]\n[c]\ny = \"\"\"\nz\n\"\"\"\n";
    for (operation, section, key, message) in [
        ("replace", "a", "list", "line 3: the value of 'list' spans several lines"),
        ("delete", "a", "list", "line 3: "),
        ("set", "a", "list", "line 3: "),
        ("set", "a", "new", "line 3: "),
        ("set", "c", "y", "line 7: "),
    ] {
        let content = &["-c", "list = 1"][..if operation == "delete" { 0 } else { 2 }];
        let target = [operation, "--as", "ini", "--section", section, "--key", key];
        let edited = edit("a.toml", toml.as_bytes(), &[&target, content].concat());
        assert_eq!((edited.status, &*edited.after.0), (1, toml.as_bytes()), "{target:?}");
        assert!(edited.errors.contains(message), "{}", edited.errors);
    }
    let x = ["set", "--as", "ini", "--section", "a", "--key", "x", "-c", "2"];
    check_edit("a.toml", toml, &x, &toml.replace("x = 1", "x = 2"));
    check_edit(
        "a.ini",
        "k = [\n  1\n  ]\n",
        &["set", "--key", "l", "-c", "2"],
        "k = [\n  1\n  ]\nl = 2\n",
    );
}
