//! Which version a unit has, and who says so.

use std::collections::BTreeMap;

use crate::model::config::{Config, PluginConfig};
use crate::model::node::Node;
use crate::model::selector::Selector;

/// The version of a unit that nobody versioned.
const DEFAULT_VERSION: &str = "0.1.0";

/// Released versions by selector, as `.skillset/changes/` records them.
pub type Released = BTreeMap<String, String>;

/// Release state, else the file, else the plugin, else the workspace, else 0.1.0.
pub(super) fn version(
    released: &Released,
    selector: &Selector,
    frontmatter: Option<&Node>,
    plugin: Option<&PluginConfig>,
    config: &Config,
) -> (String, &'static str) {
    if let Some(version) = released.get(&selector.to_string()) {
        return (version.clone(), "release-state");
    }
    let file = frontmatter
        .and_then(|node| node.get("version"))
        .and_then(Node::scalar);
    let inherited = plugin.and_then(|plugin| plugin.metadata.version.as_ref());
    let workspace = config.metadata.version.as_ref();
    match (file, inherited, workspace) {
        (Some(version), ..) => (version.to_owned(), "skill"),
        (None, Some(version), _) => (version.value.clone(), "plugin"),
        (None, None, Some(version)) => (version.value.clone(), "workspace"),
        (None, None, None) => (DEFAULT_VERSION.to_owned(), "default"),
    }
}
