//! Hexadecimal digits.

/// Returns bytes as hexadecimal digits, two for each byte.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(b""), "");
        assert_eq!(hex(&[0, 0x0f, 0xf0, 0xa9]), "000ff0a9");
    }
}
