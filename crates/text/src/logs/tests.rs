//! Tests of logs.

use super::*;

/// 2026-07-01 00:00.
const LATEST: i64 = 1_782_864_000;

/// Lines of each kind: the name, the line, its time in seconds since 1970 and its level.
const LINES: &[(&str, &str, &str, Option<LogLevel>)] = {
    use LogLevel::{Debug, Error, Fatal, Info, Trace, Warn};
    &[
        (
            "access",
            r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326"#,
            "2000-10-10 13:55:36 -0700",
            None,
        ),
        (
            "access",
            r#"a.com:80 ::1 - "b [c" [05/Jan/2026:10:00:00 +0000] "GET / HTTP/2.0" 404 1 "-" "curl""#,
            "2026-01-05 10:00:00 +0000",
            None,
        ),
        (
            "apache",
            "[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 35708:tid 4328636416] x",
            "2011-09-09 10:42:29.902022",
            Some(Error),
        ),
        (
            "apache",
            "[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok",
            "2005-12-04 04:47:44",
            Some(Info),
        ),
        (
            "nginx",
            "2026/01/05 10:00:00 [crit] 1234#0: *5 connect() failed",
            "2026-01-05 10:00:00",
            Some(Fatal),
        ),
        (
            "docker",
            "2026-01-05T10:00:00.123456700Z WARN low disk",
            "2026-01-05T10:00:00.1234567Z",
            Some(Warn),
        ),
        (
            "tracing",
            "2026-01-05T10:00:00.123456Z  INFO app::db: connected",
            "2026-01-05T10:00:00.123456Z",
            Some(Info),
        ),
        (
            "tracing",
            "  2026-01-05T10:00:00.123456Z TRACE app{id=1}: x",
            "2026-01-05T10:00:00.123456Z",
            Some(Trace),
        ),
        (
            "tracing",
            "\x1b[2m2026-01-05T10:00:00.1Z\x1b[0m \x1b[33m WARN\x1b[0m \x1b[2mapp\x1b[0m\x1b[2m:\x1b[0m x",
            "2026-01-05T10:00:00.1Z",
            Some(Warn),
        ),
        ("dated", "2026-01-05 10:00:00 [w] ERROR x", "2026-01-05 10:00:00", Some(Error)),
        ("dated", "2026-01-05 10:00:00 [W] x", "2026-01-05 10:00:00", Some(Warn)),
        ("dated", "[Mon Jan  5 10:00:00 2026] usb 1-1: x", "2026-01-05 10:00:00", None),
        ("dated", "2026-01-05 10:00:00,1 ERROR a b", "2026-01-05 10:00:00.1", Some(Error)),
        ("dated", "[2026-01-05 10:00:00 +0000] [12] [INFO] x", "2026-01-05 10:00:00Z", Some(Info)),
        (
            "java",
            "[2026-01-05 10:00:00,1] INFO x (kafka.server.X)",
            "2026-01-05 10:00:00.1",
            Some(Info),
        ),
        (
            "python",
            "2026-01-05 10:00:00,123 - app.db - CRITICAL - x",
            "2026-01-05 10:00:00.123",
            Some(Fatal),
        ),
        (
            "java",
            "2026-01-05 10:00:00,123 [main] ERROR c.e.App - x",
            "2026-01-05 10:00:00.123",
            Some(Error),
        ),
        (
            "java",
            "2015-07-29 17:41:44,747 - INFO  [QuorumPeer] - x",
            "2015-07-29 17:41:44.747",
            Some(Info),
        ),
        ("journal", "2026-01-05T10:00:00+0100 host sshd[12]: x", "2026-01-05T10:00:00+01:00", None),
        (
            "syslog",
            "<34>1 2003-10-11T22:14:15.003Z host su - ID47 - x",
            "2003-10-11T22:14:15.003Z",
            Some(Fatal),
        ),
        ("syslog", "<13>Oct 11 22:14:15 host su: x", "2025-10-11 22:14:15", Some(Info)),
        ("syslog", "Jan  5 10:00:00 host unit[1]: x", "2026-01-05 10:00:00", None),
        ("syslog", "Jan 05 2024 10:00:00 host unit[1]: x", "2024-01-05 10:00:00", None),
        ("syslog", "Jul  2 00:00:01 host x: tomorrow", "2025-07-02 00:00:01", None),
        ("syslog", "Jul  1 23:00:00 host x: within a day", "2026-07-01 23:00:00", None),
        ("syslog", "Feb 29 10:00:00 host x: leap", "2024-02-29 10:00:00", None),
        ("go", "2026/01/05 10:00:00.000001 main.go:12: x", "2026-01-05 10:00:00.000001", None),
        ("go", "2026/01/05 10:00:00 INFO hello", "2026-01-05 10:00:00", Some(Info)),
        ("dated", "[2026-01-05 10:00] ERROR x", "2026-01-05 10:00", Some(Error)),
        ("dated", "2026-01-05T10:00:00Z\twarn\tx", "2026-01-05T10:00:00Z", Some(Warn)),
        ("dated", "2026-01-05 x", "2026-01-05", None),
        ("klog", "E0105 10:00:00.123456   12 a.go:1] x", "2026-01-05 10:00:00.123456", Some(Error)),
        (
            "logcat",
            "03-17 16:13:38.811  1702  2395 D Window: x",
            "2026-03-17 16:13:38.811",
            Some(Debug),
        ),
        ("spark", "17/06/09 20:10:40 INFO spark.A: x", "2017-06-09 20:10:40", Some(Info)),
        (
            "logfmt",
            r#"time="2026-01-05T10:00:00Z" level=warning msg="a level=error b""#,
            "2026-01-05T10:00:00Z",
            Some(Warn),
        ),
        (
            "logfmt",
            "level=info ts=1767607200.5 caller=a.go:1",
            "2026-01-05T10:00:00.5Z",
            Some(Info),
        ),
        ("klog", "W20260105 10:00:00.5 12 a.cc:1] x", "2026-01-05 10:00:00.5", Some(Warn)),
        (
            "dated",
            "05-Jan-2026 10:00:00.123 SEVERE [main] org.apache.X x",
            "2026-01-05 10:00:00.123",
            Some(Error),
        ),
        ("dated", "[05-Jan-2026 10:00:00 UTC] PHP x", "2026-01-05 10:00:00Z", None),
        ("dated", "12:M 05 Jan 2026 10:00:00.123 * x", "2026-01-05 10:00:00.123", None),
        ("dated", "INFO:2026-01-05 10:00:00,5:app:x", "2026-01-05 10:00:00,5", Some(Info)),
        ("dated", "WARNING 2026-01-05 10:00:00,5 a", "2026-01-05 10:00:00,5", Some(Warn)),
        ("dated", "[ERROR] [2026-01-05 10:00:00] a", "2026-01-05 10:00:00", Some(Error)),
        (
            "dated",
            "INFO  [main] 2026-01-05 10:00:00 a.java:1 - x",
            "2026-01-05 10:00:00",
            Some(Info),
        ),
        (
            "dated",
            "W, [2026-01-05T10:00:00.5 #12]  WARN -- : x",
            "2026-01-05 10:00:00.5",
            Some(Warn),
        ),
        ("dated", "build\tRun tests\t2026-01-05T10:00:00Z x", "2026-01-05 10:00:00Z", None),
        ("dated", "update-alternatives 2026-01-05 10:00:00: x", "2026-01-05 10:00:00", None),
        (
            "dated",
            "a.log.2026-01-04_09:00:00 2026-01-05 10:00:00.5 12 ERROR x",
            "2026-01-05 10:00:00.5",
            Some(Error),
        ),
        ("dated", "Tue 2026-01-05 10:00:00 GMT host unit[1]: x", "2026-01-05 10:00:00Z", None),
        (
            "dated",
            "2026-01-05 10:00:00, Info                  CBS    x",
            "2026-01-05 10:00:00",
            Some(Info),
        ),
        (
            "dated",
            "[2026-01-05 10:00:00,5: WARNING/MainProcess] x",
            "2026-01-05 10:00:00,5",
            Some(Warn),
        ),
        ("dated", "2026-01-05 10:00:00 UTC [1] LOG:  x", "2026-01-05 10:00:00Z", Some(Info)),
        ("dated", "2026-01-05T10:00:00Z 0 [Note] [MY-1] x", "2026-01-05 10:00:00Z", Some(Info)),
        (
            "syslog",
            r#"Jan  5 10:00:00 h haproxy[1]: ::1:5 [05/Jan/2026:10:00:00.5] a "GET /""#,
            "2026-01-05 10:00:00",
            None,
        ),
        (
            "docker",
            r#"2026-01-05T10:00:00.123456789Z ::1 - - [05/Jan/2026:09:59:59 +0000] "GET /" 1"#,
            "2026-01-05T10:00:00.123456789Z",
            None,
        ),
        (
            "json",
            r#"{"t":{"$date":"2026-01-05T10:00:00.5+00:00"},"s":"W","c":"NETWORK"}"#,
            "2026-01-05T10:00:00.5Z",
            Some(Warn),
        ),
        (
            "json",
            r#"{"t":{"a":1},"@t":"2026-01-05T10:00:00.5Z","@mt":"x"}"#,
            "2026-01-05T10:00:00.5Z",
            Some(Info),
        ),
        (
            "json",
            r#"{"level":50,"a":{"time":"x"},"time":1767607200500,"msg":"\"time\":"}"#,
            "2026-01-05T10:00:00.5Z",
            Some(Error),
        ),
        (
            "json",
            r#"{"@timestamp": "2026-01-05T10:00:00Z", "severity": "WARN"}"#,
            "2026-01-05T10:00:00Z",
            Some(Warn),
        ),
    ]
};

