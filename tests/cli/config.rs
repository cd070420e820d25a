//! `folio.toml` and the user's configuration: what they change, and what they do not affect.

use crate::support::{Sandbox, outcome};

/// Creates a repository that contains a book.
fn book() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox.write("book.toml", "[book]\n");
    sandbox.write("src/SUMMARY.md", "- [A](a.md)\n- [B](b.md)\n");
    sandbox.write("src/a.md", "# A\n\n[b](b.html)\n");
    sandbox.write("src/b.md", "# B\n");
    sandbox.write("src/rules.mdc", "# Rules\n\n## Names\n");
    sandbox.write("src/deep/c.md", "[none](none.html)\n");
    sandbox
}

const NONE: &str = "src/a.md:3:5: no file 'b.html'; there is 'b.md'\n";

#[test]
fn options_of_links_come_from_the_repository_and_the_command_line_wins() {
    let sandbox = book();
    sandbox.write("folio.toml", "[links]\nsite = \"github\"\n");
    sandbox.run(&["links", "src/a.md"]).exits(1).prints(NONE);
    sandbox.write("folio.toml", "[links]\nsite = \"mdbook\"\nignore = \"none*\"\n");
    sandbox.run(&["links", "src"]).exits(0).prints("");
    sandbox.run(&["links", "src/a.md", "--site", "github"]).exits(1).prints(NONE);
    sandbox.run(&["links", "src/a.md", "--site=github"]).exits(1).prints(NONE);
    sandbox.run(&["links", "src/deep", "--no-config"]).exits(1);
    // In a subdirectory with its own configuration.
    sandbox.write("src/deep/folio.toml", "[links]\nremap = 'none c.md'\nignore = 'x'\n");
    sandbox.write("src/deep/c.md", "[none](none) [x](x)\n");
    let mut below = sandbox.command();
    below.args(["links", "c.md"]).current_dir(sandbox.path("src/deep"));
    outcome(&mut below, b"").exits(0);
    // The configuration of a document does not depend on the current directory.
    sandbox.run(&["links"]).exits(0);
    sandbox.write("src/a.md", "[none](none) [y](y)\n");
    sandbox.run(&["links"]).exits(1).prints("src/a.md:1:18: no file 'y'\n");
}

#[test]
fn the_nearest_configuration_of_a_document_applies() {
    let sandbox = Sandbox::new();
    sandbox.write("site/folio.toml", "[links]\nroot-dir = 'pages'\nfallback-extensions = 'md'\n");
    sandbox.write("site/pages/b.md", "# B\n");
    sandbox.write("site/pages/deep/a.md", "[b](/b) [c](/c)\n");
    sandbox.write("other/a.md", "[b](/b)\n");
    let below = "pages/deep/a.md:1:13: no file '/c'\n";
    let other = "other/a.md:1:5: no file '/b'; there is '/site/pages/b.md'\n";
    // Inside and outside of a repository.
    for repository in [false, true] {
        if repository {
            sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
        }
        sandbox.run(&["links"]).exits(1).prints(format!("{other}site/{below}"));
        sandbox.run(&["links", "site"]).exits(1).prints(format!("site/{below}"));
        let mut inside = sandbox.command();
        inside.arg("links").current_dir(sandbox.path("site"));
        outcome(&mut inside, b"").exits(1).prints(below);
        // A configuration above the root is not read.
        let root = sandbox.path("site/pages").into_os_string().into_string().unwrap();
        let outside = sandbox.run(&["links", "--root", &root, "--no-config"]).exits(1);
        let confined = sandbox.run(&["links", "--root", &root]).exits(1);
        assert_eq!(confined.text(), outside.text());
        assert!(confined.text().contains("'/b'"), "{confined}");
    }
    // An error in one file does not affect documents elsewhere.
    sandbox.write("site/folio.toml", "[links]\nsite = 'hugoo'\n");
    let outcome = sandbox.run(&["links"]).exits(2);
    assert!(outcome.text().starts_with("other/a.md:1:5"), "{outcome}");
    let error = "folio links: 'site/folio.toml': [links]: --site: 'hugoo' is not one of";
    assert_eq!(outcome.errors().matches(error).count(), 1, "{outcome}");
}

#[test]
fn configuration_does_not_change_the_form_of_json() {
    let sandbox = book();
    sandbox.write("folio.toml", "[links]\nsite = 'github'\n");
    let plain = sandbox.run(&["links", "src/a.md", "--json"]).exits(1).text();
    sandbox.write("folio.toml", "[links]\nindex-files = ['README.md']\n");
    assert_eq!(sandbox.run(&["links", "src/a.md", "--json"]).exits(1).text(), plain);
}

