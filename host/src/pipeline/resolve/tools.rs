//! The portable tools policy, `allowed_tools` and `implicit_invocation`, settled for one target (`spec/01`).

use serde_json::{Value as Json, json};

use crate::diagnostic::{Code, Diagnostic, Found, Span, nearest};
use crate::model::id::TargetId;
use crate::model::node::{Member, Node, Value};
use crate::model::path::RelPath;
use crate::model::renderer::{Object, ToolsInfo};

/// The portable keys.
const PORTABLE: [&str; 5] = ["read", "search", "write", "shell", "mcp"];

/// The key of `allowed_tools` that means the standards.
const STANDARDS: &str = "agents";

struct Reader<'a> {
    path: &'a RelPath,
    known: &'a [TargetId],
    findings: Vec<Diagnostic>,
}

/// The policy of a skill for one target. `None` when it says nothing.
#[must_use]
pub fn tools_for(
    node: &Node,
    path: &RelPath,
    target: &TargetId,
    known: &[TargetId],
) -> Found<Option<ToolsInfo>> {
    let mut reader = Reader {
        path,
        known,
        findings: Vec::new(),
    };
    let mut portable = Object::new();
    let (mut allow, mut deny) = (Vec::new(), Vec::new());
    if node.as_str().map(str::trim) == Some("readonly") {
        for (key, value) in [("read", true), ("search", true), ("write", false)] {
            portable.insert(key.to_owned(), Json::Bool(value));
        }
    } else if node.is_map() {
        for member in node.members() {
            if known.iter().any(|id| id.as_str() == member.key) {
                continue;
            }
            reader.portable(member, &mut portable, "tools");
        }
        // Every overlay is checked, so that a fault does not depend on which targets are on.
        for id in known {
            let Some(member) = node.member(id.as_str()) else {
                continue;
            };
            let mut ignored = (Object::new(), Vec::new(), Vec::new());
            if id == target {
                reader.overlay(member, &mut portable, &mut allow, &mut deny);
            } else {
                reader.overlay(member, &mut ignored.0, &mut ignored.1, &mut ignored.2);
            }
        }
    } else {
        reader.refuse(
            node,
            format!("`tools` is `readonly` or a mapping, not {}", node.kind()),
        );
    }
    let empty = portable.is_empty() && allow.is_empty() && deny.is_empty();
    let value = (!empty && reader.findings.is_empty()).then_some(ToolsInfo {
        portable,
        allow,
        deny,
    });
    Found {
        value,
        findings: reader.findings,
    }
}