#[test]
fn lines_of_each_kind_begin_entries() {
    for &(name, line, time, level) in LINES {
        let kind = LogKind::of_log(line.as_bytes());
        assert_eq!(kind.name(), name, "{line}");
        assert!(kind.begins_entry(line.as_bytes()), "{line}");
        let found = kind.time(line.as_bytes(), LATEST).expect("a time");
        let expected = Timestamp::parse(time).expect("a time");
        assert_eq!(
            (found.sort_key(), found.offset()),
            (expected.sort_key(), expected.offset()),
            "{line}"
        );
        assert_eq!(kind.level(line.as_bytes()), level, "{line}");
        let pattern =
            crate::pattern::Pattern::new(kind.pattern(), Default::default()).expect("a pattern");
        assert!(pattern.is_match(line.as_bytes()) || line.starts_with('\x1b'), "{line}");
    }
}

#[test]
fn other_lines_continue_entries() {
    let others = [
        "",
        "\tat org.example.Main(Main.java:1)",
        "    2026-01-05 10:00 indented",
        "Caused by: x",
        "January 5 10:00:00",
        "Jan 32 10:00:00",
        "Jan 5 25:00:00",
        "[Mon] x",
        "[Mon Jan 05",
        "I1305 10:00:00 x",
        "INFO:root:x",
        "<34>1 x",
        "<999>Jan 5 10:00:00",
        "{\"time\"",
        "{\"a\":\"time\"}",
        "{\"time\":12}",
        "a=b time",
        "a=\"b",
        "time=",
        "=",
        "é",
        "\x1b[",
        "\x1b[2m",
        "2026-01-05_10:00",
        "17/06/09",
        "03-17",
        "a [b] c",
        "ValueError: 2026-01-05 10:00:00",
        "    INFO 2026-01-05 10:00:00",
        "boom at b 2026-01-05 10:00:00",
        "a=2026-01-05 10:00:00",
        "INFO 2026-01-05",
        "05-Jan-26 10:00:00",
        "05-Foo-2026 10:00:00",
        "12:M 05",
        "I20261305 10:00:00",
        "{\"t\":{\"a\":1}}",
    ];
    for kind in ROWS.iter().map(|row| row.kind).chain([LogKind::Marked]) {
        for line in others {
            assert!(!kind.begins_entry(line.as_bytes()), "{kind:?} {line}");
            assert_eq!(
                kind.time(line.as_bytes(), LATEST).filter(|_| kind != LogKind::Marked),
                None
            );
        }
    }
}