#[test]
fn formats_are_set_by_file_name() {
    let sandbox = book();
    let headings = "src/rules.mdc:1-3:# Rules\nsrc/rules.mdc:3:## Names\n";
    sandbox.run(&["inspect", "-O", "src/rules.mdc"]).exits(0).prints("");
    sandbox.write("folio.toml", "[formats]\n'*.mdc' = 'markdown'\n");
    sandbox.run(&["inspect", "-O", "src/rules.mdc"]).exits(0).prints(headings);
    sandbox.run(&["inspect", "-O", "src/rules.mdc", "--as", "text"]).exits(0).prints("");
    sandbox.run(&["inspect", "-O", "src/rules.mdc", "--no-config"]).exits(0).prints("");
    let renamed = ["patch", "rename", "src/rules.mdc", "--heading", "Names", "-c", "Words"];
    sandbox.run(&renamed).exits(0);
    let text = std::fs::read(sandbox.path("src/rules.mdc")).unwrap();
    assert_eq!(text, b"# Rules\n\n## Words\n");
}

#[test]
fn links_to_anchors_in_files_with_configured_formats_work() {
    let sandbox = book();
    sandbox.write("to.md", "[a](src/rules.mdc#names) [b](src/rules.mdc#none)\n");
    // The anchors of other formats are unknown.
    sandbox.run(&["links", "to.md"]).succeeds();
    sandbox.write("folio.toml", "[formats]\n'*.mdc' = 'markdown'\n");
    let run = sandbox.run(&["links", "to.md"]).exits(1);
    run.prints("to.md:1:30: no anchor '#none' in 'src/rules.mdc'\n");
    let rename = ["patch", "rename", "src/rules.mdc", "--heading", "Names", "-c", "Words"];
    sandbox.run(&[&rename[..], &["--links-in", "to.md"]].concat()).exits(0);
    let text = std::fs::read_to_string(sandbox.path("to.md")).unwrap();
    assert!(text.starts_with("[a](src/rules.mdc#words)"), "{text}");
}

#[test]
fn ignored_files_are_excluded_from_every_walk() {
    let sandbox = book();
    sandbox.write("src/folio.toml", "name = 'book'\nignore = ['deep/', '*.mdc']\n");
    sandbox
        .run(&["list", "src"])
        .exits(0)
        .prints("src/SUMMARY.md\nsrc/a.md\nsrc/b.md\nsrc/folio.toml\n");
    sandbox
        .run(&["grep", "-l", "#", "src", "-g", "!*.toml"])
        .exits(0)
        .prints("src/a.md\nsrc/b.md\n");
    let whole = sandbox.run(&["list", "src", "--no-ignore"]).exits(0).text();
    assert!(whole.contains("src/rules.mdc\n"), "{whole}");
    // `.ignore` takes precedence.
    sandbox.write("src/.ignore", "!*.mdc\n");
    let listed = sandbox.run(&["list", "src"]).exits(0).text();
    assert!(listed.contains("src/rules.mdc\n"), "{listed}");
}

#[test]
fn formats_of_a_document_do_not_depend_on_the_current_directory() {
    let sandbox = Sandbox::new();
    sandbox.write("a/folio.toml", "[formats]\n'*.x' = 'ini'\n");
    sandbox.write("a/b/c.x", "[A]\nk = 1\n");
    sandbox.write("d/c.x", "[D]\nk = 1\n");
    let entry = "c.x:1-2:[A]\n";
    // Inside and outside of a repository.
    for repository in [false, true] {
        if repository {
            sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
        }
        for (directory, operand, prefix) in
            [("", "a/b/c.x", "a/b/"), ("", ".", "a/b/"), ("a", ".", "b/"), ("d", "../a", "../a/b/")]
        {
            let mut command = sandbox.command();
            command.args(["inspect", operand]).current_dir(sandbox.path(directory));
            outcome(&mut command, b"").exits(0).prints(format!("{prefix}{entry}"));
        }
    }
    // A repository in it has its own configuration.
    sandbox.write("a/b/.git/HEAD", "ref: refs/heads/main\n");
    sandbox.run(&["inspect", "a"]).exits(0).prints("");
}

#[test]
fn an_invalid_file_below_is_reported_once_and_concerns_only_its_documents() {
    let sandbox = Sandbox::new();
    sandbox.write("a/folio.toml", "[formats]\n'*.x' = 'word'\n");
    sandbox.write("a/b/c.md", "# C\n");
    sandbox.write("a/d.md", "# C\n");
    sandbox.write("e.md", "# C\n");
    let found = sandbox.run(&["grep", "C"]).exits(2).prints("e.md:1:# C\n");
    let error = "folio grep: 'a/folio.toml': line 2: unknown format 'word'";
    assert_eq!(found.errors().matches(error).count(), 1, "{found}");
    sandbox.run(&["patch", "replace", "a/d.md", "-s", "C", "-c", "x"]).exits(2);
    sandbox.run(&["read", "e.md"]).exits(0);
    let repair = ["patch", "set", "a/folio.toml", "--key", "formats.\"*.x\"", "-c", "ini"];
    sandbox.run(&repair).exits(0);
    sandbox.run(&["read", "a/d.md"]).exits(0);
}

