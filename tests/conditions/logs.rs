//! Entries of logs, selected by time and level.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::Sandbox;

const JAVA: &str = "\
2026-01-05 10:00:00,001 [main] INFO  a.Main - started
2026-01-05 10:00:07,250 [main] ERROR a.Main - failed
java.lang.IllegalStateException: x
\tat a.Main.run(Main.java:7)
2026-01-05 10:31:00,000 [pool-1] WARN  a.Pool - full
2026-01-06 00:00:00,000 [pool-1] INFO  a.Pool - done
";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("java.log", JAVA), ("syslog", "Jan  5 10:00:00 host su: x\n")])
}

#[test]
fn every_command_knows_the_entries_of_a_log() {
    let sandbox = sandbox();
    let entry =
        &JAVA[JAVA.find("2026-01-05 10:00:07").unwrap()..JAVA.find("2026-01-05 10:31").unwrap()];
    sandbox.run(&["read", "java.log", "-s", "2026-01-05 10:00:07,250"]).succeeds().prints(entry);
    sandbox.run(&["read", "java.log:4", "--section-context"]).succeeds().prints(entry);
    sandbox.run(&["grep", "-W", "-h", "IllegalState", "java.log"]).succeeds();
    let hints = sandbox.run(&["grep", "-k", "IllegalState", "java.log"]).succeeds().text();
    assert!(hints.starts_with("java.log:3-4:"), "{hints}");
    let inspect = sandbox.run(&["inspect", "java.log"]).exits(0);
    let summary = "'java.log': log, java, 4 entries, 2026-01-05 10:00 to 2026-01-06 00:00";
    let inspect = inspect.tells(summary).text();
    assert_eq!(inspect.lines().count(), 4, "{inspect}");
    assert!(inspect.contains("java.log:2-4:2026-01-05 10:00:07,250"), "{inspect}");
    let json = sandbox.run(&["inspect", "--json", "java.log"]).succeeds().json();
    assert_eq!(json["log"]["kind"], "java");
    assert_eq!(json["log"]["lastTime"], "2026-01-06T00:00:00.0");
    sandbox.run(&["inspect", "."]).exits(0).prints("");
    let listed = sandbox.run(&["inspect", ".", "--only", "sections"]).exits(0).text();
    assert_eq!(listed.lines().count(), 5, "{listed}");
    let by_pattern = sandbox.run(&["inspect", ".", "--section-pattern", "^java"]).exits(0);
    by_pattern.prints("java.log:3-6:java.lang.IllegalStateException: x\n");
    sandbox.run(&["patch", "delete", "java.log", "-s", "2026-01-05 10:00:07,250"]).exits(0);
    assert_eq!(sandbox.text("java.log"), JAVA.replace(entry, ""));
}

#[test]
fn levels_and_times_select_entries() {
    let sandbox = sandbox();
    let check = |arguments: &[&str], expected: &[&str]| {
        let listed =
            sandbox.run(&[&["inspect"], arguments, &["java.log"]].concat()).exits(0).text();
        let starts: Vec<&str> =
            listed.lines().map(|line| line.split(":20").next().unwrap()).collect();
        assert_eq!(starts, expected, "{arguments:?}");
    };
    check(&["--level-at-least", "warn"], &["java.log:2-4", "java.log:5"]);
    check(&["--level-at-least", "error", "--until", "2026-01-05"], &["java.log:2-4"]);
    check(&["--later-than", "2026-01-05 10:00"], &["java.log:5", "java.log:6"]);
    check(&["--since", "2026-01-05 10:00:07.25", "--matching", "main"], &["java.log:2-4"]);
    let later = ["inspect", "--since", "-2h", "java.log"];
    sandbox.run(&later).exits(1).tells("none of 4 parts meets --since -2h");
    let level = ["inspect", "--level-at-least", "warn", "syslog"];
    sandbox
        .run(&level)
        .exits(1)
        .tells("'syslog': --level-at-least: its entries have no levels (log, syslog)");
    sandbox.run(&["inspect", "--level-at-least", "loud", "syslog"]).exits(2);
}

