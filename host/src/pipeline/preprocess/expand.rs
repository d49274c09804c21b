//! Walks the tokens of a body and of every file that it pulls in.

use std::ops::Range;

use super::expression::{self, Expression};
use super::output::Output;
use super::scan::{Token, scan};
use super::{Context, MAX_DEPTH, MAX_EXPANDED_BYTES, MAX_INCLUSIONS, Record, links, partials};
use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::model::id::Sha256;
use crate::model::path::RelPath;

/// Expands the body's text, which begins at `offset` of its file.
pub(super) fn expand(
    context: Context<'_>,
    text: &str,
    offset: usize,
    output: &mut Output,
    record: &mut Record,
) {
    let path = context.body.document.path.clone();
    let mut walk = Walk {
        context,
        output,
        record,
        chain: vec![path],
        inclusions: 0,
        stopped: false,
    };
    walk.text(text, offset);
}

struct Walk<'a, 'o> {
    context: Context<'a>,
    output: &'o mut Output,
    record: &'o mut Record,
    /// The file being expanded, last, and those that pulled it in.
    chain: Vec<RelPath>,
    inclusions: usize,
    /// A limit was passed; nothing more is expanded.
    stopped: bool,
}

impl Walk<'_, '_> {
    fn text(&mut self, text: &str, offset: usize) {
        let Some(path) = self.chain.last().cloned() else {
            return;
        };
        let directory = path.parent().unwrap_or_else(|| path.clone());
        for (token, range) in scan(text) {
            if self.stopped {
                return;
            }
            let at = offset + range.start;
            match token {
                Token::Text(plain) => self.output.push_source(&path, at, plain),
                Token::Literal(key) => self.output.push_value(&path, at, &format!("{{{{{key}}}}}")),
                Token::Expression(key) => {
                    let span = at..offset + range.end;
                    match expression::parse(key, &directory, self.context.tree) {
                        Ok(Expression::Foreign) => self.output.push_source(&path, at, &text[range]),
                        Ok(expression) => {
                            if let Err(finding) =
                                self.expression(&expression, &path, &directory, span.clone())
                            {
                                self.report(finding, &path, span);
                            }
                        }
                        Err(message) => {
                            let finding = Diagnostic::new(Code::PREPROCESS_SYNTAX, message)
                                .help("write triple braces to keep it as text");
                            self.report(finding, &path, span);
                        }
                    }
                }
            }
            if self.output.text().len() > MAX_EXPANDED_BYTES && !self.stopped {
                self.stopped = true;
                let message =
                    format!("the expanded body is longer than {MAX_EXPANDED_BYTES} bytes");
                self.report(
                    Diagnostic::new(Code::PREPROCESS_TOO_BIG, message),
                    &path,
                    at..offset + text.len(),
                );
            }
        }
    }

    fn report(&mut self, finding: Diagnostic, path: &RelPath, range: Range<usize>) {
        let start = u32::try_from(range.start).unwrap_or(u32::MAX);
        let end = u32::try_from(range.end).unwrap_or(u32::MAX);
        self.record
            .findings
            .push(finding.at(Span::new(path, start..end)));
    }

    fn expression(
        &mut self,
        expression: &Expression<'_>,
        path: &RelPath,
        directory: &RelPath,
        span: Range<usize>,
    ) -> Result<(), Diagnostic> {
        let body = self.context.body;
        let at = span.start;
        match expression {
            Expression::This(parts) => self.field(parts, path, at)?,
            Expression::Skillset(name) => {
                let document = &body.document.path;
                let value = match *name {
                    "source_path" => document.to_string(),
                    "source_dir" => document
                        .parent()
                        .map_or_else(|| ".".to_owned(), |parent| parent.to_string()),
                    _ => ".skillset".to_owned(),
                };
                self.output.push_value(path, at, &value);
            }
            Expression::Parent("name") => self.output.push_value(path, at, body.directory.name()),
            Expression::Parent(_) => self.output.push_value(path, at, body.directory.as_str()),
            Expression::Tree(depth) => {
                let text = expression::listing(body.directory, *depth, self.context.tree);
                let name = format!("tree:{}:{depth}", body.directory);
                self.record
                    .dependencies
                    .insert(name, Sha256::of(text.as_bytes()));
                self.output.push_value(path, at, &text);
            }
            Expression::Argument(argument, literal) => {
                if !body.prompt_arguments {
                    return Err(Diagnostic::new(
                        Code::PREPROCESS_ARGUMENTS_OFF,
                        format!(
                            "`{literal}` is a prompt argument, and this workspace switches them off"
                        ),
                    )
                    .help("set `compile.features.promptArguments: true`, or write triple braces"));
                }
                self.output.push_marker(path, at, argument.clone(), literal);
            }
            Expression::Partial(name) => {
                let target = partials::named(self.context, name)?;
                self.include(target, name, true)?;
            }
            Expression::Include(text) => {
                let target = partials::path(self.context, directory, text)?;
                self.include(target, text, false)?;
            }
            Expression::Resolve(text) => self.resolve(text, path, directory, at)?,
            Expression::Foreign => {}
        }
        Ok(())
    }