#[test]
fn outside_a_repository_the_files_begin_with_the_current_directory() {
    let sandbox = Sandbox::new();
    sandbox.write("folio.toml", "[formats]\n'*.x' = 'markdown'\n");
    sandbox.write("below/a.x", "# A\n");
    sandbox.run(&["inspect", "-O", "below/a.x"]).exits(0).prints("below/a.x:1:# A\n");
    let mut below = sandbox.command();
    below.args(["inspect", "-O", "a.x"]).current_dir(sandbox.path("below"));
    outcome(&mut below, b"").exits(0).prints("");
}

#[test]
fn the_users_file_is_named_by_a_variable() {
    let sandbox = book();
    sandbox.write("own.toml", "[formats]\n'*.mdc' = 'markdown'\n");
    let outline = |value: &str| {
        let mut command = sandbox.command();
        command.args(["inspect", "-O", "src/rules.mdc"]).env("FOLIO_CONFIG", value);
        outcome(&mut command, b"").exits(0).text()
    };
    assert!(outline("own.toml").starts_with("src/rules.mdc:1-3:# Rules"));
    assert_eq!(outline(""), "");
    assert_eq!(outline("missing.toml"), "");
}

#[test]
fn errors_in_the_users_file_name_that_file() {
    let sandbox = book();
    sandbox.write("own.toml", "[links]\nsite = 'mdbok'\n");
    sandbox.write("folio.toml", "[links]\nroot-dir = 'src'\n");
    let line = ["links", "src"];
    let outcome = sandbox.run_with_environment(&line, &[("FOLIO_CONFIG", "own.toml")]).exits(2);
    let errors = outcome.errors();
    assert!(errors.starts_with("folio links: 'own.toml': [links]: --site: 'mdbok'"), "{errors}");
}

#[test]
fn commands_that_do_not_use_the_configuration_ignore_its_errors() {
    let sandbox = book();
    sandbox.run(&["patch", "create", "folio.toml", "-c", "[formats]\n'*.x' = 'word'"]).exits(0);
    sandbox.run(&["read", "src/b.md"]).exits(2);
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&["read", "src/b.md"]).exits(0).prints("# B\n");
    // Options without effect are refused.
    sandbox.run(&["undo", "--no-config"]).exits(2);
    sandbox.run(&["mcp", "--no-config"]).exits(2);
}

#[test]
fn invalid_settings_are_errors_with_their_line() {
    let sandbox = book();
    sandbox.write("folio.toml", "[links]\nsite = 'mdbook'\nindex-file = 'a'\n");
    complains(
        &sandbox,
        &["read", "src/b.md"],
        "folio read: 'folio.toml': line 3: unknown key 'index-file'\n\
         hint: index-files  # similar\n\
         hint: folio read src/b.md --no-config  # to ignore the file\n",
    );
    sandbox.run(&["read", "src/b.md", "--no-config"]).exits(0).prints("# B\n");
    sandbox.write("folio.toml", "[links]\nsite = 'mdbok'\n");
    complains(
        &sandbox,
        &["links"],
        "folio links: 'folio.toml': [links]: --site: 'mdbok' is not one of astro, docusaurus, github, \
         hugo, jekyll, mdbook, mdn, mkdocs, vitepress, wiki\n\
         hint: folio help config  # what the file may say\n",
    );
}

#[track_caller]
fn complains(sandbox: &Sandbox, line: &[&str], expected: &str) {
    assert_eq!(sandbox.run(line).exits(2).errors(), expected);
}

/// A repository may be untrusted, so its folio.toml has limited effect.
#[test]
fn a_file_of_an_untrusted_repository_cannot_access_other_files() {
    let check = |said: &dyn Fn(&Sandbox), message: &str| {
        let sandbox = Sandbox::with(&[("w/a.md", "# A\n[x](/b.md)\n"), ("out/b.md", "# B\n")]);
        sandbox.write("w/.git/HEAD", "");
        said(&sandbox);
        for command in [&["read", "a.md:1"][..], &["inspect", "."], &["links"]] {
            let mut run = sandbox.command();
            let done = outcome(run.current_dir(sandbox.path("w")).args(command), b"");
            assert_eq!(done.status, Some(2), "{command:?} {done}");
            assert!(done.errors().contains(message), "{command:?} {done}");
        }
    };
    let link = |to: &'static str, name: &'static str| {
        move |sandbox: &Sandbox| std::os::unix::fs::symlink(to, sandbox.path(name)).unwrap()
    };
    check(&link("/dev/zero", "w/folio.toml"), "not a regular file");
    check(
        &|sandbox| {
            sandbox.write("w/folio.toml", "#".repeat((1 << 20) + 1));
        },
        "larger than 1 MiB",
    );
    check(
        &|sandbox| {
            sandbox.write("out.toml", "");
            link("../out.toml", "w/folio.toml")(sandbox);
        },
        "a symlink that leads out of the repository",
    );
    for said in ["/proc/self/root", "../out", "link"] {
        let text = format!("[links]\nroot-dir = '{said}'\n");
        check(
            &|sandbox| {
                link("../out", "w/link")(sandbox);
                sandbox.write("w/folio.toml", &text);
            },
            "'root-dir' must be below the directory of its folio.toml",
        );
    }
}
