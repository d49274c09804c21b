//! MCP server entries: the closed form of Agent Plugins 1.0, and Claude's spelling.

use serde_json::{Value, json};

use crate::{Object, Rendered, Tier};

/// Identifies the pinned schema of `mcp.json`.
pub const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// Folders of a package that hold what a server runs.
const SUPPORT_FOLDERS: [&str; 4] = ["assets", "bin", "scripts", "src"];

/// Headers that belong to the client or would hold a secret.
const CLIENT_HEADERS: [&str; 13] = [
    "accept",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "mcp-protocol-version",
    "mcp-session-id",
    "origin",
    "proxy-authorization",
    "transfer-encoding",
    "user-agent",
];

/// The entries in the standard's form, and those that have none.
#[derive(Debug, Default, PartialEq)]
pub struct Normalized {
    /// By server name.
    pub servers: Object,
    /// Name and reason.
    pub refused: Vec<(String, String)>,
}

impl Normalized {
    /// The value of `mcp.json`; nothing when no server remains.
    #[must_use]
    pub fn document(&self) -> Option<Value> {
        (!self.servers.is_empty()).then(|| json!({"$schema": SCHEMA, "mcpServers": self.servers}))
    }

    /// One lossy shortfall for every refused entry.
    pub fn report(&self, rendered: &mut Rendered) {
        for (name, reason) in &self.refused {
            rendered.lossy(
                "mcp",
                format!("the MCP server `{name}` is left out: {reason}"),
            );
        }
        if !self.servers.is_empty() {
            rendered.realize("mcp", Tier::Transformed, "mcp.json", "");
        }
    }
}

/// Brings every entry into the standard's form. An entry that has none is left out whole, never stripped.
#[must_use]
pub fn normalize(mcp: &Value) -> Normalized {
    let mut result = Normalized::default();
    let Some(Value::Object(servers)) = mcp.get("mcpServers") else {
        result
            .refused
            .push(("mcpServers".to_owned(), "it is not a mapping".to_owned()));
        return result;
    };
    for (name, entry) in servers {
        match server(entry) {
            Ok(normal) => {
                result.servers.insert(name.clone(), Value::Object(normal));
            }
            Err(reason) => result.refused.push((name.clone(), reason)),
        }
    }
    result
}

fn server(entry: &Value) -> Result<Object, String> {
    let Value::Object(entry) = entry else {
        return Err("it is not a mapping".to_owned());
    };
    let kind = match entry.get("type") {
        None if entry.contains_key("command") => "stdio",
        None => return Err("it has no `type`".to_owned()),
        Some(Value::String(kind)) => match kind.as_str() {
            "http" | "streamable_http" | "streamableHttp" | "streamable-http" => "streamable-http",
            "sse" => "sse",
            "stdio" => "stdio",
            other => return Err(format!("the standard has no type `{other}`")),
        },
        Some(_) => return Err("`type` is not text".to_owned()),
    };
    let mut normal = Object::new();
    normal.insert("type".to_owned(), kind.into());
    for (key, value) in entry {
        let (key, value) = match (kind, key.as_str()) {
            (_, "type") => continue,
            ("stdio", "command") => ("command", command(value)?),
            ("stdio", "args") => ("args", arguments(value)?),
            ("stdio", "env") => ("env", environment(value)?),
            ("stdio", "cwd") => ("cwd", folder(value)?),
            ("streamable-http" | "sse", "url") => ("url", url(value)?),
            ("streamable-http" | "sse", "headers" | "http_headers") => ("headers", headers(value)?),
            (_, other) => return Err(format!("the standard has no field `{other}` for {kind}")),
        };
        if normal.insert(key.to_owned(), value).is_some() {
            return Err(format!("`{key}` is set twice"));
        }
    }
    let needed = if kind == "stdio" { "command" } else { "url" };
    if normal.contains_key(needed) {
        Ok(normal)
    } else {
        Err(format!("it has no `{needed}`"))
    }
}

fn text<'a>(value: &'a Value, what: &str) -> Result<&'a str, String> {
    let text = value
        .as_str()
        .ok_or_else(|| format!("`{what}` is not text"))?;
    if text.chars().any(char::is_control) {
        return Err(format!("`{what}` holds a control character"));
    }
    Ok(text)
}

/// Text where the two variables of the standard may stand, in the standard's spelling, and no other one.
fn expandable(value: &Value, what: &str) -> Result<String, String> {
    let text = text(value, what)?
        .replace("${CLAUDE_PLUGIN_ROOT}", "${PLUGIN_ROOT}")
        .replace("${CLAUDE_PLUGIN_DATA}", "${PLUGIN_DATA}");
    let rest = text
        .replace("${PLUGIN_ROOT}", "")
        .replace("${PLUGIN_DATA}", "");
    if rest.contains("${") {
        return Err(format!(
            "`{what}` needs a variable that the standard does not expand"
        ));
    }
    Ok(text)
}

