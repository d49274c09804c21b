//! Finds the file that a partial or a path means.

use super::Context;
use super::expression::{is_word, scheme};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::model::path::RelPath;
use crate::model::selector::Container;

const SHARED: &str = ".skillset/shared";
const PARTIALS: &str = ".skillset/partials";
const PLUGINS: &str = ".skillset/plugins";

/// The path behind `shared:x`, `plugin:x` or a path relative to `directory`.
pub(super) fn path(
    context: Context<'_>,
    directory: &RelPath,
    text: &str,
) -> Result<RelPath, Diagnostic> {
    let (base, rest) = match scheme(text) {
        None => (directory.to_string(), text),
        Some(("shared", rest)) => (SHARED.to_owned(), rest),
        Some((_, rest)) => {
            let Container::Plugin(id) = context.body.container else {
                return Err(Diagnostic::new(
                    Code::PREPROCESS_PATH_UNSAFE,
                    format!("`{text}` names a plugin's file, but this skill belongs to no plugin"),
                )
                .help("use `shared:`, or move the skill into the plugin"));
            };
            (format!("{PLUGINS}/{id}/shared"), rest)
        }
    };
    RelPath::new(rest)
        .and_then(|rest| RelPath::new(&base)?.join(rest.as_str()))
        .map_err(|error| {
            Diagnostic::new(
                Code::PREPROCESS_PATH_UNSAFE,
                format!("`{text}` cannot be followed: {error}"),
            )
            .help("write a path that stays below its own folder, or share the file with `shared:`")
        })
}

/// The file of a named partial.
pub(super) fn named(context: Context<'_>, name: &str) -> Result<RelPath, Diagnostic> {
    let plugin = context.body.container.plugin().map(|id| id.as_str());
    if let Some(rest) = name.strip_prefix("plugin:") {
        check_name(rest)?;
        let Some(id) = plugin else {
            return Err(Diagnostic::new(
                Code::PREPROCESS_PARTIAL_MISSING,
                format!("`{name}` names a plugin's partial, but this skill belongs to no plugin"),
            ));
        };
        return lookup(context, &partials_of(id), rest)?.ok_or_else(|| missing(context, name));
    }
    check_name(name)?;
    let first = name.split_once('.');
    if let (Some(id), Some((head, rest))) = (plugin, first)
        && head == id
    {
        return lookup(context, &partials_of(id), rest)?.ok_or_else(|| missing(context, name));
    }
    if let Some(path) = lookup(context, PARTIALS, name)? {
        return Ok(path);
    }
    if let Some((head, _)) = first
        && RelPath::new(PLUGINS)
            .and_then(|base| base.join(head))
            .is_ok_and(|path| context.tree.is_directory(&path))
    {
        return Err(Diagnostic::new(
            Code::PREPROCESS_PARTIAL_MISSING,
            format!("`{name}` belongs to the plugin `{head}`, and only its own skills can use it"),
        )
        .help(format!("move the partial to `{PARTIALS}/`")));
    }
    let own = match plugin {
        Some(id) => lookup(context, &partials_of(id), name)?,
        None => None,
    };
    own.ok_or_else(|| missing(context, name))
}

fn partials_of(plugin: &str) -> String {
    format!("{PLUGINS}/{plugin}/partials")
}

fn check_name(name: &str) -> Result<(), Diagnostic> {
    if name.split('.').all(is_word) {
        return Ok(());
    }
    Err(Diagnostic::new(
        Code::PREPROCESS_SYNTAX,
        format!("`{name}` is not the name of a partial"),
    )
    .help("a name has letters, digits, hyphens and underscores, in parts separated by dots"))
}

/// `<base>/<name>.md`, else the only file of that name anywhere below.
fn lookup(context: Context<'_>, base: &str, name: &str) -> Result<Option<RelPath>, Diagnostic> {
    let Ok(base) = RelPath::new(base) else {
        return Ok(None);
    };
    let file = format!("{name}.md");
    let direct = base
        .join(&file)
        .ok()
        .filter(|path| context.tree.file(path).is_some());
    if direct.is_some() {
        return Ok(direct);
    }
    let mut hits: Vec<&RelPath> = context
        .tree
        .files_below(&base)
        .map(|(path, _)| path)
        .filter(|path| path.name() == file)
        .collect();
    if hits.len() > 1 {
        let list: Vec<_> = hits.iter().map(|path| path.as_str()).collect();
        return Err(Diagnostic::new(
            Code::PREPROCESS_PARTIAL_AMBIGUOUS,
            format!("the partial `{name}` is ambiguous: {}", list.join(", ")),
        )
        .help("rename all but one of them"));
    }
    Ok(hits.pop().cloned())
}

fn missing(context: Context<'_>, name: &str) -> Diagnostic {
    let stems: Vec<String> = context
        .tree
        .files()
        .filter(|(path, _)| path.components().any(|part| part == "partials"))
        .filter_map(|(path, _)| path.name().strip_suffix(".md").map(str::to_owned))
        .collect();
    let finding = Diagnostic::new(
        Code::PREPROCESS_PARTIAL_MISSING,
        format!("there is no partial `{name}`"),
    );
    match nearest(name, stems.iter().map(String::as_str)) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help(format!("create `{PARTIALS}/{name}.md`")),
    }
}
