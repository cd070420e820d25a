//! Documents in reStructuredText, AsciiDoc, Org, HTML, LaTeX and the macros of manual pages, by the
//! same words as Markdown.

use crate::support::Sandbox;
use crate::support::edits::{check_edit_and_undo, check_text_refusal};

const RST: &str = "\
=====
Guide
=====

.. _install:

Install
-------

.. code-block:: bash
   :caption: Build

   make

Usage
-----

x
";

const ASCIIDOC: &str = "\
= Guide

[#install]
== Install

[source,bash]
----
make
----

== Usage

x
";

const ORG: &str = "\
* Guide
** TODO [#A] Install :tool:
:PROPERTIES:
:CUSTOM_ID: install
:END:

#+BEGIN_SRC bash
make
#+END_SRC

** Usage

x
";

const HTML: &str = "\
<html>
<h1>Guide</h1>
<h2 id=\"install\">Install</h2>
<pre><code class=\"language-bash\">
make
</code></pre>
<div>
<h2>Usage</h2>
<p>x</p>
</div>
</html>
";

const LATEX: &str = "\
\\begin{document}
\\part{Guide}
\\chapter{Install}\\label{install}
\\begin{lstlisting}[language=bash]
make
\\end{lstlisting}

\\chapter{Usage}
x
\\end{document}
";

const MAN: &str = "\
.TH GUIDE 1
.SH GUIDE
.SS Install
.nf
make
.fi
.SS Usage
x
";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("a.rst", RST),
        ("a.adoc", ASCIIDOC),
        ("a.org", ORG),
        ("a.html", HTML),
        ("a.tex", LATEX),
        ("a.1", MAN),
    ])
}

fn check(arguments: &[&str], expected: &str) {
    sandbox().run(arguments).succeeds().prints(expected);
}

#[test]
fn headings_code_blocks_and_anchors_are_listed() {
    for (file, guide, install, code, usage) in [
        ("a.rst", "1-18", "5-14", "10-13", "15-18"),
        ("a.adoc", "1-13", "3-10", "6-9", "11-13"),
        ("a.org", "1-13", "2-10", "7-9", "11-13"),
        ("a.html", "2-10", "3-6", "4-6", "8-9"),
        ("a.tex", "2-9", "3-7", "4-6", "8-9"),
    ] {
        let first = install.split('-').next().unwrap();
        let expected = format!(
            "{file}:{guide}:# Guide\n\
             {file}:{install}:## Install\n\
             {file}:{first}:#install\n\
             {file}:{code}:code bash:0\n\
             {file}:{usage}:## Usage\n"
        );
        check(&["inspect", file], &expected);
    }
    let manual = "a.1:2-8:# GUIDE\na.1:3-6:## Install\na.1:4-6:code 0\na.1:7-8:## Usage\n";
    check(&["inspect", "a.1"], manual);
}

#[test]
fn sections_and_code_blocks_are_read_by_name() {
    check(&["read", "a.rst", "-s", "Usage"], "Usage\n-----\n\nx\n");
    check(
        &["read", "a.adoc#install"],
        &ASCIIDOC[ASCIIDOC.find("[#").unwrap()..ASCIIDOC.find("== U").unwrap()],
    );
    check(&["read", "a.org", "--body", "Guide > Usage"], "\nx\n");
    check(&["read", "a.html", "-s", "Usage"], "<h2>Usage</h2>\n<p>x</p>\n");
    check(&["read", "a.tex", "-s", "Usage"], "\\chapter{Usage}\nx\n");
    check(&["read", "a.1", "-s", "Install"], ".SS Install\n.nf\nmake\n.fi\n");
    for file in ["a.adoc", "a.org", "a.html", "a.tex"] {
        check(&["read", file, "--code-block", "bash:0"], "make\n");
    }
    check(&["read", "a.rst", "--code-block", "bash:0"], "   make\n");
    check(&["grep", "--breadcrumbs", "x$", "a.rst"], "18:Guide > Usage: x\n");
}