fn stays_inside(path: &str) -> bool {
    !path.contains('\\') && !path.split('/').any(|part| part == "..")
}

fn command(value: &Value) -> Result<Value, String> {
    let mut text = expandable(value, "command")?;
    if let Some(rest) = text.strip_prefix("${PLUGIN_ROOT}/") {
        text = format!("./{rest}");
    }
    if text.is_empty() || text.contains(char::is_whitespace) || text.contains('$') {
        return Err("`command` is not one plain token".to_owned());
    }
    match text.strip_prefix("./") {
        None if text.contains(['/', '\\']) => {
            Err("`command` is neither a bare name nor a path that begins with `./`".to_owned())
        }
        Some(path) if !stays_inside(path) => Err("`command` leaves the package".to_owned()),
        Some(path) if !in_support_folder(path) => Err(format!(
            "`command` is not below {}",
            SUPPORT_FOLDERS.join(", ")
        )),
        _ => Ok(text.into()),
    }
}

fn in_support_folder(path: &str) -> bool {
    path.split_once('/')
        .is_some_and(|(first, _)| SUPPORT_FOLDERS.contains(&first))
}

fn arguments(value: &Value) -> Result<Value, String> {
    let Value::Array(items) = value else {
        return Err("`args` is not a list".to_owned());
    };
    let items: Result<Vec<String>, String> =
        items.iter().map(|item| expandable(item, "args")).collect();
    Ok(items?.into())
}

fn environment(value: &Value) -> Result<Value, String> {
    let Value::Object(variables) = value else {
        return Err("`env` is not a mapping".to_owned());
    };
    let mut normal = Object::new();
    for (name, value) in variables {
        if matches!(name.as_str(), "PLUGIN_ROOT" | "PLUGIN_DATA") {
            return Err(format!("`env.{name}` belongs to the client"));
        }
        normal.insert(
            name.clone(),
            expandable(value, &format!("env.{name}"))?.into(),
        );
    }
    Ok(normal.into())
}

