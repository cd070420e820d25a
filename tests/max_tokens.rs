//! `--max-tokens` in commands with long output: answers end at a line, and the suggested commands
//! print the rest.

use crate::support::Sandbox;

fn documents() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..30 {
        let words = "word ".repeat(number % 7);
        let text = format!("# Page {number}\n\n{words}\n\n## Install\n\n[x](no{number}.md)\n");
        sandbox.write(format!("d/{}/{number:02}.md", number % 3), text);
    }
    sandbox
}

/// Splits a line of a hint into words.
fn words(line: &str) -> Vec<String> {
    line.split(' ').map(|word| word.trim_matches('\'').to_owned()).collect()
}

/// Returns the output after following all suggested commands.
fn followed(sandbox: &Sandbox, line: &str, bytes: usize) -> String {
    let mut all = String::new();
    let mut line = line.to_owned();
    loop {
        let outcome = sandbox.run(&words(&line));
        let text = outcome.text();
        let lines = text.lines().filter(|line| !line.starts_with("{\"type\":\"summary\""));
        let printed: String = lines.map(|line| format!("{line}\n")).collect();
        assert!(!printed.is_empty() && printed.len() <= bytes, "{line}: {outcome}");
        all.push_str(&printed);
        let errors = outcome.errors();
        let Some((_, next)) = errors.split_once("for more: folio ") else {
            let more: serde_json::Value = match errors.lines().find(|it| it.contains("showing")) {
                Some(note) => serde_json::from_str(note).unwrap(),
                None => return all,
            };
            line = more["hints"][0]["line"].as_str().unwrap().replacen("folio ", "", 1);
            continue;
        };
        line = next.trim_end().to_owned();
    }
}

#[test]
fn following_the_commands_prints_the_whole_answer() {
    let sandbox = documents();
    for line in [
        "grep word d",
        "grep -k word d",
        "grep -C1 word d",
        "grep --json word d",
        "inspect -O d",
        "inspect --matching Install d",
        "inspect --json --matching Install d",
        "links d",
        "links --json d",
        "list -R d",
        "list --titles -R d --sort size",
        "list --mode tree --files -R d",
    ] {
        let whole = sandbox.run(&words(line));
        let lines: Vec<&str> = std::str::from_utf8(&whole.stdout).unwrap().lines().collect();
        let records = lines.iter().filter(|line| !line.starts_with("{\"type\":\"summary\""));
        let records: String = records.map(|line| format!("{line}\n")).collect();
        assert_eq!(followed(&sandbox, &format!("{line} --max-tokens 120"), 480), records, "{line}");
    }
}

#[test]
fn a_summary_describes_the_whole_answer() {
    let sandbox = documents();
    let line = ["grep", "--json", "word", "d", "--max-tokens", "60"];
    let outcome = sandbox.run(&line).exits(0);
    let last = outcome.text().lines().last().map(str::to_owned).unwrap();
    let whole = sandbox.run(&line[..4]).text();
    assert_eq!(Some(last.as_str()), whole.lines().last());
    let outcome = sandbox.run(&["links", "d", "--max-tokens", "20"]).exits(1);
    assert_eq!(outcome.text().lines().count(), 2, "{outcome}");
    outcome.tells("showing 2 of 30 lines within --max-tokens 20, about ");
}

#[test]
fn output_that_cannot_fit_is_refused_with_a_sufficient_limit() {
    let sandbox = Sandbox::with(&[("a.md", &format!("# {}\n\n## b\n", "x".repeat(400)))]);
    let outcome = sandbox.run(&["inspect", "-O", "a.md", "--max-tokens", "10"]).exits(2).prints("");
    let outcome =
        outcome.tells("line 1 of the answer is longer than --max-tokens 10: about 103 tokens");
    let outcome = outcome.tells("hint: folio inspect -O a.md --max-tokens 103  # with it\n");
    outcome.tells("hint: folio inspect -O a.md --max-tokens 10 --offset 1  # those after it\n");
    sandbox.run(&["inspect", "-O", "a.md", "--offset", "1"]).succeeds().prints("a.md:3:## b\n");
    let outcome = sandbox.run(&["list", "--max-tokens", "1"]).exits(2).prints("");
    outcome.tells("hint: folio list --max-tokens 2  # to show it");
}

#[test]
fn answers_that_cannot_be_truncated_are_refused() {
    let sandbox = documents();
    sandbox.run(&["grep", "-0", "x", "--max-tokens", "9"]).exits(2).tells("--null");
    sandbox.run(&["links", "--fix", "--offset", "9"]).exits(2).tells("--fix");
    sandbox.run(&["list", "-0", "--max-tokens", "9"]).exits(2).tells("--null");
    let before = std::fs::read(sandbox.path("d/0/00.md")).unwrap();
    assert!(before.starts_with(b"# Page 0"));
}

#[test]
fn directories_that_do_not_fit_are_named() {
    let sandbox = documents();
    let outcome = sandbox.run(&["list", "d/0", "d/1", "d/2", "--max-tokens", "25"]).exits(0);
    assert_eq!(outcome.text().lines().count(), 10, "{outcome}");
    let outcome = outcome.tells("--max-tokens 25 is used up: 2 directories are left out");
    outcome.tells("for more: folio list d/1 d/2 --max-tokens 25\n");
    let outcome = sandbox.run(&["list", "d/0", "d/1", "d/2", "--max-tokens", "30"]).exits(0);
    outcome.tells(
        "'d/1': showing 2 of 10 entries; for more: folio list d/1 --max-tokens 30 --offset 2",
    );
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn search_results_are_truncated_in_the_same_way() {
    let sandbox = documents();
    let line = "search -c ./d word --limit 10 --keyword-only";
    let whole = sandbox.run(&words(line)).exits(0).text();
    assert_eq!(followed(&sandbox, &format!("{line} --max-tokens 40"), 160), whole);
    // The first result is truncated if it does not fit.
    sandbox.write("long/a.md", format!("# Long\n\n{}\n", "word ".repeat(400)));
    let line = "search -c ./long word --keyword-only";
    for (more, most) in [("", 12), (" --json --content", 200)] {
        let cut = sandbox.run(&words(&format!("{line}{more} --max-tokens {most}"))).exits(0).text();
        assert!((1..=most * 4).contains(&cut.len()) && cut.lines().count() == 1, "{cut}");
        assert!(more.is_empty() || cut.contains(r#""truncated":true"#), "{cut}");
    }
}