#[test]
fn relative_times_are_in_the_zone_of_the_log() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let json = |age: u64| {
        let time = (now - Duration::from_secs(age * 60)).as_secs();
        format!("{{\"time\":{time},\"level\":\"info\",\"msg\":\"{age} minutes\"}}\n")
    };
    let log = [90, 45, 5].map(json).concat();
    let sandbox = Sandbox::with(&[("a.log", &*log)]);
    for (since, expected) in [("1 hour ago", 2), ("-30m", 1), ("2h", 3)] {
        let listed = sandbox.run(&["inspect", "--since", since, "a.log"]).exits(0).text();
        assert_eq!(listed.lines().count(), expected, "{since} {listed}");
    }
}

#[test]
fn a_log_without_times_is_an_error_with_its_first_line() {
    let sandbox = Sandbox::with(&[("a.log", "\nday 1: x\nday 2: y\n"), ("b.rs", JAVA)]);
    let failed = sandbox.run(&["inspect", "--since", "2026-01-05", "a.log"]).exits(1);
    failed.tells("the first line is 'day 1: x'").tells("--section-pattern");
    sandbox.run(&["inspect", "--since", "2026-01-06", "--as", "log", "b.rs"]).succeeds();
}

#[test]
fn entries_with_times_follow_other_text() {
    let header = "header\n".repeat(150);
    let diary = "My diary\n\n2026-01-05\nwoke up\nslept\n\n2026-01-06\nmore\n";
    let sandbox = Sandbox::with(&[("a.log", &*(header + JAVA)), ("diary.txt", diary)]);
    let check = |file, expected: &str| {
        let entry = ["read", "--no-headers", "--since", "2026-01-06", file];
        sandbox.run(&entry).succeeds().prints(expected);
    };
    check("a.log", JAVA.split_inclusive('\n').next_back().unwrap());
    check("diary.txt", "2026-01-06\nmore\n");
    let last = ["inspect", "--kind", "entry", "--last", "diary.txt"];
    sandbox.run(&last).succeeds().prints("diary.txt:7-8:2026-01-06\n");
}

#[test]
fn a_large_sorted_log_is_searched_from_its_last_entries() {
    let mut log = String::new();
    let message = "x".repeat(200);
    for second in 0..86_400 {
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        log.push_str(&format!(
            "2026-01-05T{hour:02}:{minute:02}:{second:02}Z INFO {message}\n more\n"
        ));
    }
    let end = &log[log.find("2026-01-05T23:59:50").unwrap()..];
    let sandbox = Sandbox::with(&[("a.log", &*log)]);
    let since = ["--since", "2026-01-05 23:59:50", "a.log"];
    sandbox.run(&[&["read", "--no-headers"], &since[..]].concat()).succeeds().prints(end);
    let headed = sandbox.run(&[&["read"], &since[..]].concat()).succeeds().text();
    assert!(headed.starts_with("==> a.log:172781-172800 <==\n"), "{}", &headed[..80]);
    assert!(headed.ends_with(end));
    let none = sandbox.run(&["read", "--no-headers", "--since", "2026-01-06", "a.log"]).exits(1);
    none.tells("none of 86400 parts meets --since 2026-01-06");
}

