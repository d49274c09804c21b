//! Write a skillset renderer in Rust.
//!
//! A renderer turns a skill or a plugin, with everything settled by the host, into the files of one target. It is a
//! pure function: implement [`Renderer`], name the type in [`export!`], build with `skillset renderer build`.
//! The logic is plain Rust over the types of this crate, so `cargo test` runs it natively.
//! `sdk/examples/minimal` is a complete renderer.

// reading order
mod types;
pub mod arguments;
pub mod document;
pub mod manifest;
pub mod mcp;
pub mod tools;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod bindings;

pub use types::{
    Argument, Claim, Content, Description, Diagnostic, ExtraKeys, Feature, Layout, Object, Output,
    Placement, Plugin, Realization, Rendered, Resource, Segment, Severity, Shortfall, Skill,
    SkillRef, Span, TargetKind, Tier, Tools, UnitKind,
};

/// JSON values, in the version that the types of this crate use.
pub use serde_json;

/// What a renderer is: three pure functions.
pub trait Renderer {
    /// Who this is and what it can write.
    fn describe() -> Description;

    /// The files of one skill.
    fn render_skill(skill: &Skill, at: &Placement) -> Rendered;

    /// The files of one plugin, without those of its skills. A target without plugins leaves it out.
    fn render_plugin(plugin: &Plugin, at: &Placement) -> Rendered {
        let _ = at;
        let mut rendered = Rendered::default();
        let message = format!("`{}` has no form for plugins here", plugin.id);
        rendered.unsupported("plugins", message);
        rendered
    }
}

/// Writes one line that the host shows with `--verbose`. Natively it does nothing.
pub fn log(message: &str) {
    #[cfg(target_arch = "wasm32")]
    bindings::log_line(message);
    #[cfg(not(target_arch = "wasm32"))]
    let _ = message;
}

/// Makes a type that implements [`Renderer`] the component's renderer. Natively it does nothing.
#[macro_export]
macro_rules! export {
    ($renderer:ty) => {
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code, reason = "the exports of a component are generated")]
        mod skillset_exports {
            use super::*;
            type Component = $crate::bindings::Adapter<$renderer>;
            $crate::bindings::export_renderer!(Component with_types_in $crate::bindings);
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_packaged_world_is_the_frozen_one() {
        assert_eq!(
            include_str!("../wit/renderer.wit"),
            include_str!("../../../wit/renderer-0.1.0/renderer.wit")
        );
        assert_eq!(
            include_str!("../wit/world.wit"),
            include_str!("../../../wit/renderer-0.1.0/world.wit")
        );
        assert_eq!(
            include_str!("../wit/log.wit"),
            include_str!("../../../wit/renderer-0.1.0/log.wit")
        );
    }
}
