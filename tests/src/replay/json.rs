//! What the replay reads of JSON.

use serde_json::Value;

/// An error, unless something is right.
pub fn expect(is_right: bool, else_wrong: &str) -> Result<(), String> {
    match is_right {
        true => Ok(()),
        false => Err(else_wrong.into()),
    }
}

/// A list; empty if the value is none.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

/// A number; 0 if the value is none.
pub fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<i64> {
    list(value).iter().map(number).collect()
}

/// A text; empty if the value is none.
pub fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A list of texts.
pub fn texts(value: &Value) -> Vec<String> {
    list(value).iter().map(|text| text_of(text).to_string()).collect()
}