#[test]
fn the_most_frequent_kind_is_the_kind_of_a_log() {
    let kind = |head: &str| LogKind::of_log(head.as_bytes()).name();
    assert_eq!(kind("-- Boot --\nJan 05 10:00:00 h u: x\n"), "syslog");
    let java = "2026-01-05 10:00:00,1 [main] ERROR x\n\tat a\n\tat b\n";
    assert_eq!(kind(&format!("2026-01-05 starts\n{java}{java}")), "java");
    assert_eq!(kind("[LOG-1] x\n2026-01-05 10:00 x\n2026-01-05 10:00 y\n"), "");
    assert_eq!(LogKind::of_log(b"nothing\n"), LogKind::Undecided);
    for line in [&b"2026-01-05 x"[..], b"[LOG-1] x"] {
        assert!(LogKind::Undecided.begins_entry(line));
    }
    let header = "nothing\n".repeat(FIRST_LINES);
    let access = "::1 - - [05/Jan/2026:10:00:00 +0000] \"GET /\" 1\n";
    assert_eq!(kind(&format!("{header}{access}")), "access");
    assert_eq!(LogKind::of_log(format!("{header}[LOG-1] x\n").as_bytes()), LogKind::Marked);
}

#[test]
fn a_text_is_a_log_only_if_most_lines_begin_with_a_time() {
    let kind = |head: &str| LogKind::of_text(head.as_bytes()).map(LogKind::name);
    let line = "2026-01-05 10:00 x\n";
    assert_eq!(kind(line), None);
    assert_eq!(kind(&line.repeat(2)), Some("dated"));
    assert_eq!(kind(&format!("Notes\n{}", line.repeat(9))), None);
    assert_eq!(kind(&format!("{line}a\n{line}b\n")), None);
    assert_eq!(kind("2026-01-05 Version 2\n2026-01-04 Version 1\n"), None);
    assert_eq!(kind(&"id-1 2026-01-05 10:00\n".repeat(3)), None);
    assert_eq!(kind("{\"time\":1767607200}\n{\"time\":1767607200}\n"), None);
}