impl Reader<'_> {
    fn refuse(&mut self, node: &Node, message: String) {
        self.findings.push(
            Diagnostic::new(Code::TOOLS_INVALID, message)
                .at(Span::new(self.path, node.span.clone())),
        );
    }

    fn overlay(
        &mut self,
        member: &Member,
        portable: &mut Object,
        allow: &mut Vec<String>,
        deny: &mut Vec<String>,
    ) {
        if !member.node.is_map() {
            let message = format!(
                "`tools.{}` is a mapping, not {}",
                member.key,
                member.node.kind()
            );
            return self.refuse(&member.node, message);
        }
        for inner in member.node.members() {
            let place = format!("tools.{}", member.key);
            match inner.key.as_str() {
                "allow" => allow.extend(self.rules(&inner.node, &format!("{place}.allow"))),
                "deny" => deny.extend(self.rules(&inner.node, &format!("{place}.deny"))),
                _ => self.portable(inner, portable, &place),
            }
        }
    }

    /// Text, a list of texts, or false for none.
    fn rules(&mut self, node: &Node, place: &str) -> Vec<String> {
        if node.as_bool() == Some(false) {
            return Vec::new();
        }
        self.texts(node, place).unwrap_or_default()
    }

    /// One text or a list of at least one, each not blank.
    fn texts(&mut self, node: &Node, place: &str) -> Option<Vec<String>> {
        let items = match &node.value {
            Value::String(_) => std::slice::from_ref(node),
            Value::List(items) if !items.is_empty() => items,
            _ => {
                self.refuse(
                    node,
                    format!("`{place}` is text or a list of texts, not {}", node.kind()),
                );
                return None;
            }
        };
        let mut texts = Vec::new();
        for item in items {
            match item.as_str().map(str::trim).filter(|text| !text.is_empty()) {
                Some(text) => texts.push(text.to_owned()),
                None => {
                    self.refuse(
                        item,
                        format!("an entry of `{place}` is text that is not blank"),
                    );
                    return None;
                }
            }
        }
        Some(texts)
    }

    fn portable(&mut self, member: &Member, portable: &mut Object, place: &str) {
        let (key, node) = (member.key.as_str(), &member.node);
        let place = format!("{place}.{key}");
        let value = match key {
            "read" | "search" | "write" => match node.as_bool() {
                Some(value) => Json::Bool(value),
                None => {
                    return self.refuse(
                        node,
                        format!("`{place}` is true or false, not {}", node.kind()),
                    );
                }
            },
            "shell" => match node.as_bool() {
                Some(value) => Json::Bool(value),
                None => match self.texts(node, &place) {
                    Some(patterns) => json!(patterns),
                    None => return,
                },
            },
            "mcp" => return self.mcp(node, portable, &place),
            _ => {
                let finding =
                    Diagnostic::new(Code::TOOLS_INVALID, format!("`{place}` is not known"))
                        .at(Span::new(self.path, member.key_span.clone()));
                let known = PORTABLE
                    .into_iter()
                    .chain(self.known.iter().map(TargetId::as_str));
                let finding = match (key, nearest(key, known)) {
                    ("allow" | "deny", _) => finding.help(format!(
                        "native rules belong to a target: `tools.<target>.{key}`"
                    )),
                    (_, Some(near)) => finding.help(format!("did you mean `{near}`?")),
                    _ => {
                        finding.help("the keys are read, search, write, shell, mcp and the targets")
                    }
                };
                self.findings.push(finding);
                return;
            }
        };
        portable.insert(key.to_owned(), value);
    }

    fn mcp(&mut self, node: &Node, portable: &mut Object, place: &str) {
        if node.as_bool() == Some(false) {
            portable.insert("mcp".to_owned(), Json::Bool(false));
            return;
        }
        if !node.is_map() {
            return self.refuse(node, format!("`{place}` is false or a mapping of servers"));
        }
        let mut servers = match portable.get("mcp") {
            Some(Json::Object(servers)) => servers.clone(),
            _ => Object::new(),
        };
        for server in node.members() {
            let name = server.key.trim();
            if name.is_empty() || name.contains('*') {
                let message =
                    format!("`{place}` names the server `{name}`, but a server is named in full");
                self.findings.push(
                    Diagnostic::new(Code::TOOLS_INVALID, message)
                        .at(Span::new(self.path, server.key_span.clone())),
                );
                continue;
            }
            let value = match server.node.as_bool() {
                Some(value) => Json::Bool(value),
                None => match self.texts(&server.node, &format!("{place}.{name}")) {
                    Some(globs) => json!(globs),
                    None => continue,
                },
            };
            servers.insert(name.to_owned(), value);
        }
        if !servers.is_empty() {
            portable.insert("mcp".to_owned(), Json::Object(servers));
        }
    }
}

/// `allowed_tools` for one target: false, text, a list, or a mapping of targets where `agents` means the standards.
#[must_use]
pub fn allowed_tools_for(
    node: &Node,
    path: &RelPath,
    target: &TargetId,
    standard: bool,
    known: &[TargetId],
) -> Found<Vec<String>> {
    let mut reader = Reader {
        path,
        known,
        findings: Vec::new(),
    };
    let mut value = Vec::new();
    if node.is_map() {
        for member in node.members() {
            let own = member.key == target.as_str() || (standard && member.key == STANDARDS);
            if member.key != STANDARDS && !known.iter().any(|id| id.as_str() == member.key) {
                reader.refuse(
                    &member.node,
                    format!("`allowed_tools.{}` names no target", member.key),
                );
            }
            let rules = reader.rules(&member.node, &format!("allowed_tools.{}", member.key));
            if own {
                value = rules;
            }
        }
    } else {
        value = reader.rules(node, "allowed_tools");
    }
    Found {
        value: value.iter().flat_map(|rule| split_rules(rule)).collect(),
        findings: reader.findings,
    }
}

/// The native `allowed-tools`: rules separated by blanks or commas, or a list of them.
#[must_use]
pub fn native_allowed_tools(node: &Node, path: &RelPath) -> Found<Vec<String>> {
    let mut reader = Reader {
        path,
        known: &[],
        findings: Vec::new(),
    };
    let empty = matches!(&node.value, Value::Null)
        || matches!(&node.value, Value::List(items) if items.is_empty());
    let texts = if empty {
        Vec::new()
    } else {
        reader.rules(node, "allowed-tools")
    };
    Found {
        value: texts.iter().flat_map(|text| split_rules(text)).collect(),
        findings: reader.findings,
    }
}

