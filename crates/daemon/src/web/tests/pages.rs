//! Pages: what people see, and that nothing of a pack becomes HTML.

use axum::http::StatusCode;
use registry::ProblemCode;
use serde_json::json;

use super::support::{World, a_problem, breaking_greeter, greeter};

#[test]
fn nothing_of_a_pack_is_html() {
    const HOSTILE: &str = "<script>alert(1)</script>\"><img src=x onerror=alert(2)>";
    let hostile = |version: &str, text: &str| {
        let mut pack = greeter(version);
        pack["name"] = HOSTILE.into();
        pack["description"] = HOSTILE.into();
        pack["metadata"] = json!({"tags": [HOSTILE], "domain": HOSTILE, "language": "en"});
        let prompt = &mut pack["prompts"]["hello"];
        prompt["name"] = HOSTILE.into();
        prompt["description"] = HOSTILE.into();
        prompt["system_template"] = text.into();
        prompt["variables"][0]["description"] = HOSTILE.into();
        prompt["variables"][0]["default"] = HOSTILE.into();
        prompt["variables"][0]["validation"] = json!({"enum": [HOSTILE]});
        let property =
            json!({"type": "string", "description": HOSTILE, "enum": [HOSTILE], "default": HOSTILE});
        let parameters = json!({"type": "object", "properties": {"x": property}});
        pack["tools"] = json!({"look": {"name": "look", "description": HOSTILE, "parameters": parameters}});
        let state = json!({"prompt_task": "hello", "description": HOSTILE, "on_event": {HOSTILE: "start"}});
        pack["workflow"] = json!({"version": 1, "entry": "start", "states": {"start": state}});
        pack
    };
    let world = World::empty()
        .publish(&hostile("1.0.0", &format!("Hello {{{{name}}}}\n{HOSTILE}")))
        .publish(&hostile("1.1.0", &format!("Good day {{{{name}}}}\n{HOSTILE}")))
        .problem(&a_problem(ProblemCode::NotJson, HOSTILE, HOSTILE), true)
        .failing(HOSTILE);
    for path in [
        "/",
        "/?q=greeter",
        "/?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/?tag=%22%3E%3Cimg%20src%3Dx%3E",
        "/packs/greeter",
        "/packs/greeter/1.0.0",
        "/packs/greeter/1.1.0/report",
        "/packs/greeter/compare/1.0.0...1.1.0",
        "/sources",
    ] {
        let page = world.page(path).html();
        assert!(!page.contains("<script") && !page.contains("<img"), "{path}: {page}");
    }
    let problem = world.page("/packs/%3Cscript%3E");
    assert_eq!(problem.status, StatusCode::BAD_REQUEST);
    assert!(problem.header("content-type").starts_with("text/html") && !problem.text().contains("<script"));
}

#[test]
fn a_release_page_shows_what_the_release_holds() {
    let mut pack = greeter("1.0.0");
    let tone = json!({"name": "tone", "type": "string", "required": false, "default": "warm", "description": "How.",
        "validation": {"enum": ["warm", "cool"]}});
    pack["prompts"]["hello"]["variables"].as_array_mut().expect("variables").push(tone);
    let order = json!({"type": "array", "items": {"type": "integer"}, "description": "Which."});
    let parameters = json!({"type": "object", "properties": {"order": order}, "required": ["order"]});
    pack["tools"] = json!({"look": {"name": "look", "description": "Looks.", "parameters": parameters}});
    let start =
        json!({"prompt_task": "hello", "on_event": {"Done": "end"}, "max_visits": 2, "on_max_visits": "end"});
    pack["workflow"] = json!({"version": 1, "entry": "start",
        "states": {"start": start, "end": {"prompt_task": "hello", "terminal": true}}});
    let page = World::empty().publish(&pack).page("/packs/greeter/1.0.0").html();
    for text in [
        "<td>How.<div class=\"muted\">default <code>warm</code></div><div class=\"muted\">one of <code>warm</code> <code>cool</code> </div></td>",
        "<td><code>order</code></td><td>array of integer</td><td><span class=\"badge required\">required</span></td>",
        "<code>start</code> <span class=\"badge\">entry</span>",
        "<code>Done</code> → <code>end</code>",
        "after 2 visits → <code>end</code>",
    ] {
        assert!(page.contains(text), "{text} is not in {page}");
    }
}