fn folder(value: &Value) -> Result<Value, String> {
    let text = expandable(value, "cwd")?;
    let rooted = ["${PLUGIN_ROOT}", "${PLUGIN_DATA}"].iter().any(|root| {
        text.strip_prefix(root)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if (rooted || text.starts_with("./")) && stays_inside(&text) {
        Ok(text.into())
    } else {
        Err("`cwd` is not inside the package".to_owned())
    }
}

fn url(value: &Value) -> Result<Value, String> {
    let text = text(value, "url")?;
    let (secure, rest) = if let Some(rest) = text.strip_prefix("https://") {
        (true, rest)
    } else if let Some(rest) = text.strip_prefix("http://") {
        (false, rest)
    } else {
        return Err("`url` is not absolute http or https".to_owned());
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.is_empty() || authority.contains('@') || text.contains(['#', ' ']) {
        return Err("`url` has no host, or holds user information or a fragment".to_owned());
    }
    if text.contains("${") {
        return Err("`url` needs a variable, and the standard expands none there".to_owned());
    }
    if !secure && !is_loopback(authority) {
        return Err("`url` is not https".to_owned());
    }
    Ok(text.into())
}

fn is_loopback(authority: &str) -> bool {
    if authority.starts_with("[::1]") {
        return true;
    }
    let host = authority.split(':').next().unwrap_or_default();
    host == "localhost"
        || host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback())
}

fn headers(value: &Value) -> Result<Value, String> {
    let Value::Object(fields) = value else {
        return Err("`headers` is not a mapping".to_owned());
    };
    let mut seen: Vec<String> = Vec::new();
    for (name, value) in fields {
        let lower = name.to_ascii_lowercase();
        let is_token = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
        if !is_token {
            return Err(format!("`{name}` is not a header name"));
        }
        if CLIENT_HEADERS.contains(&lower.as_str()) {
            return Err(format!("the header `{name}` belongs to the client"));
        }
        if seen.contains(&lower) {
            return Err(format!("the header `{name}` is set twice"));
        }
        if text(value, &format!("headers.{name}"))?.contains("${") {
            return Err(format!("`headers.{name}` needs a variable"));
        }
        seen.push(lower);
    }
    Ok(value.clone())
}

/// The configuration in Claude's spelling; nothing when it is already so and the file can be copied.
#[must_use]
pub fn claude_spelling(mcp: &Value) -> Option<Value> {
    let native = respell(mcp, "");
    (native != *mcp).then_some(native)
}

fn respell(value: &Value, key: &str) -> Value {
    match value {
        Value::String(text) if key == "type" && is_streamable(text) => "http".into(),
        Value::String(text) => text
            .replace("${PLUGIN_ROOT}", "${CLAUDE_PLUGIN_ROOT}")
            .replace("${PLUGIN_DATA}", "${CLAUDE_PLUGIN_DATA}")
            .into(),
        Value::Array(items) => items.iter().map(|item| respell(item, "")).collect(),
        Value::Object(members) => members
            .iter()
            .filter(|(name, value)| name.as_str() != "$schema" || value.as_str() != Some(SCHEMA))
            .map(|(name, value)| (name.clone(), respell(value, name)))
            .collect::<Object>()
            .into(),
        other => other.clone(),
    }
}

fn is_streamable(kind: &str) -> bool {
    matches!(
        kind,
        "streamable-http" | "streamable_http" | "streamableHttp"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{claude_spelling, normalize};

    fn one(entry: Value) -> Result<Value, String> {
        let mut result = normalize(&json!({"mcpServers": {"s": entry}}));
        match result.refused.pop() {
            Some((_, reason)) => Err(reason),
            None => Ok(result.servers["s"].clone()),
        }
    }

    #[test]
    fn native_spelling_becomes_the_standard_one() {
        assert_eq!(
            one(
                json!({"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/server.js"], "env": {"LEVEL": "1"}})
            ),
            Ok(
                json!({"type": "stdio", "command": "node", "args": ["${PLUGIN_ROOT}/server.js"], "env": {"LEVEL": "1"}})
            )
        );
        assert_eq!(
            one(
                json!({"type": "http", "url": "https://mcp.example.org/v1", "headers": {"X-A": "b"}})
            ),
            Ok(
                json!({"type": "streamable-http", "url": "https://mcp.example.org/v1", "headers": {"X-A": "b"}})
            )
        );
        assert_eq!(
            one(json!({"command": "${CLAUDE_PLUGIN_ROOT}/bin/run", "cwd": "${PLUGIN_DATA}/x"})),
            Ok(json!({"type": "stdio", "command": "./bin/run", "cwd": "${PLUGIN_DATA}/x"}))
        );
    }

    #[test]
    fn what_the_standard_cannot_hold_is_refused_whole() {
        for entry in [
            json!({"url": "https://a.example"}),
            json!({"command": "node server.js"}),
            json!({"command": "/usr/bin/node"}),
            json!({"command": "./../node"}),
            json!({"command": "./server"}),
            json!({"command": "a", "args": ["${HOME}"]}),
            json!({"command": "a", "env": {"PLUGIN_ROOT": "x"}}),
            json!({"command": "a", "env": {"X": 1}}),
            json!({"command": "a", "cwd": "/tmp"}),
            json!({"command": "a", "cwd": "./a/../../b"}),
            json!({"command": "a", "timeout": 3}),
            json!({"command": "a", "url": "https://a.example"}),
            json!({"type": "sse", "url": "http://a.example"}),
            json!({"type": "sse", "url": "https://u:p@a.example"}),
            json!({"type": "sse", "url": "https://a.example/#x"}),
            json!({"type": "http", "url": "https://a.example", "headers": {"Authorization": "x"}}),
            json!({"type": "http", "url": "https://a.example", "headers": {"X": "${TOKEN}"}}),
            json!({"type": "http", "url": "https://a.example", "headers": {"X": "1", "x": "2"}}),
            json!({"type": "ws", "url": "https://a.example"}),
            json!("node"),
        ] {
            assert!(one(entry.clone()).is_err(), "{entry}");
        }
    }

    #[test]
    fn loopback_needs_no_https() {
        for url in [
            "http://localhost:3000/x",
            "http://127.0.0.1",
            "http://[::1]:80/",
        ] {
            assert!(one(json!({"type": "sse", "url": url})).is_ok(), "{url}");
        }
        assert!(one(json!({"type": "sse", "url": "http://127.evil.example"})).is_err());
    }

    #[test]
    fn a_refused_entry_leaves_the_others() {
        let result = normalize(&json!({"mcpServers": {"a": {"command": "x"}, "b": {"url": "x"}}}));
        assert_eq!(
            result.document(),
            Some(json!({
                "$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
                "mcpServers": {"a": {"type": "stdio", "command": "x"}},
            }))
        );
        assert_eq!(result.refused.len(), 1);
        assert_eq!(normalize(&json!({"mcpServers": {}})).document(), None);
    }

    #[test]
    fn claude_reads_its_own_spelling() {
        assert_eq!(
            claude_spelling(
                &json!({"mcpServers": {"a": {"type": "streamable-http", "url": "u"},
                "b": {"command": "x", "args": ["${PLUGIN_ROOT}/y"]}}})
            ),
            Some(json!({"mcpServers": {"a": {"type": "http", "url": "u"},
                "b": {"command": "x", "args": ["${CLAUDE_PLUGIN_ROOT}/y"]}}}))
        );
        assert_eq!(
            claude_spelling(&json!({"mcpServers": {"a": {"type": "http", "url": "u"}}})),
            None
        );
    }
}
