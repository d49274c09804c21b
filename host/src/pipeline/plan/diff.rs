//! Unified diffs of what a plan would do.

use crate::model::path::RelPath;

/// A unified diff; `None` stands for no file. Bytes that are not text are only named.
#[must_use]
pub fn unified(path: &RelPath, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let old = before.map_or("/dev/null".into(), |_| format!("a/{path}"));
    let new = after.map_or("/dev/null".into(), |_| format!("b/{path}"));
    let text = |bytes: Option<&[u8]>| String::from_utf8(bytes.unwrap_or_default().to_vec());
    match (text(before), text(after)) {
        (Ok(a), Ok(b)) => similar::TextDiff::from_lines(&a, &b)
            .unified_diff()
            .context_radius(3)
            .header(&old, &new)
            .to_string(),
        _ if before == after => String::new(),
        _ => format!("Binary files {old} and {new} differ\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_lines_and_names_binaries() {
        let path = RelPath::new("x/a.md").unwrap();
        assert_eq!(
            unified(&path, Some(b"one\ntwo\n"), Some(b"one\n2\n")),
            "--- a/x/a.md\n+++ b/x/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        );
        assert_eq!(
            unified(&path, None, Some(b"\xff")),
            "Binary files /dev/null and b/x/a.md differ\n"
        );
    }
}
