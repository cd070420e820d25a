//! Formats strings of JSON and TOML.

/// Formats a text as a JSON string, which is also valid in YAML and TOML.
pub(super) fn quoted(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.replace('\u{7f}', "\\u007f")
}

/// Formats a text as a string of JSON or, in the style of another one, of JSON5.
pub(super) fn json_string(text: &str, model: Option<&str>) -> String {
    let quoted = quoted(text);
    match model {
        Some(model) if model.starts_with('\'') => {
            let inner = quoted[1..quoted.len() - 1].replace("\\\"", "\"").replace('\'', "\\'");
            format!("'{inner}'")
        }
        _ => quoted,
    }
}

pub(super) fn toml_string(text: &str, model: Option<&str>) -> String {
    let model = model.unwrap_or("\"");
    let is_literal = !text.contains(|character: char| character == '\'' || character.is_control());
    if model.starts_with("\"\"\"") && text.contains('\n') {
        let lines = text.split('\n').map(|line| quoted(line).trim_matches('"').to_owned());
        let lines: Vec<String> = lines.collect();
        let inner = lines.join("\n");
        // A quote at either end would be removed with the enclosing quotes.
        if !text.contains('"') {
            return format!("\"\"\"\n{inner}\"\"\"");
        }
    }
    if model.starts_with('\'') && is_literal { format!("'{text}'") } else { quoted(text) }
}
