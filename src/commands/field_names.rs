//! The names of options as fields of JSON requests.

/// Converts the name of an option or identifier to camel case. `--if-match` and `if_match` become
/// `ifMatch`.
pub fn camel_case(name: &str) -> String {
    let mut parts = name.split(['-', '_']).filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_converted_to_fields() {
        assert_eq!(camel_case("--no-children"), "noChildren");
        assert_eq!(camel_case("if_range_match"), "ifRangeMatch");
    }
}
