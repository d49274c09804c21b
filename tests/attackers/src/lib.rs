//! A renderer that attacks its host. The skill's leaf chooses how; any other leaf gives one honest file.

use skillset_renderer::{
    Claim, Description, Diagnostic, Layout, Object, Placement, Rendered, Renderer, Severity, Skill,
    Tier, UnitKind, log,
};

struct Attacker;

impl Renderer for Attacker {
    fn describe() -> Description {
        Description::provider("attacker", "Attacker", "0.1.0")
            .claim(Claim::owned(UnitKind::Skill, Layout::Standalone, ".attacker"))
            .feature("skills", Tier::Native, "")
    }

    fn render_skill(skill: &Skill, at: &Placement) -> Rendered {
        let mut rendered = Rendered::default();
        let mut path = at.path("SKILL.md");
        match at.effective_name.as_str() {
            "endless-loop" => loop {
                std::hint::black_box(skill);
            },
            "memory-bomb" => {
                let mut hoard: Vec<Vec<u8>> = Vec::new();
                loop {
                    hoard.push(std::hint::black_box(vec![1; 1 << 20]));
                }
            }
            "trap" => {
                log("about to \u{1b}[31mfall");
                panic!("fallen");
            }
            "flood" => {
                for number in 0..10_001 {
                    rendered.document(at.path(&number.to_string()), Object::new(), String::new());
                }
            }
            "bad-code" => rendered
                .diagnostics
                .push(Diagnostic::new(Severity::Error, "NOT A CODE", "message")),
            "path-escape" => path = "../../etc/passwd".to_owned(),
            _ => {}
        }
        rendered.document(path, Object::new(), "honest\n".to_owned());
        rendered
    }
}

skillset_renderer::export!(Attacker);
