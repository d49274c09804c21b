//! Which frontmatter keys reach which target.

use crate::model::node::Node;
use crate::model::renderer::{Description, Object, TargetKind};

use super::fields::{OWN_KEYS, STANDARD_KEYS};

/// The keys for one target: the standard's fields; for a provider also the native keys that it lists, and keys that
/// nobody knows. `name` and `allowed-tools` travel on their own.
pub(super) fn for_target(
    frontmatter: &Node,
    description: &Description,
    targets: &[&Description],
) -> Object {
    let mut object = Object::new();
    for member in frontmatter.members() {
        let key = member.key.as_str();
        let standard = STANDARD_KEYS.contains(&key);
        let own = OWN_KEYS.contains(&key) || targets.iter().any(|target| target.id == key);
        if key == "name" || key == "allowed-tools" || (own && !standard) {
            continue;
        }
        let native = targets
            .iter()
            .any(|target| target.kind == TargetKind::Provider && target.knows_key(key));
        let wanted = standard
            || (description.kind == TargetKind::Provider
                && (!native || description.knows_key(key)));
        if wanted {
            object.insert(key.to_owned(), value(key, &member.node));
        }
    }
    object
}

/// Text fields keep the author's spelling; a description is trimmed.
fn value(key: &str, node: &Node) -> serde_json::Value {
    match (key, node.scalar()) {
        ("description", Some(text)) => serde_json::Value::String(text.trim().to_owned()),
        ("license" | "compatibility", Some(text)) => serde_json::Value::String(text.to_owned()),
        _ => node.to_json(),
    }
}
