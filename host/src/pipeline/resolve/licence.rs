//! The licence in effect: that of the skill, else of its plugin, else of the workspace (`spec/01`).

use crate::diagnostic::{Code, Diagnostic, Found, Span, nearest};
use crate::model::path::RelPath;
use crate::model::tree::SourceTree;

/// The licences that we can name: id and name.
const KNOWN: [(&str, &str); 17] = [
    ("0BSD", "BSD Zero Clause License"),
    (
        "AGPL-3.0-only",
        "GNU Affero General Public License v3.0 only",
    ),
    (
        "AGPL-3.0-or-later",
        "GNU Affero General Public License v3.0 or later",
    ),
    ("Apache-2.0", "Apache License 2.0"),
    ("BSD-2-Clause", "BSD 2-Clause \"Simplified\" License"),
    (
        "BSD-3-Clause",
        "BSD 3-Clause \"New\" or \"Revised\" License",
    ),
    (
        "CC-BY-4.0",
        "Creative Commons Attribution 4.0 International",
    ),
    (
        "CC-BY-SA-4.0",
        "Creative Commons Attribution Share Alike 4.0 International",
    ),
    ("CC0-1.0", "Creative Commons Zero v1.0 Universal"),
    ("GPL-2.0-only", "GNU General Public License v2.0 only"),
    ("GPL-3.0-only", "GNU General Public License v3.0 only"),
    (
        "GPL-3.0-or-later",
        "GNU General Public License v3.0 or later",
    ),
    ("ISC", "ISC License"),
    (
        "LGPL-3.0-only",
        "GNU Lesser General Public License v3.0 only",
    ),
    ("MIT", "MIT License"),
    ("MPL-2.0", "Mozilla Public License 2.0"),
    ("Unlicense", "The Unlicense"),
];

/// What a unit's licence is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Licence {
    /// An SPDX id that we know; a notice is generated.
    Spdx(String),
    /// A `LICENSE.txt` that is copied.
    File(RelPath),
    /// Nothing.
    None,
}

/// One scope that may decide: the skill, its plugin or the workspace.
#[derive(Debug, Clone)]
pub struct Scope<'a> {
    /// `skillset.license` and its place.
    pub setting: Option<(&'a str, Span)>,
    /// The directory that may hold `LICENSE.txt`: `.skillset` for the workspace.
    pub directory: RelPath,
}

/// The first scope that says something decides. Innermost first.
#[must_use]
pub fn licence(scopes: &[Scope<'_>], tree: &SourceTree) -> Found<Licence> {
    for scope in scopes {
        let file = scope
            .directory
            .join("LICENSE.txt")
            .ok()
            .filter(|path| tree.file(path).is_some());
        match (&scope.setting, file) {
            (Some(("none", span)), Some(file)) => {
                let message = format!("`license: none` stands beside `{file}`");
                let finding = Diagnostic::new(Code::LICENCE_NONE_WITH_FILE, message)
                    .at(span.clone())
                    .help("remove one of them");
                return Found {
                    value: Licence::None,
                    findings: vec![finding],
                };
            }
            (Some(("none", _)), None) => return Found::clean(Licence::None),
            (Some((id, span)), _) => {
                if KNOWN.iter().any(|(known, _)| known == id) {
                    return Found::clean(Licence::Spdx((*id).to_owned()));
                }
                let finding = Diagnostic::new(
                    Code::LICENCE_UNKNOWN,
                    format!("the licence `{id}` is not known"),
                );
                let help = match nearest(id, KNOWN.iter().map(|(known, _)| *known)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "write an SPDX id, or put the text into LICENSE.txt".to_owned(),
                };
                return Found {
                    value: Licence::None,
                    findings: vec![finding.at(span.clone()).help(help)],
                };
            }
            (None, Some(file)) => return Found::clean(Licence::File(file)),
            (None, None) => {}
        }
    }
    Found::clean(Licence::None)
}

/// The text of a generated `LICENSE.txt`; `scope` says what it covers: `the skill tdd`.
#[must_use]
pub fn notice(id: &str, scope: &str) -> String {
    let name = KNOWN
        .iter()
        .find(|(known, _)| *known == id)
        .map_or(id, |(_, name)| name);
    format!(
        "SPDX-License-Identifier: {id}\n\n{name}\n\nThis licence covers {scope}.\nIts full text: https://spdx.org/licenses/{id}.html\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_scope_decides() {
        let path = RelPath::new("skillset.yaml").unwrap();
        let scope = |id| Scope {
            setting: Some((id, Span::whole(&path))),
            directory: RelPath::new(".skillset").unwrap(),
        };
        let tree = SourceTree::default();
        assert_eq!(
            licence(&[scope("MIT"), scope("ISC")], &tree).value,
            Licence::Spdx("MIT".to_owned())
        );
        assert_eq!(
            licence(&[scope("none"), scope("MIT")], &tree).value,
            Licence::None
        );
        assert_eq!(
            licence(&[scope("MITT")], &tree).findings[0].code,
            Code::LICENCE_UNKNOWN
        );
    }
}
