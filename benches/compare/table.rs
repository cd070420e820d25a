//! Prints the results: the cost of each program, its ratio to the cost of folio, and the goals.

use std::fmt::Write;
use std::time::Duration;

use crate::measure::Cost;
use crate::rows::{Goal, Limit, Measure, Row};

/// The figures of a contender.
pub struct Figures {
    /// The label of the contender.
    pub label: &'static str,
    /// The lowest cost of all runs.
    pub cost: Cost,
    /// Number of instructions, if counted.
    pub instructions: Option<u64>,
}

/// Prints a row with its figures and goals.
pub fn table(row: &Row, figures: &[Figures]) -> String {
    let mut out = format!("\n{}: {}\n", row.name, row.work);
    let columns = ["CPU ms", "wall ms", "peak MiB", "MB out", "lines", "folio/it: CPU", "wall"];
    let [cpu, wall, memory, bytes, lines, cpu_ratio, wall_ratio] = columns;
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "  {:<16}{cpu:>10}{wall:>10}{memory:>10}{bytes:>9}{lines:>10}{cpu_ratio:>15}{wall_ratio:>8}",
        ""
    );
    let folio = figures.iter().find(|figures| figures.label == "folio");
    for contender in figures {
        let _ = writeln!(out, "{}", line(contender, folio));
    }
    for goal in &row.goals {
        let _ = writeln!(out, "  {}", goal_line(goal, figures));
    }
    for left_out in &row.left_out {
        let _ = writeln!(out, "  left out: {left_out}");
    }
    out
}

fn line(figures: &Figures, folio: Option<&Figures>) -> String {
    let cost = &figures.cost;
    let mut line = format!(
        "  {:<16}{:>10.2}{:>10.2}{:>10.1}{:>9.1}{:>10}",
        figures.label,
        milliseconds(cost.cpu),
        milliseconds(cost.wall),
        cost.memory as f64 / f64::from(1 << 20),
        cost.bytes as f64 / 1e6,
        cost.lines,
    );
    if let Some(folio) = folio.filter(|folio| folio.label != figures.label) {
        let cpu = folio.cost.cpu.as_secs_f64() / cost.cpu.as_secs_f64();
        let wall = folio.cost.wall.as_secs_f64() / cost.wall.as_secs_f64();
        let _ = write!(line, "{cpu:>15.3}{wall:>8.3}");
    }
    line
}

/// Formats a goal, the result, and whether the goal was reached.
fn goal_line(goal: &Goal, figures: &[Figures]) -> String {
    let folio = figures.iter().find(|figures| figures.label == goal.of);
    let (target, found) = match goal.limit {
        Limit::Times(most, label) => {
            let peer = figures.iter().find(|figures| figures.label == label);
            let found = folio.zip(peer).and_then(|(folio, peer)| {
                Some((value(goal.measure, folio)? / value(goal.measure, peer)?, most))
            });
            (format!("{} ≤ {most:.3} × {label}", name(goal.measure)), found)
        }
        Limit::Bytes { base, a_line } => {
            let mebibytes = base >> 20;
            let found = folio.and_then(|folio| {
                let most = (base + a_line * folio.cost.lines) as f64;
                Some((value(goal.measure, folio)? / most, 1.0))
            });
            let a_line = if a_line > 0 { format!(" + {a_line} B a line") } else { String::new() };
            (format!("{} ≤ {mebibytes} MiB{a_line}", name(goal.measure)), found)
        }
        Limit::Milliseconds(most) => {
            let found = folio
                .and_then(|folio| Some((value(goal.measure, folio)? * 1000.0 / most as f64, 1.0)));
            (format!("{} ≤ {most} ms", name(goal.measure)), found)
        }
    };
    let target = match goal.of {
        "folio" => target,
        of => format!("{of}: {target}"),
    };
    let verdict = match found {
        Some((found, most)) if found <= most => format!("{found:.3}  reached"),
        Some((found, _)) => format!("{found:.3}  MISSED"),
        None => "not measured".to_owned(),
    };
    format!("goal: {target:<40}{verdict}")
}

fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Cpu => "CPU",
        Measure::Wall => "wall",
        Measure::Memory => "memory",
        Measure::Instructions => "instructions",
    }
}

fn value(measure: Measure, figures: &Figures) -> Option<f64> {
    match measure {
        Measure::Cpu => Some(figures.cost.cpu.as_secs_f64()),
        Measure::Wall => Some(figures.cost.wall.as_secs_f64()),
        Measure::Memory => Some(figures.cost.memory as f64),
        Measure::Instructions => figures.instructions.map(|count| count as f64),
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
