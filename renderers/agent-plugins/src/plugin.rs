//! The plugin's manifest and companions.

use skillset_renderer::{Placement, Plugin, Rendered};

pub(crate) fn render(_plugin: &Plugin, _at: &Placement) -> Rendered {
    Rendered::default()
}
