//! What the text between double braces means.

use crate::model::path::RelPath;
use crate::model::renderer::Argument;
use crate::model::tree::SourceTree;

/// Levels that `parent.tree` shows when the author does not say.
const DEFAULT_TREE_DEPTH: usize = 2;

/// The most levels of `parent.tree`.
const MAX_TREE_DEPTH: usize = 8;

/// A meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression<'a> {
    /// `this.a.b`
    This(Vec<&'a str>),
    /// `skillset.source_path` and its like.
    Skillset(&'a str),
    /// `parent.name`, `parent.dir`
    Parent(&'a str),
    /// `parent.tree depth:N`
    Tree(usize),
    /// `$ARGUMENTS...`
    Argument(Argument, String),
    /// `> name`
    Partial(&'a str),
    /// A path whose text is wanted.
    Include(&'a str),
    /// `@path`, whose place is wanted.
    Resolve(&'a str),
    /// Somebody else's braces.
    Foreign,
}

/// Reads a trimmed expression that stands in a file of `directory`.
///
/// The error says what is wrong with a reserved expression.
pub(super) fn parse<'a>(
    key: &'a str,
    directory: &RelPath,
    tree: &SourceTree,
) -> Result<Expression<'a>, String> {
    if let Some(name) = key.strip_prefix('>') {
        return Ok(Expression::Partial(name.trim()));
    }
    if key.starts_with("$ARG") {
        return argument(key);
    }
    if let Some(path) = key.strip_prefix("this.") {
        let parts: Vec<_> = path.split('.').collect();
        return if parts.iter().all(|part| is_word(part)) {
            Ok(Expression::This(parts))
        } else {
            Err(format!(
                "`{{{{{key}}}}}` is not a field: write `{{{{this.<field>}}}}`"
            ))
        };
    }
    if let Some(name) = key.strip_prefix("skillset.") {
        return match name {
            "source_path" | "source_dir" | "source_root" => Ok(Expression::Skillset(name)),
            _ => Err(format!(
                "`skillset.{name}` is not known: it is source_path, source_dir or source_root"
            )),
        };
    }
    if let Some(rest) = key.strip_prefix("parent.") {
        return parent(rest);
    }
    if let Some(path) = key.strip_prefix('@') {
        return Ok(if is_include(path, directory, tree) {
            Expression::Resolve(path)
        } else {
            Expression::Foreign
        });
    }
    Ok(if is_include(key, directory, tree) {
        Expression::Include(key)
    } else {
        Expression::Foreign
    })
}

fn parent(rest: &str) -> Result<Expression<'_>, String> {
    if matches!(rest, "name" | "dir") {
        return Ok(Expression::Parent(rest));
    }
    let mut words = rest.split_whitespace();
    if words.next() != Some("tree") {
        return Err(format!(
            "`parent.{rest}` is not known: it is name, dir or tree"
        ));
    }
    let depth = match (words.next(), words.next()) {
        (None, _) => Some(DEFAULT_TREE_DEPTH),
        (Some(word), None) => word
            .strip_prefix("depth:")
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok()),
        _ => None,
    };
    depth
        .filter(|depth| *depth <= MAX_TREE_DEPTH)
        .map(Expression::Tree)
        .ok_or_else(|| {
            format!(
                "`parent.{rest}` is malformed: `parent.tree` takes `depth:N` with N from 0 to 8"
            )
        })
}

fn argument(key: &str) -> Result<Expression<'_>, String> {
    let wrong = || {
        format!(
            "`{{{{{key}}}}}` is not a prompt argument: write `{{{{$ARGUMENTS}}}}`, `{{{{$ARGUMENTS[0]}}}}` or `{{{{$ARGUMENTS.name}}}}`"
        )
    };
    let rest = key.strip_prefix("$ARGUMENTS").ok_or_else(wrong)?;
    let argument = if rest.is_empty() {
        Argument::Whole
    } else if let Some(name) = rest.strip_prefix('.') {
        let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !first || !is_word(name) {
            return Err(wrong());
        }
        Argument::Named(name.to_owned())
    } else {
        let digits = rest
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .ok_or_else(wrong)?;
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        Argument::Index(digits.parse().ok().filter(|_| plain).ok_or_else(wrong)?)
    };
    Ok(Expression::Argument(argument, format!("{{{{{key}}}}}")))
}

/// Letters, digits, hyphens and underscores.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// A scheme, or a relative path that looks like a file or is one.
fn is_include(key: &str, directory: &RelPath, tree: &SourceTree) -> bool {
    if key.contains(char::is_whitespace) {
        return false;
    }
    if scheme(key).is_some() {
        return true;
    }
    if key.contains("://")
        || !key
            .chars()
            .all(|c| c.is_alphanumeric() || "._-/+~@".contains(c))
    {
        return false;
    }
    let name = key.rsplit('/').next().unwrap_or(key);
    let extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.trim_matches('.').is_empty()
            && !extension.is_empty()
            && extension.chars().all(char::is_alphanumeric)
    });
    (key.contains('/') && extension)
        || directory
            .join(key)
            .is_ok_and(|path| tree.file(&path).is_some())
}

/// The scheme and path of `shared:x` and `plugin:x`; `root:` is another word for `shared:`.
pub(super) fn scheme(text: &str) -> Option<(&'static str, &str)> {
    [
        ("shared:", "shared"),
        ("root:", "shared"),
        ("plugin:", "plugin"),
    ]
    .into_iter()
    .find_map(|(prefix, scheme)| text.strip_prefix(prefix).map(|rest| (scheme, rest)))
}

/// The listing of a directory: `.` and one line for each entry, two blanks for each level.
pub(super) fn listing(directory: &RelPath, depth: usize, tree: &SourceTree) -> String {
    let mut entries: Vec<(RelPath, bool)> = tree
        .files_below(directory)
        .map(|(path, _)| (path, false))
        .chain(tree.directories_below(directory).map(|path| (path, true)))
        .filter_map(|(path, is_directory)| Some((path.strip_prefix(directory)?, is_directory)))
        .collect();
    // By component, as a walk would: `a-b` must not come between `a/` and its entries. UTF-16 order, as upstream.
    entries.sort_by_cached_key(|(path, _)| -> Vec<Vec<u16>> {
        path.components()
            .map(|part| part.encode_utf16().collect())
            .collect()
    });
    entries.dedup();
    let mut text = String::from(".");
    for (path, is_directory) in entries {
        let level = path.components().count();
        if level <= depth {
            let end = if is_directory { "/" } else { "" };
            text.push_str(&format!(
                "\n{}- {}{end}",
                "  ".repeat(level - 1),
                path.name()
            ));
        }
    }
    text
}
