//! A whole renderer: one Markdown file for each skill, below `.notebook/`.

use skillset_renderer::arguments::body_with_notice;
use skillset_renderer::{
    Claim, Description, Layout, Placement, Rendered, Renderer, Skill, Tier, UnitKind, document,
};

/// The target.
pub struct Notebook;

impl Renderer for Notebook {
    fn describe() -> Description {
        Description::provider("notebook", "Notebook", env!("CARGO_PKG_VERSION"))
            .claim(Claim::owned(UnitKind::Skill, Layout::Standalone, ".notebook"))
            .feature("skills", Tier::Native, "")
            .feature("resources", Tier::PassThrough, "")
            .feature("tools", Tier::Unsupported, "a notebook runs nothing")
    }

    fn render_skill(skill: &Skill, at: &Placement) -> Rendered {
        let mut rendered = Rendered::default();
        let keys = document::frontmatter(skill, at);
        let body = body_with_notice(&skill.body, at.layout);
        rendered.document(at.path("SKILL.md"), keys, body);
        document::copy_resources(&mut rendered, &skill.resources, at, |_| true);
        if skill.tools.is_some() {
            rendered.lossy("tools", "a notebook has no tools policy");
        }
        rendered
    }
}

skillset_renderer::export!(Notebook);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_one_file() {
        let at = Placement {
            unit: UnitKind::Skill,
            layout: Layout::Standalone,
            directory: ".notebook/tdd".to_owned(),
            effective_name: "tdd".to_owned(),
            plugin: None,
            draft: false,
        };
        let rendered = Notebook::render_skill(&Skill::default(), &at);
        assert_eq!(rendered.outputs[0].path, ".notebook/tdd/SKILL.md");
    }
}
