//! Right values from the golden cases and `spec/01`, written by hand.

use super::*;
use crate::diagnostic::Code;
use crate::model::node::{Member, Node, Value};
use crate::model::renderer::Argument;
use crate::model::tree::SourceFile;

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn run(text: &str, files: &[(&str, &str)], on: bool) -> Found<Option<Preprocessed>> {
    let mut tree = SourceTree::default();
    let mut sources = Sources::default();
    for (name, text) in files {
        let hash = Sha256::of(text.as_bytes());
        tree.insert_file(
            path(name),
            SourceFile {
                size: text.len() as u64,
                executable: false,
                hash,
            },
        );
        sources.insert(path(name), (*text).into());
    }
    let member = |key: &str, node| Member {
        key: key.to_owned(),
        key_span: 0..0,
        node,
    };
    let string = |text: &str| Node::detached(Value::String(text.to_owned()));
    let list = Node::detached(Value::List(vec![string("sea")]));
    let frontmatter = Node::detached(Value::Map(vec![
        member("name", string("tdd")),
        member("tags", list),
    ]));
    let document = Document {
        path: path(".skillset/skills/tdd/SKILL.md"),
        frontmatter,
        text: text.into(),
        body_start: 0,
    };
    let body = Body {
        document: &document,
        container: &Container::Workspace,
        directory: &path(".skillset/skills/tdd"),
        declared: &[("shared:references/g.md".to_owned(), path("references/g.md"))],
        prompt_arguments: true,
        preprocess: on,
    };
    preprocess(body, &tree, &sources)
}

fn text(input: &str, files: &[(&str, &str)]) -> String {
    let found = run(input, files, true);
    let segments = found
        .value
        .unwrap_or_else(|| panic!("{:?}", found.findings))
        .segments;
    let piece = |segment| match segment {
        Segment::Text(text) => text,
        Segment::Marker { literal, .. } => literal,
    };
    segments.into_iter().map(piece).collect()
}

fn code(input: &str, files: &[(&str, &str)]) -> Code {
    run(input, files, true).findings[0].code
}

#[test]
fn foreign_braces_stay() {
    let input = "{{user}} {{#each items}}x{{/each}} {{a/b}} ${{ secrets.X }} {{index.html}} {{}} {{{a{b}c}}}\n";
    assert_eq!(text(input, &[]), input);
}

#[test]
fn fields_partials_and_literals() {
    let files = [
        (
            ".skillset/partials/p.md",
            "---\na: b\n---\n\nP {{{this.name}}} {{this.name}}\n",
        ),
        (".skillset/partials/legal/d.md", "D"),
    ];
    assert_eq!(
        text("\n\r\n{{  this.name\n}}\r\n{{>p}}{{> d }}  \n\n", &files),
        "tdd\nP {{this.name}} tdd\nD\n"
    );
    assert_eq!(text("{{{{four}}}} {{{ }}}", &[]), "{{{four}}} {{}}\n");
}

#[test]
fn prompt_arguments_become_markers_unless_preprocessing_is_off() {
    let segments = run("a {{ $ARGUMENTS[2] }}", &[], true)
        .value
        .unwrap()
        .segments;
    assert_eq!(
        segments[1],
        Segment::Marker {
            argument: Argument::Index(2),
            literal: "{{$ARGUMENTS[2]}}".to_owned()
        }
    );
    let off = run("a {{ $ARGUMENTS }}", &[], false)
        .value
        .unwrap()
        .segments;
    assert_eq!(off, [Segment::Text("a {{ $ARGUMENTS }}\n".to_owned())]);
}

#[test]
fn a_structure_does_not_break_its_surroundings() {
    assert_eq!(
        text("> q {{this.tags}} r", &[]),
        "> q\n>\n> ```json\n> [\n>   \"sea\"\n> ]\n> ```\n>\n> r\n"
    );
    assert_eq!(
        text("~~~\n{{this.tags}}\n~~~", &[]),
        "~~~\n[\n  \"sea\"\n]\n~~~\n"
    );
}

#[test]
fn faults_have_codes() {
    let cycle = [
        (".skillset/partials/a.md", "{{> b}}"),
        (".skillset/partials/b.md", "{{> a}}"),
    ];
    assert_eq!(code("{{> a}}", &cycle), Code::PREPROCESS_CYCLE);
    let twins = [
        (".skillset/partials/x/a.md", ""),
        (".skillset/partials/y/a.md", ""),
    ];
    assert_eq!(code("{{> a}}", &twins), Code::PREPROCESS_PARTIAL_AMBIGUOUS);
    for (input, expected) in [
        ("{{this.nope}}", Code::PREPROCESS_FIELD_MISSING),
        ("{{$ARGS}}", Code::PREPROCESS_SYNTAX),
        ("{{$ARGUMENTSX}}", Code::PREPROCESS_SYNTAX),
        ("{{parent.tree depth:9}}", Code::PREPROCESS_SYNTAX),
        ("{{> none}}", Code::PREPROCESS_PARTIAL_MISSING),
        ("{{../x.md}}", Code::PREPROCESS_PATH_UNSAFE),
        (
            "[a](shared:references/x.md)",
            Code::RESOURCE_UNDECLARED_LINK,
        ),
        ("[a](../other/SKILL.md)", Code::LINK_LEAVES_SKILL),
    ] {
        assert_eq!(code(input, &[]), expected, "{input}");
    }
}

#[test]
fn every_form_of_link_is_rewritten_and_code_is_not() {
    let input = "[g](shared:references/g.md#x 'T') [g](<shared:references/g.md>) ![i]( shared:./references/g.md )\n\
        <shared:references/g.md> `[g](shared:references/g.md)` [u][r]\n\n[r]: shared:references/g.md\n";
    let output = "[g](references/g.md#x 'T') [g](<references/g.md>) ![i]( references/g.md )\n\
        [references/g.md](<references/g.md>) `[g](shared:references/g.md)` [u][r]\n\n[r]: references/g.md\n";
    assert_eq!(text(input, &[]), output);
}

#[test]
fn nested_links_are_rewritten_apart() {
    assert_eq!(
        text(
            "[![l](shared:references/g.md)](shared:references/g.md)",
            &[]
        ),
        "[![l](references/g.md)](references/g.md)\n"
    );
}