    fn field(&mut self, parts: &[&str], path: &RelPath, at: usize) -> Result<(), Diagnostic> {
        let mut node = &self.context.body.document.frontmatter;
        for part in parts {
            node = node.get(part).ok_or_else(|| {
                let finding = Diagnostic::new(
                    Code::PREPROCESS_FIELD_MISSING,
                    format!("`this.{}` is not set in the frontmatter", parts.join(".")),
                );
                match nearest(
                    part,
                    node.members().iter().map(|member| member.key.as_str()),
                ) {
                    Some(near) => finding.help(format!("did you mean `{near}`?")),
                    None => finding.help(
                        "set the field, or write triple braces to keep the expression as text",
                    ),
                }
            })?;
        }
        if let Some(text) = node.scalar() {
            self.output.push_value(path, at, text);
        } else if node.is_map() || matches!(node.value, crate::model::node::Value::List(_)) {
            self.output.push_structure(path, at, &node.to_json());
        } else {
            self.output.push_value(path, at, "null");
        }
        Ok(())
    }

    fn include(&mut self, target: RelPath, name: &str, partial: bool) -> Result<(), Diagnostic> {
        let text = self.read(&target, name)?;
        if let Some(first) = self.chain.iter().position(|path| *path == target) {
            let chain: Vec<_> = self.chain[first..]
                .iter()
                .chain([&target])
                .map(RelPath::as_str)
                .collect();
            return Err(Diagnostic::new(
                Code::PREPROCESS_CYCLE,
                format!("a file includes itself: {}", chain.join(" -> ")),
            )
            .help("take one of these inclusions out"));
        }
        self.inclusions += 1;
        if self.chain.len() > MAX_DEPTH || self.inclusions > MAX_INCLUSIONS {
            self.stopped = true;
            return Err(Diagnostic::new(
                Code::PREPROCESS_TOO_BIG,
                format!("more than {MAX_DEPTH} levels or {MAX_INCLUSIONS} inclusions"),
            ));
        }
        let start = if partial {
            frontmatter_length(&text)
        } else {
            0
        };
        self.chain.push(target);
        self.text(&text[start..], start);
        self.chain.pop();
        Ok(())
    }

    /// The text of a file, which becomes a dependency.
    fn read(&mut self, target: &RelPath, name: &str) -> Result<std::sync::Arc<str>, Diagnostic> {
        self.depend(target, name)?;
        self.context.sources.get(target).cloned().ok_or_else(|| {
            Diagnostic::new(
                Code::SOURCE_NOT_UTF8,
                format!("`{target}` is not text and cannot be included"),
            )
        })
    }

    fn depend(&mut self, target: &RelPath, name: &str) -> Result<(), Diagnostic> {
        let file = self.context.tree.file(target).ok_or_else(|| {
            Diagnostic::new(
                Code::PREPROCESS_INCLUDE_MISSING,
                format!("`{name}` leads to `{target}`, which is not there"),
            )
            .help("create the file, or write triple braces to keep the expression as text")
        })?;
        self.record
            .dependencies
            .insert(target.to_string(), file.hash);
        Ok(())
    }

    fn resolve(
        &mut self,
        text: &str,
        path: &RelPath,
        directory: &RelPath,
        at: usize,
    ) -> Result<(), Diagnostic> {
        let target = partials::path(self.context, directory, text)?;
        self.depend(&target, text)?;
        let place = match expression::scheme(text) {
            None => text.to_owned(),
            Some((scheme, rest)) => {
                let reference = format!("{scheme}:{rest}");
                links::mapped(self.context.body.declared, &reference).ok_or_else(|| {
                    Diagnostic::new(
                        Code::PREPROCESS_UNDECLARED,
                        format!("`{reference}` is not declared in `resources`"),
                    )
                    .help(links::declaration(&reference))
                })?
            }
        };
        self.output.push_value(path, at, &place);
        Ok(())
    }
}

/// The bytes of a partial's own frontmatter with its closing line, and blank lines after it.
fn frontmatter_length(text: &str) -> usize {
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let fence = line.trim_end() == "---";
        if index == 0 && !fence {
            return 0;
        }
        at += line.len();
        if index > 0 && fence {
            return at + blank_lines(&text[at..]);
        }
    }
    0
}

fn blank_lines(text: &str) -> usize {
    text.split_inclusive('\n')
        .take_while(|line| line.ends_with('\n') && line.trim().is_empty())
        .map(str::len)
        .sum()
}
