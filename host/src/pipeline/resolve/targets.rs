//! Which targets a unit has, and where each puts it.

use crate::model::config::{Config, OutputOption, PluginConfig, TargetBlock};
use crate::model::id::TargetId;
use crate::model::item::TargetState;
use crate::model::node::Node;
use crate::model::path::RelPath;
use crate::model::renderer::{Claim, Description, Layout, TargetKind, UnitKind};

/// Whether a target is enabled for a unit, and what decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Enabled {
    /// It is rendered.
    Yes,
    /// It is not, for this reason.
    No(String),
}

impl Enabled {
    /// As the lock records it.
    pub(super) fn state(&self, target: &TargetId) -> TargetState {
        let (state, reason) = match self {
            Self::Yes => ("enabled", None),
            Self::No(reason) => ("disabled", Some(reason.clone())),
        };
        TargetState {
            target: target.to_string(),
            state: state.to_owned(),
            reason,
        }
    }
}

/// Whether the root configuration enables a provider: `compile.targets`, then its block.
pub(super) fn in_workspace(config: &Config, target: &TargetId) -> bool {
    match config.targets.get(target).and_then(|block| block.enabled) {
        Some(enabled) => enabled,
        None => config
            .compile
            .targets
            .as_ref()
            .is_none_or(|list| list.iter().any(|entry| entry.value == *target)),
    }
}

/// Whether a target is enabled for a unit: the nearest level that says so decides.
/// `plugin` is the owning plugin, `file` the unit's own block, `id` the unit's id in lists of the root block.
pub(super) fn for_unit(
    config: &Config,
    description: &Description,
    target: &TargetId,
    plugin: Option<&PluginConfig>,
    file: Option<&Node>,
    id: &str,
) -> Enabled {
    if description.kind == TargetKind::Standard {
        return Enabled::Yes;
    }
    let root = config.targets.get(target);
    let option = root.map(|block| {
        if plugin.is_some() {
            &block.plugins
        } else {
            &block.skills
        }
    });
    if let Some(reason) =
        option.and_then(|option| left_out(option, plugin.map_or(id, |p| p.id.as_str())))
    {
        return Enabled::No(reason);
    }
    let own = file.map(|node| {
        node.get("enabled")
            .and_then(Node::as_bool)
            .or(node.as_bool())
            .unwrap_or(true)
    });
    if let Some(enabled) = own {
        return if enabled {
            Enabled::Yes
        } else {
            Enabled::No(format!("`{target}` is off in the file"))
        };
    }
    if let Some(block) = plugin.and_then(|plugin| plugin.targets.get(target)) {
        let enabled = block
            .enabled
            .unwrap_or_else(|| has_options(block) || in_workspace(config, target));
        return if enabled {
            Enabled::Yes
        } else {
            Enabled::No(format!("`{target}` is off in the plugin"))
        };
    }
    if in_workspace(config, target) {
        Enabled::Yes
    } else {
        Enabled::No(format!("`{target}` is not in the workspace's targets"))
    }
}

/// A block that only carries defaults does not switch its target on.
fn has_options(block: &TargetBlock) -> bool {
    block
        .options
        .members()
        .iter()
        .any(|member| member.key != "defaults")
}

fn left_out(option: &OutputOption, id: &str) -> Option<String> {
    if option.enabled == Some(false) {
        return Some("switched off in the workspace's block".to_owned());
    }
    let include = option.include.as_ref()?;
    (!include.iter().any(|entry| entry.value == id))
        .then(|| format!("`{id}` is not in the workspace's list"))
}

/// Where a target puts units of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    /// How files lie.
    pub(super) layout: Layout,
    /// The generated root.
    pub(super) root: RelPath,
    /// Whether the author moved the root.
    pub(super) moved: bool,
}

/// The site of live standalone skills.
pub(super) fn standalone(
    config: &Config,
    description: &Description,
    target: &TargetId,
) -> Option<Site> {
    let claim = description.claim(UnitKind::Skill, Layout::Standalone)?;
    let path = config
        .targets
        .get(target)
        .and_then(|block| block.skills.path.as_ref());
    Some(site(
        claim,
        Layout::Standalone,
        path.map(|p| p.value.clone()),
    ))
    .flatten()
}

/// The site of plugins and their skills: the shared package, or a bundle where the author asked for one or moved the root.
pub(super) fn plugin(
    config: &Config,
    description: &Description,
    target: &TargetId,
) -> Option<Site> {
    let option = config.targets.get(target).map(|block| &block.plugins);
    let path = option
        .and_then(|option| option.path.as_ref())
        .map(|p| p.value.clone());
    let asked = option.and_then(|option| option.layout);
    let layout = asked.unwrap_or(if path.is_some() {
        Layout::Bundle
    } else {
        Layout::Package
    });
    let claim = description
        .claim(UnitKind::Plugin, layout)
        .or_else(|| description.claim(UnitKind::PluginSkill, layout))?;
    site(claim, layout, path)
}

/// The fixed site of drafts and project-use copies.
pub(super) fn project_use(description: &Description, unit: UnitKind) -> Option<Site> {
    let claim = description.claim(unit, Layout::ProjectUse)?;
    site(claim, Layout::ProjectUse, None)
}

fn site(claim: &Claim, layout: Layout, path: Option<RelPath>) -> Option<Site> {
    let default = RelPath::new(&claim.root).ok()?;
    let moved = path.as_ref().is_some_and(|path| *path != default);
    Some(Site {
        layout,
        root: path.unwrap_or(default),
        moved,
    })
}

impl Site {
    /// The directory of a skill, or of a plugin.
    pub(super) fn directory(
        &self,
        target: &TargetId,
        plugin: Option<&str>,
        skill: Option<&str>,
    ) -> Option<RelPath> {
        let mut directory = self.root.clone();
        match (self.layout, plugin) {
            (Layout::Package, Some(plugin)) => directory = directory.join(plugin).ok()?,
            (Layout::Bundle, Some(plugin)) if self.moved => {
                directory = directory.join("plugins").ok()?.join(plugin).ok()?;
            }
            (Layout::Bundle, Some(plugin)) => {
                directory = directory.join(plugin).ok()?.join(target.as_str()).ok()?;
            }
            _ => {}
        }
        match (self.layout, skill) {
            (Layout::Package | Layout::Bundle, Some(skill)) => {
                directory.join("skills").ok()?.join(skill).ok()
            }
            (_, Some(skill)) => directory.join(skill).ok(),
            _ => Some(directory),
        }
    }
}