/// Splits at blanks and commas outside parentheses.
fn split_rules(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    })
    .filter(|rule| !rule.is_empty())
    .map(str::to_owned)
    .collect()
}

/// `implicit_invocation` for one target: a boolean, or a mapping of targets to booleans.
#[must_use]
pub fn implicit_invocation_for(
    node: &Node,
    path: &RelPath,
    target: &TargetId,
    known: &[TargetId],
) -> Found<Option<bool>> {
    let at = |node: &Node, code, message: String| {
        Diagnostic::new(code, message).at(Span::new(path, node.span.clone()))
    };
    if let Some(value) = node.as_bool() {
        return Found::clean(Some(value));
    }
    let mut found = Found::clean(None);
    if !node.is_map() {
        let message = format!(
            "`implicit_invocation` is true, false or a mapping of targets, not {}",
            node.kind()
        );
        found
            .findings
            .push(at(node, Code::FRONTMATTER_WRONG_TYPE, message));
    }
    for member in node.members() {
        let place = format!("implicit_invocation.{}", member.key);
        if !known.iter().any(|id| id.as_str() == member.key) {
            found.findings.push(at(
                &member.node,
                Code::CONFIG_UNKNOWN_TARGET,
                format!("`{place}` names no target"),
            ));
        } else if member.node.as_bool().is_none() {
            let message = format!("`{place}` is true or false, not {}", member.node.kind());
            found
                .findings
                .push(at(&member.node, Code::FRONTMATTER_WRONG_TYPE, message));
        } else if member.key == target.as_str() {
            found.value = member.node.as_bool();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Node {
        Node::detached(Value::String(value.to_owned()))
    }

    fn map(members: Vec<(&str, Node)>) -> Node {
        let member = |(key, node): (&str, Node)| Member {
            key: key.to_owned(),
            key_span: 0..0,
            node,
        };
        Node::detached(Value::Map(members.into_iter().map(member).collect()))
    }

    fn tools(node: &Node) -> Found<Option<ToolsInfo>> {
        let claude = TargetId::new("claude").unwrap();
        tools_for(
            node,
            &RelPath::new("a/SKILL.md").unwrap(),
            &claude,
            std::slice::from_ref(&claude),
        )
    }

    #[test]
    fn readonly_is_read_and_search_without_write() {
        let found = tools(&text("readonly")).value.unwrap();
        assert_eq!(
            Json::Object(found.portable),
            json!({"read": true, "search": true, "write": false})
        );
    }

    #[test]
    fn an_overlay_replaces_keys_and_merges_servers() {
        let off = Node::detached(Value::Bool(false));
        let node = map(vec![
            ("shell", text("make test")),
            ("mcp", map(vec![("wiki", text("get_*"))])),
            (
                "claude",
                map(vec![
                    ("mcp", map(vec![("pay", off)])),
                    ("allow", text(" Task ")),
                ]),
            ),
        ]);
        let found = tools(&node).value.unwrap();
        assert_eq!(
            Json::Object(found.portable),
            json!({"shell": ["make test"], "mcp": {"wiki": ["get_*"], "pay": false}})
        );
        assert_eq!(found.allow, ["Task"]);
    }

    #[test]
    fn malformed_policies_are_refused_and_an_empty_one_says_nothing() {
        let yes = || Node::detached(Value::Bool(true));
        for node in [
            text("everything"),
            map(vec![("network", yes())]),
            map(vec![("allow", text("Read"))]),
            map(vec![("read", text("maybe"))]),
            map(vec![("mcp", yes())]),
            map(vec![("mcp", map(vec![("git*", yes())]))]),
        ] {
            assert_eq!(
                tools(&node).findings[0].code,
                Code::TOOLS_INVALID,
                "{node:?}"
            );
        }
        let empty = tools(&map(Vec::new()));
        assert!(empty.value.is_none() && empty.findings.is_empty());
    }

    #[test]
    fn rules_are_split_outside_parentheses() {
        assert_eq!(
            split_rules("Read, Bash(git add:*, x) Grep"),
            ["Read", "Bash(git add:*, x)", "Grep"]
        );
    }
}