#[test]
fn keys_are_read_edited_and_selected() {
    let asciidoc = "= Guide\n:status: draft\n:toc:\n\ntext\n";
    let org = "#+TITLE: Notes\n* One\n:PROPERTIES:\n:status: draft\n:END:\ntext\n";
    let rst = "Guide\n=====\n\n:Status: draft\n:Author: A\n\ntext\n";
    let sandbox = Sandbox::with(&[("a.adoc", asciidoc), ("a.org", org), ("a.rst", rst)]);
    let prints = |arguments: &[&str], expected: &str| {
        sandbox.run(arguments).succeeds().prints(expected);
    };
    prints(&["read", "a.adoc", "--key", "status", "--value"], "draft\n");
    prints(&["read", "a.org", "--key", "title"], "#+TITLE: Notes\n");
    prints(&["read", "a.org", "--section", "One", "--key", "status", "--value"], "draft\n");
    prints(&["inspect", "--with-key", "status=draft"], "a.adoc\na.org\na.rst\n");
    prints(
        &["inspect", "--kind", "key"],
        "a.adoc:2:status\na.adoc:3:toc\na.org:1:TITLE\na.org:4:One > status\na.rst:4:Status\na.rst:5:Author\n",
    );
    prints(&["inspect", "a.rst"], "a.rst:1-7:# Guide\na.rst:4-5:keys: Status, Author\n");
    for (file, document, target) in [
        ("a.adoc", asciidoc, &["--key", "status"][..]),
        ("a.org", org, &["--section", "One", "--key", "status"]),
        ("a.rst", rst, &["--key", "status"]),
    ] {
        let edit = |operation, content: &[&'static str]| [&[operation], target, content].concat();
        let set = edit("set", &["-c", "ready"]);
        check_edit_and_undo(file, document, &set, &document.replace("draft", "ready"));
        let rest = document.lines().filter(|line| !line.contains("draft"));
        let rest: String = rest.map(|line| format!("{line}\n")).collect();
        check_edit_and_undo(file, document, &edit("delete", &[]), &rest);
    }
}

#[test]
fn links_in_other_markup_are_not_checked() {
    let run = sandbox().run(&["links", "a.rst"]);
    run.tells("skipped, because it is reStructuredText; not supported");
}

#[test]
fn headings_are_renamed() {
    for (file, document, old, new) in [
        ("a.rst", RST, "Usage\n-----\n", "First steps\n-----------\n"),
        ("a.adoc", ASCIIDOC, "== Usage\n", "== First steps\n"),
        ("a.org", ORG, "** Usage\n", "** First steps\n"),
        ("a.html", HTML, "<h2>Usage</h2>\n", "<h2>First steps</h2>\n"),
        ("a.tex", LATEX, "\\chapter{Usage}\n", "\\chapter{First steps}\n"),
        ("a.1", MAN, ".SS Usage\n", ".SS First steps\n"),
    ] {
        let rename = ["rename", "-s", "Usage", "-c", "First steps"];
        check_edit_and_undo(file, document, &rename, &document.replace(old, new));
    }
}

#[test]
fn sections_and_code_blocks_are_edited() {
    for (file, document, last) in [
        ("a.rst", RST, "Usage\n-----\n\nx\n"),
        ("a.adoc", ASCIIDOC, "== Usage\n\nx\n"),
        ("a.org", ORG, "** Usage\n\nx\n"),
        ("a.1", MAN, ".SS Usage\nx\n"),
    ] {
        let content = last.replace("Usage", "Setup");
        let replace = ["replace", "-s", "Usage", "-c", &content];
        check_edit_and_undo(file, document, &replace, &document.replace(last, &content));
    }
    for (file, document) in
        [("a.rst", RST), ("a.adoc", ASCIIDOC), ("a.org", ORG), ("a.html", HTML), ("a.tex", LATEX)]
    {
        let replace = ["replace", "--code-block", "bash:0", "-c", "make install"];
        check_edit_and_undo(file, document, &replace, &document.replace("make", "make install"));
    }
}

#[test]
fn edits_with_effects_elsewhere_are_refused() {
    for (file, document, text, effect) in [
        ("a.rst", RST, "=====\nGuide\n=====", "is no longer 'Install'"),
        ("a.adoc", ASCIIDOC, "make\n----", "is no longer 'Usage'"),
        ("a.org", ORG, "#+END_SRC", "is no longer '#+BEGIN_SRC bash'"),
        ("a.html", HTML, "</div>", "is no longer '</div>'"),
        ("a.tex", LATEX, "\\end{lstlisting}", "line 8 is no longer 'Usage'"),
        ("a.1", MAN, ".fi", "is no longer '.nf'"),
    ] {
        check_text_refusal(file, document, &["delete", "--text", text], 4, effect);
    }
}