#[test]
fn a_pack_page_says_what_is_held_back_and_how_to_fetch() {
    let world = World::empty().greeter("1.0.0").publish(&breaking_greeter("1.1.0"));
    let request = axum::http::Request::get("/packs/greeter").header("host", "packs.example:7420");
    let page = world.ask(request.body(axum::body::Body::empty()).expect("a request")).html();
    for text in [
        "http://packs.example:7420/v1/fetch/greeter@%5E1",
        "flagged: insufficient-bump",
        "/packs/greeter/compare/1.0.0...1.1.0",
        "/packs/greeter/1.1.0/report",
        "breaking",
        "<code>name</code>",
    ] {
        assert!(page.contains(text), "{text} is not in {page}");
    }
}

#[test]
fn a_comparison_shows_the_lines_that_differ() {
    let with = |version: &str, line: &str| {
        let mut pack = greeter(version);
        pack["prompts"]["hello"]["system_template"] = format!("Greet {{{{name}}}}.\n{line}\nStop.").into();
        pack
    };
    let world = World::empty().publish(&with("1.0.0", "Be kind.")).publish(&with("1.0.1", "Be brief."));
    let page = world.page("/packs/greeter/compare/1.0.0...1.0.1").html();
    assert!(page.contains("- Be kind.") && page.contains("+ Be brief."), "{page}");
}

#[test]
fn facets_lead_on_and_back() {
    let world = World::empty().greeter("1.0.0");
    assert!(world.page("/?q=greeter").html().contains("href=\"/?q=greeter&amp;tag=small\""));
    let page = world.page("/?q=greeter&tag=small&utm_source=mail").html();
    assert!(page.contains("<a class=\"filter\" href=\"/?q=greeter\""), "{page}");
    assert!(page.contains("name=\"tag\" value=\"small\""), "the form keeps the filter");
}

#[test]
fn sources_say_what_to_do() {
    let world = World::empty()
        .problem(&a_problem(ProblemCode::VersionReused, "greeter.pack.json", "other bytes"), true)
        .problem(&a_problem(ProblemCode::TagMoved, "old", "was moved"), false);
    let page = world.page("/sources").html();
    for text in ["other bytes", ProblemCode::VersionReused.help(), "was moved", "version-reused"] {
        assert!(page.contains(text), "{text} is not in {page}");
    }
}

#[test]
fn an_empty_registry_says_where_to_look() {
    assert!(World::empty().page("/").html().contains("href=\"/sources\""));
}

#[test]
fn problems_are_pages_for_people_and_documents_for_programs() {
    let world = World::empty();
    let page = world.page("/packs/nobody");
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(page.text().contains("no pack <code>nobody</code> is published here"));
    world.get("/packs/nobody").problem(404, "pack-not-found");
    world.page("/v1/packs/nobody").problem(404, "pack-not-found");
}

#[test]
fn the_seed_is_shown() {
    let world = World::empty().seed("support-packs");
    let mut seen = 0;
    for pack in world.get("/v1/packs").json()["packs"].as_array().expect("packs") {
        let id = pack["id"].as_str().expect("an id");
        let document = world.get(&format!("/v1/packs/{id}")).json();
        world.page(&format!("/packs/{id}")).html();
        for version in document["versions"].as_array().expect("versions") {
            let version = version["version"].as_str().expect("a version");
            world.page(&format!("/packs/{id}/{version}")).html();
            world.page(&format!("/packs/{id}/{version}/report")).html();
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}
