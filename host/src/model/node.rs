//! A YAML or JSON value that remembers where it stood and how the author spelled it.

use std::ops::Range;

/// A value with its place in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Byte offsets in the file.
    pub span: Range<u32>,
    /// What stands there.
    pub value: Value,
}

/// One key of a mapping with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key as text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Range<u32>,
    /// Its value.
    pub node: Node,
}

/// The core schema of YAML 1.2, with the author's spelling kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A plain number, as spelled: `1.0`, `0x10`.
    Number(String),
    /// Text. Plain scalars such as dates are text too.
    String(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping in the author's order. Keys are unique.
    Map(Vec<Member>),
}

impl Node {
    /// A value that stands nowhere, for tests and defaults.
    #[must_use]
    pub fn detached(value: Value) -> Self {
        Self { span: 0..0, value }
    }

    /// The member's value, when this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.member(key).map(|member| &member.node)
    }

    /// The member, when this is a mapping that has it.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members().iter().find(|member| member.key == key)
    }

    /// The members of a mapping; nothing for any other value.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.value {
            Value::Map(members) => members,
            _ => &[],
        }
    }

    /// The items of a sequence; nothing for any other value.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The text of any scalar in the author's spelling; `None` for null, lists and mappings.
    #[must_use]
    pub fn scalar(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) | Value::Number(text) => Some(text),
            Value::Bool(true) => Some("true"),
            Value::Bool(false) => Some("false"),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The value of a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Whether this is a mapping.
    #[must_use]
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// What kind of value this is, in words for a message.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// The value as JSON, with keys in the author's order. A number that JSON cannot carry as spelled becomes text.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone()))
            }
            Value::String(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Map(members) => Json::Object(
                members
                    .iter()
                    .map(|m| (m.key.clone(), m.node.to_json()))
                    .collect(),
            ),
        }
    }
}
