//! A hostile renderer is one finding for its user, whatever it does, and a sixth renderer needs no change to the host.
#![expect(
    clippy::disallowed_methods,
    reason = "the harness prepares a workspace on disk"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use skillset_host::diagnostic::{Code, Diagnostic};
use skillset_host::model::id::TargetId;
use skillset_host::model::item::Item;
use skillset_host::model::renderer::Renderer;
use skillset_host::pipeline::compile::{self, Renderers};
use skillset_host::pipeline::load;
use skillset_host::sandbox::{CodeCache, Component, Limits, RENDER_THREAD_STACK_BYTES};

static ATTACKER: &[u8] = include_bytes!("attackers/attacker.wasm");

static RENDERERS: LazyLock<Renderers> = LazyLock::new(|| {
    let attacker =
        Component::load(ATTACKER, Limits::default(), None::<&CodeCache>).expect("it is admitted");
    let id = TargetId::new("attacker").expect("a valid id");
    Renderers::from([(id, Arc::new(attacker) as Arc<dyn Renderer>)])
});

/// Compiles one skill of that leaf for the hostile target.
fn attack(leaf: &str) -> (Vec<Item>, Vec<Diagnostic>) {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let skill = scratch.path().join(".skillset/skills").join(leaf);
    std::fs::create_dir_all(&skill).expect("made");
    std::fs::write(
        skill.join("SKILL.md"),
        "---\ndescription: An attack.\n---\n\nx\n",
    )
    .expect("written");
    std::fs::write(
        scratch.path().join("skillset.yaml"),
        "compile:\n  targets: [attacker]\n",
    )
    .expect("written");
    let root = load::open_root(scratch.path()).expect("opened");
    let pool = compile::pool(Some(2), RENDER_THREAD_STACK_BYTES).expect("threads");
    let report = compile::compile(&root, &RENDERERS, BTreeMap::new(), &pool)
        .expect("the source can be read");
    (
        report.value.expect("the configuration is good").items,
        report.findings,
    )
}

#[track_caller]
fn refused(leaf: &str, code: Code) -> Diagnostic {
    let (items, findings) = attack(leaf);
    assert!(items.is_empty(), "{leaf}: something would be written");
    let [finding] = &findings[..] else {
        panic!("{leaf}: {findings:#?}")
    };
    assert_eq!(finding.code, code, "{finding:#?}");
    assert!(finding.message.contains("attacker"), "{finding:#?}");
    assert!(finding.message.contains(leaf), "{finding:#?}");
    finding.clone()
}

#[test]
fn an_honest_answer_of_a_sixth_renderer_is_built() {
    let (items, findings) = attack("honest");
    assert_eq!(findings, []);
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].files[0].path.as_str(), ".attacker/honest/SKILL.md");
}

#[test]
fn an_endless_loop_runs_out_of_fuel() {
    refused("endless-loop", Code::RENDERER_LIMIT_FUEL);
}

#[test]
fn a_memory_bomb_meets_the_memory_limit() {
    refused("memory-bomb", Code::RENDERER_LIMIT_MEMORY);
}

#[test]
fn a_trap_shows_its_last_words_without_control_characters() {
    let finding = refused("trap", Code::RENDERER_TRAP);
    let help = finding.help.unwrap_or_default();
    assert!(help.contains("fallen"), "{help}");
    assert!(!help.contains('\u{1b}'), "{help}");
}

#[test]
fn a_flood_of_outputs_is_refused() {
    refused("flood", Code::RENDERER_LIMIT_OUTPUT);
}

#[test]
fn a_path_outside_the_placement_is_refused() {
    refused("path-escape", Code::RENDERER_PATH_REFUSED);
}
