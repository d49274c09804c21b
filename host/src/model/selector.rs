//! A unit's identity as text: `skill:tdd`, `plugin:docs`, `plugin.docs.skill:lint#draft`.

use std::fmt;

use super::id::{Leaf, PluginId};

/// What owns a skill: the workspace collection or one plugin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Container {
    /// `.skillset/skills/`
    Workspace,
    /// `.skillset/plugins/<id>/skills/`
    Plugin(PluginId),
}

impl Container {
    /// The plugin's id, when a plugin owns it.
    #[must_use]
    pub fn plugin(&self) -> Option<&PluginId> {
        match self {
            Self::Workspace => None,
            Self::Plugin(id) => Some(id),
        }
    }
}

/// The identity of a source unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selector {
    /// A plugin.
    Plugin(PluginId),
    /// A skill; `draft` for its unpublished counterpart.
    Skill {
        /// What owns it.
        container: Container,
        /// Its directory name.
        leaf: Leaf,
        /// Ends in `#draft`.
        draft: bool,
    },
}

impl Selector {
    /// Reads what `Display` writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (text, draft) = text
            .strip_suffix("#draft")
            .map_or((text, false), |head| (head, true));
        if let Some(id) = text.strip_prefix("plugin:") {
            return (!draft)
                .then(|| PluginId::new(id).map(Self::Plugin))
                .flatten();
        }
        let (container, leaf) = match text.strip_prefix("plugin.") {
            None => (Container::Workspace, text.strip_prefix("skill:")?),
            Some(rest) => {
                let (id, leaf) = rest.split_once(".skill:")?;
                (Container::Plugin(PluginId::new(id)?), leaf)
            }
        };
        Some(Self::Skill {
            container,
            leaf: Leaf::new(leaf)?,
            draft,
        })
    }

    /// The container of a skill; the plugin itself for a plugin.
    #[must_use]
    pub fn plugin(&self) -> Option<&PluginId> {
        match self {
            Self::Plugin(id) => Some(id),
            Self::Skill { container, .. } => container.plugin(),
        }
    }

    /// Whether this is an unpublished counterpart.
    #[must_use]
    pub fn is_draft(&self) -> bool {
        matches!(self, Self::Skill { draft: true, .. })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plugin(id) => write!(f, "plugin:{id}"),
            Self::Skill {
                container,
                leaf,
                draft,
            } => {
                if let Container::Plugin(id) = container {
                    write!(f, "plugin.{id}.")?;
                }
                write!(f, "skill:{leaf}{}", if *draft { "#draft" } else { "" })
            }
        }
    }
}

impl serde::Serialize for Selector {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_read_back() {
        for text in [
            "skill:tdd",
            "skill:tdd#draft",
            "plugin:docs",
            "plugin.docs.skill:lint",
            "plugin.docs.skill:lint#draft",
        ] {
            assert_eq!(
                Selector::parse(text).map(|s| s.to_string()).as_deref(),
                Some(text)
            );
        }
        for text in [
            "tdd",
            "skill:",
            "skill:A",
            "plugin:docs#draft",
            "plugin.docs",
            "plugin.docs.skill:",
            "skill:a#x",
        ] {
            assert_eq!(Selector::parse(text), None, "{text}");
        }
    }
}
