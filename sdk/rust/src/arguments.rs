//! Prompt arguments in a body, in the forms that several targets share.

use crate::{Layout, Segment};

/// The line that tells an agent without prompt arguments how to read the markers.
pub const NOTICE: &str = "Wherever `{{$ARGUMENTS...}}` stands below, read the arguments that the user gave with this skill.";

/// Whether a body holds any prompt argument.
#[must_use]
pub fn has_markers(body: &[Segment]) -> bool {
    body.iter()
        .any(|segment| matches!(segment, Segment::Marker { .. }))
}

/// The body with every marker as it was written.
#[must_use]
pub fn body_with_markers(body: &[Segment]) -> String {
    body.iter()
        .map(|segment| match segment {
            Segment::Text(text) => text.as_str(),
            Segment::Marker { literal, .. } => literal.as_str(),
        })
        .collect()
}

/// The body with markers, below [`NOTICE`] when there are any. A package has no notice: its readers share one file.
#[must_use]
pub fn body_with_notice(body: &[Segment], layout: Layout) -> String {
    let text = body_with_markers(body);
    if layout == Layout::Package || !has_markers(body) {
        return text;
    }
    format!("{NOTICE}\n\n{}", text.trim_start_matches(['\r', '\n']))
}

#[cfg(test)]
mod tests {
    use super::{NOTICE, body_with_markers, body_with_notice};
    use crate::{Argument, Layout, Segment};

    fn greeting() -> Vec<Segment> {
        vec![
            Segment::Text("\nHello ".to_owned()),
            Segment::Marker {
                argument: Argument::Named("who".to_owned()),
                literal: "{{$ARGUMENTS.who}}".to_owned(),
            },
            Segment::Text("!\n".to_owned()),
        ]
    }

    #[test]
    fn markers_keep_their_spelling() {
        assert_eq!(
            body_with_markers(&greeting()),
            "\nHello {{$ARGUMENTS.who}}!\n"
        );
    }

    #[test]
    fn the_notice_stands_on_top_except_in_a_package() {
        assert!(NOTICE.contains("{{$ARGUMENTS...}}"));
        assert_eq!(
            body_with_notice(&greeting(), Layout::Standalone),
            format!("{NOTICE}\n\nHello {{{{$ARGUMENTS.who}}}}!\n")
        );
        assert_eq!(
            body_with_notice(&greeting(), Layout::Package),
            "\nHello {{$ARGUMENTS.who}}!\n"
        );
    }

    #[test]
    fn a_body_without_markers_has_no_notice() {
        let body = [Segment::Text("Plain.\n".to_owned())];
        assert_eq!(body_with_notice(&body, Layout::Standalone), "Plain.\n");
    }
}