#[test]
fn entries_around_lines_are_found_in_long_logs() {
    let entry = |number: u64| {
        let (hour, minute, second) = (number / 3600, number / 60 % 60, number % 60);
        format!("2026-01-05 {hour:02}:{minute:02}:{second:02} INFO x\n  {number}\n\n")
    };
    let log = format!("header\n\n{}", (0..20_000).map(entry).collect::<String>());
    let sandbox = Sandbox::with(&[("a.log", &*log)]);
    for number in [0, 1, 9_999, 19_999] {
        for line in 0..3 {
            let address = format!("a.log:{}", 3 + number * 3 + line);
            let around = ["read", "--no-headers", "--section-context", &address];
            sandbox.run(&around).succeeds().prints(entry(number));
        }
    }
    sandbox.run(&["read", "--no-headers", "-W", "a.log:1"]).succeeds().prints("header\n\n");
    sandbox.run(&["read", "-W", "a.log:60003"]).exits(1).tells("60002 lines");
    let since = ["--since", "2026-01-05 05:30", "a.log"];
    let count = sandbox.run(&[&["grep", "-c", "INFO"], &since[..]].concat()).succeeds();
    count.prints("200\n");
    let context = sandbox.run(&[&["grep", "-C1", "^  19900"], &since[..]].concat()).succeeds();
    context.prints("59703-2026-01-05 05:31:40 INFO x\n59704:  19900\n59705-\n");
    let hints = sandbox.run(&[&["grep", "-k", "19900"], &since[..]].concat()).succeeds();
    hints.prints("a.log:59704-59705:  19900\n");
    let early = [&["grep", "^  7$"], &since[..]].concat();
    sandbox.run(&early).exits(1);
}

#[test]
fn what_a_log_contains_is_said_if_nothing_is_selected() {
    let syslog = "Jan 05 10:00:00 host su: x\n".repeat(3);
    let mixed = format!("{syslog}{}", JAVA.repeat(40));
    let boot = "[    0.000000] Linux\n[    1.500000] usb\n";
    let sandbox = Sandbox::with(&[
        ("java.log", JAVA),
        ("mixed.log", &*format!("{}{mixed}", syslog.repeat(40))),
        ("boot.log", boot),
        ("work.log", "[LOG-1] 2026-01-05 x\n[LOG-2] y\n"),
        ("late.log", &*format!("{}{JAVA}", "header\n".repeat(20_000))),
    ]);
    let notes = |file| sandbox.run(&["inspect", "-O", file]).exits(0);
    let times = "2026-01-05 10:00 to 2026-01-06 00:00";
    notes("java.log").tells(&format!("no headings (log, java, 4 entries, {times})"));
    notes("boot.log").tells("no line begins with a time that folio recognizes (log, 2 lines)");
    notes("work.log").tells("no headings (log, 2 entries)");
    notes("late.log").tells(&format!("no headings (log, dated, 4 entries, {times})"));
    let patterned = sandbox.run(&["inspect", "-O", "boot.log", "--section-pattern", "^."]).exits(0);
    patterned.tells("no headings (log, 2 entries)");
    let inspect = sandbox.run(&["inspect", "mixed.log"]).exits(0);
    inspect.tells("; lines of another kind (java) belong to the entry in lines 123-363");
    let none = |arguments: &[&str]| sandbox.run(&[&["inspect"], arguments].concat()).exits(1);
    none(&["--since", "2030-01-01", "java.log"]).tells(&format!("; the times are {times}"));
    none(&["--until", "2020-01-01", "java.log"]).tells(&format!("; the times are {times}"));
    let hint = "--section-pattern '^\\['";
    none(&["--since", "-2h", "boot.log"]).tells(hint);
    none(&["--since", "-2h", "boot.log", "--section-pattern", r"^\["]).tells("; none has a date");
    sandbox.run(&["inspect", "--since", "-1h", "--until", "-2h", "java.log"]).exits(2);
}

#[test]
fn a_bound_with_an_offset_is_a_moment_in_logs_with_and_without_offsets() {
    let log = "1999-01-05 09:59 a\n1999-01-05T10:32:00Z b\n1999-01-05T12:32:00+02:00 c\n\
        1999-01-05 10:33:00 d\n";
    let sandbox = Sandbox::with(&[("a.log", log)]);
    let bound = "1999-01-05T12:32:00+02:00";
    let read = ["read", "--no-headers", "--since", bound, "--until", bound, "a.log"];
    let lines: Vec<&str> = log.lines().collect();
    sandbox.run(&read).succeeds().prints(format!("{}\n{}\n", lines[1], lines[2]));
    let later = ["read", "--no-headers", "--later-than", bound, "a.log"];
    sandbox.run(&later).succeeds().prints(format!("{}\n", lines[3]));
}
