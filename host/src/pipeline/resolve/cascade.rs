//! The cascade of one target's block: workspace defaults < plugin defaults < blocks of configuration < the file's block.

use serde_json::Value as Json;

use crate::model::config::{Config, PluginConfig, TargetBlock};
use crate::model::id::TargetId;
use crate::model::node::Node;
use crate::model::renderer::Object;

/// Keys of a block that the host acts on and no renderer sees.
const HOST_KEYS: [&str; 6] = ["enabled", "skills", "plugins", "defaults", "path", "layout"];

/// The layers of one block, weakest first.
pub(super) struct Layers<'a> {
    layers: Vec<&'a Node>,
}

impl<'a> Layers<'a> {
    /// The layers of configuration for a kind: `skills` or `plugins`.
    pub(super) fn new(
        config: &'a Config,
        plugin: Option<&'a PluginConfig>,
        target: &TargetId,
        kind: &str,
    ) -> Self {
        let root = config.targets.get(target);
        let own = plugin.and_then(|plugin| plugin.targets.get(target));
        let defaults =
            |block: Option<&'a TargetBlock>| block.and_then(|block| block.defaults.get(kind));
        let layers = [
            config
                .renderers
                .get(target)
                .and_then(|renderer| renderer.options.as_ref()),
            defaults(root),
            defaults(own),
            root.map(|block| &block.options),
            own.map(|block| &block.options),
        ];
        Self {
            layers: layers.into_iter().flatten().collect(),
        }
    }

    /// Adds the unit's own block, the strongest layer.
    pub(super) fn with_file(mut self, block: Option<&'a Node>) -> Self {
        self.layers.extend(block.filter(|node| node.is_map()));
        self
    }

    /// The merged block. Mappings merge; lists and scalars replace.
    pub(super) fn block(&self) -> Object {
        let mut block = Object::new();
        for node in &self.layers {
            for member in node
                .members()
                .iter()
                .filter(|member| !HOST_KEYS.contains(&member.key.as_str()))
            {
                merge_member(&mut block, &member.key, member.node.to_json());
            }
        }
        block
    }
}

/// Merges a value over what stands under a key.
pub(super) fn merge_member(object: &mut Object, key: &str, value: Json) {
    match (object.get_mut(key), value) {
        (Some(Json::Object(old)), Json::Object(new)) => {
            for (inner, value) in new {
                merge_member(old, &inner, value);
            }
        }
        (_, value) => {
            object.insert(key.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn mappings_merge_and_lists_replace() {
        let mut object = Object::new();
        merge_member(&mut object, "frontmatter", json!({"a": 1, "list": [1, 2]}));
        merge_member(&mut object, "frontmatter", json!({"b": 2, "list": [3]}));
        assert_eq!(
            Json::Object(object),
            json!({"frontmatter": {"a": 1, "list": [3], "b": 2}})
        );
    }
}
