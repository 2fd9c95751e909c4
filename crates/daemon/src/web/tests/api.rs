//! Shapes of the API.

use registry::ProblemCode;
use serde_json::{Value, json};

use super::support::{World, a_problem, breaking_greeter, greeter};

/// 1.1.0 is held back for its break, 1.2.0 is yanked.
fn world() -> World {
    World::empty()
        .greeter("1.0.0")
        .publish(&breaking_greeter("1.1.0"))
        .greeter("1.2.0")
        .status("greeter", "[channels.greeter]\nstable = \"1.0.0\"\n[[yank]]\npack = \"greeter\"\nversions = \"=1.2.0\"\nreason = \"too polite\"\n[[deprecate]]\npack = \"greeter\"\nversions = \"=1.0.0\"\nreason = \"old\"\n")
}

#[test]
fn packs_are_listed_page_by_page() {
    let mut second = greeter("0.1.0");
    second["id"] = "waver".into();
    let world = world().publish(&second);
    let first = world.get("/v1/packs?limit=1").json();
    assert_eq!(
        first,
        json!({
            "packs": [{
                "id": "greeter",
                "name": "Greeter",
                "description": "Greets people by name.",
                "latest": "1.0.0",
                "tags": ["hello", "small"],
                "updated_at": "2026-06-01T12:00:00Z",
            }],
            "next_cursor": "greeter",
        })
    );
    let second = world.get("/v1/packs?limit=1&cursor=greeter").json();
    assert_eq!((&second["packs"][0]["id"], &second["next_cursor"]), (&json!("waver"), &Value::Null));
}

#[test]
fn a_pack_lists_its_versions_highest_first() {
    let pack = world().get("/v1/packs/greeter").json();
    let keys: Vec<&String> = pack.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["channels", "description", "id", "latest", "name", "removed", "source", "versions"]);
    assert_eq!((&pack["source"], &pack["latest"]), (&json!("packs"), &json!("1.0.0")));
    assert_eq!(pack["channels"], json!({"stable": "1.0.0"}));
    let versions: Vec<&Value> = pack["versions"].as_array().expect("a list").iter().collect();
    assert_eq!(versions.len(), 3);
    assert_eq!((&versions[0]["version"], &versions[0]["yanked"]), (&json!("1.2.0"), &json!("too polite")));
    let held = versions[1];
    assert_eq!(
        (&held["version"], &held["flagged"], &held["breaking"]),
        (&json!("1.1.0"), &json!(true), &json!(true))
    );
    assert_eq!((&held["bump"], &held["required_bump"]), (&json!("minor"), &json!("major")));
    assert_eq!(held["flags"], json!(["insufficient-bump"]));
    let first = versions[2];
    assert_eq!(
        (&first["bump"], &first["deprecated"], &first["yanked"]),
        (&Value::Null, &json!("old"), &Value::Null)
    );
    assert_eq!(first["findings"]["error"], 0);
}

#[test]
fn a_manifest_names_forms_prompts_and_skills() {
    let mut pack = greeter("1.0.0");
    pack["skills"] =
        json!(["skills/wave", "skills/nod", {"name": "wave", "description": "d", "instructions": "i"}]);
    let world = World::empty()
        .file("skills/wave/SKILL.md", "---\nname: wave\ndescription: Waves.\n---\nWave.\n")
        .file("skills/wave/more/a b.md", "more")
        .file("skills/nod/SKILL.md", "---\nname: wave\ndescription: Nods.\n---\nNod.\n")
        .publish(&pack);
    let manifest = world.get("/v1/packs/greeter/versions/1.0.0").json();
    assert_eq!(manifest["path"], "greeter.pack.json");
    assert_eq!(
        manifest["prompts"][0]["variables"][0],
        json!({"name": "name", "type": "string", "required": true})
    );
    let forms = &manifest["forms"];
    assert_eq!(forms["source"]["digest"], manifest["digest"]);
    assert_ne!(forms["resolved"]["digest"], manifest["digest"]);
    for form in ["source", "resolved"] {
        let reply = world.get(forms[form]["url"].as_str().expect("an address"));
        assert_eq!(json!(reply.header("packhouse-digest")), forms[form]["digest"]);
        assert_eq!(json!(reply.bytes.len()), forms[form]["size"]);
    }
    let files: Vec<&Value> = manifest["skills"]
        .as_array()
        .expect("skills")
        .iter()
        .flat_map(|skill| skill["files"].as_array().expect("files"))
        .collect();
    let addresses: Vec<&str> = files.iter().map(|file| file["url"].as_str().expect("an address")).collect();
    let base = "/v1/packs/greeter/versions/1.0.0/skills";
    assert_eq!(
        addresses,
        [
            format!("{base}/wave/SKILL.md"),
            format!("{base}/wave/more/a%20b.md"),
            format!("{base}/wave~2/SKILL.md"),
        ]
    );
    assert_eq!(world.get(addresses[1]).text(), "more");
    let nod = world.get(addresses[2]);
    assert!(nod.text().ends_with("Nod.\n"));
    assert_eq!(nod.header("content-type"), "text/plain; charset=utf-8");
    let digest = files[1]["digest"].as_str().expect("a digest").replace("sha256:", "");
    assert_eq!(world.get(&format!("/v1/packs/greeter/blobs/sha256/{digest}")).text(), "more");
}

#[test]
fn a_manifest_names_the_schema_files() {
    let mut pack = greeter("1.0.0");
    pack["compositions"] = super::support::composition("./schemas/the input.json");
    let schema = r#"{"type": "object"}"#;
    let world = World::empty().file("schemas/the input.json", schema).publish(&pack);
    let manifest = world.get("/v1/packs/greeter/versions/1.0.0").json();
    let file = &manifest["files"][0];
    assert_eq!(file["path"], "schemas/the input.json");
    assert_eq!(file["size"], schema.len());
    assert_eq!(file["digest"], pack::Digest::of(schema.as_bytes()).to_string());
    let reply = world.get(file["url"].as_str().expect("an address"));
    assert_eq!((reply.text().as_str(), reply.header("content-type")), (schema, "application/json"));
    assert_eq!(world.get("/v1/packs/greeter/versions/1.0.0/files/schemas/other.json").status, 404);
    assert_eq!(world.get("/v1/packs/greeter/versions/1.0.0/files/pack.json").status, 404);
}

#[test]
fn fetch_answers_every_kind_of_reference() {
    let world = world();
    let digest =
        world.get("/v1/packs/greeter").json()["versions"][1]["digest"].as_str().expect("a digest").to_owned();
    let check = |reference: &str, version: &str| {
        let reply = world.get(&format!("/v1/fetch/{reference}"));
        assert_eq!(reply.status, 200, "{reference}: {}", reply.text());
        assert_eq!(reply.header("packhouse-version"), version, "{reference}");
        assert!(reply.header("packhouse-digest").starts_with("sha256:"));
        reply
    };
    check("greeter", "1.0.0");
    check("greeter@latest", "1.0.0");
    check("greeter@%5E1", "1.0.0");
    check("greeter@%3E%3D1%20%3C2", "1.0.0");
    check("greeter@1", "1.0.0");
    check("greeter@stable", "1.0.0");
    check("greeter@prerelease", "1.0.0");
    check("greeter@v1.0.0", "1.0.0");
    let held = check("greeter@1.1.0", "1.1.0");
    assert_eq!(held.header("packhouse-flagged"), "insufficient-bump");
    assert_eq!(held.header("content-location"), "/v1/packs/greeter/versions/1.1.0/resolved.json");
    let by_digest = check(&format!("greeter@{digest}"), "1.1.0");
    assert_eq!(by_digest.header("content-location"), "/v1/packs/greeter/versions/1.1.0/pack.json");
    assert_eq!(check("greeter@1.2.0", "1.2.0").header("packhouse-yanked"), "true");
    let manifest = check("greeter?form=manifest", "1.0.0");
    assert_eq!(manifest.json(), world.get("/v1/packs/greeter/versions/1.0.0").json());
    let source = check("greeter?form=source", "1.0.0");
    assert_eq!(source.bytes, world.get("/v1/packs/greeter/versions/1.0.0/pack.json").bytes);
}

#[test]
fn several_references_are_resolved_at_once() {
    let body = json!({"refs": ["greeter@^1", "greeter@~1.1", "nobody", "Odd@"]});
    let results = world().post("/v1/resolve", body.to_string()).json()["results"].clone();
    assert_eq!((&results[0]["ref"], &results[0]["version"]), (&json!("greeter@^1"), &json!("1.0.0")));
    assert!(results[0]["forms"]["resolved"]["digest"].is_string());
    assert_eq!(results[1]["problem"]["type"], "/problems/release-held");
    assert_eq!(results[2]["problem"]["status"], 404);
    assert_eq!(results[3]["problem"]["status"], 400);
}

#[test]
fn reports_and_comparisons_say_what_changed() {
    let world = world();
    let report = world.get("/v1/packs/greeter/versions/1.1.0/report").json();
    assert_eq!(report["baseline"]["version"], "1.0.0");
    assert_eq!(report["diff"]["sufficient"], false);
    let reply = world.get("/v1/packs/greeter/compare/1.0.0...1.1.0");
    assert_eq!(reply.header("cache-control"), "max-age=300");
    let diff = reply.json();
    assert_eq!(
        (&diff["pack"], &diff["required_bump"], &diff["declared_bump"]),
        (&json!("greeter"), &json!("major"), &json!("minor"))
    );
    assert!(
        diff["changes"]
            .as_array()
            .expect("changes")
            .iter()
            .any(|change| change["rule"] == "variable-required-added")
    );
    assert_eq!(world.get("/v1/packs/greeter/compare/1.0.0...latest").json()["changes"], json!([]));
}

#[test]
fn search_finds_and_counts() {
    let mut second = greeter("0.1.0");
    second["id"] = "waver".into();
    second["metadata"]["tags"] = json!(["wave", "small"]);
    let world = world().publish(&second);
    let found = world.get("/v1/search?q=greeter").json();
    assert_eq!(found["hits"][0]["id"], "greeter");
    let filtered = world.get("/v1/search?tag=wave").json();
    assert_eq!((&filtered["total"], &filtered["hits"][0]["id"]), (&json!(1), &json!("waver")));
    let tags = filtered["facets"]["tag"].as_array().expect("a facet");
    assert!(
        tags.contains(&json!({"value": "hello", "count": 1})),
        "a facet does not count under its own filter"
    );
    assert_eq!(world.get("/v1/search?q=tag:wave").json()["total"], 1);
    let page = world.get("/v1/search?limit=1").json();
    assert_eq!((&page["total"], &page["next_cursor"]), (&json!(2), &json!("1")));
    assert_eq!(world.get("/v1/search?limit=1&cursor=1").json()["next_cursor"], Value::Null);
    for odd in ["%22(", "tag:", "%00", "AND%20OR", "a:b:c"] {
        world.get(&format!("/v1/search?q={odd}")).json();
    }
    let suggested = world.get("/v1/suggest?q=gree").json();
    assert_eq!(
        suggested,
        json!({"suggestions": [{"id": "greeter", "name": "Greeter"}, {"id": "waver", "name": "Greeter"}]})
    );
}

#[test]
fn check_says_what_publishing_would() {
    let world = world();
    let check = |query: &str, pack: &Value| world.post(&format!("/v1/check{query}"), pack.to_string()).json();
    let small = check("", &breaking_greeter("1.3.0"));
    let one = &small["packs"][0];
    assert_eq!(
        (&small["passed"], &one["status"], &one["baseline"]["version"]),
        (&json!(false), &json!("changed"), &json!("1.0.0"))
    );
    assert_eq!(small["against"], "registry:line");
    assert_eq!(check("", &breaking_greeter("2.0.0"))["passed"], true);
    assert_eq!(check("?against=none", &breaking_greeter("2.0.0"))["packs"][0]["diff"], Value::Null);
    assert_eq!(check("?against=1.1.0", &greeter("2.0.0"))["packs"][0]["status"], "changed");
    assert_eq!(check("", &breaking_greeter("1.2.0"))["passed"], false, "the version is taken");
    let mut other = greeter("1.0.0");
    other["id"] = "newcomer".into();
    assert_eq!(check("", &other)["packs"][0]["status"], "new");
    let problem = world.post("/v1/check?against=9.9.9", greeter("2.0.0").to_string());
    problem.problem(404, "release-not-found");
    world.post("/v1/check?against=1.0.0", "{}").problem(404, "pack-not-found");
    let detail = world.post("/v1/check?against=1.9", greeter("2.0.0").to_string()).text();
    assert!(detail.contains("`against` cannot be `1.9`: `line`, `latest`, `none` or"), "{detail}");
}

#[test]
fn sources_show_current_problems_unless_all_are_asked_for() {
    let world = World::configured(
        "[[source]]\nname = \"packs\"\npath = \"a\"\n[[source]]\nname = \"later\"\npath = \"b\"\n",
    )
    .greeter("1.0.0")
    .problem(&a_problem(ProblemCode::TagMoved, "x", "moved"), false)
    .problem(&a_problem(ProblemCode::NotJson, "b.pack.json", "1:2: odd"), true);
    let one = world.get("/v1/sources/packs").json();
    assert_eq!((&one["state"], &one["packs"], &one["releases"]), (&json!("ok"), &json!(1), &json!(1)));
    assert_eq!(one["problems"].as_array().map(Vec::len), Some(1));
    let problem = &one["problems"][0];
    assert_eq!(
        (&problem["code"], &problem["level"], &problem["current"]),
        (&json!("not-json"), &json!("error"), &json!(true))
    );
    assert!(problem["help"].is_string() && problem["ref"].is_null());
    assert_eq!(world.get("/v1/sources/packs?all=true").json()["problems"].as_array().map(Vec::len), Some(2));
    let list = world.get("/v1/sources").json();
    assert_eq!(list["sources"][1]["state"], "never");
    let failing = world.failing("no such folder").get("/v1/sources/packs").json();
    assert_eq!((&failing["state"], &failing["error"]), (&json!("failing"), &json!("no such folder")));
}

#[test]
fn events_are_numbered_facts() {
    let events = world().get("/v1/events?after=2&limit=2").json();
    assert_eq!(events["next_after"], 4);
    let first = &events["events"][0];
    assert_eq!(
        (&first["number"], &first["type"], &first["version"]),
        (&json!(3), &json!("published"), &json!("1.2.0"))
    );
    assert_eq!(events["events"][1]["type"], "yanked");
    assert_eq!(world().get("/v1/events?after=99").json(), json!({"events": [], "next_after": 99}));
}

#[test]
fn rules_explain_themselves() {
    let world = World::empty();
    let rules = world.get("/v1/rules").json()["rules"].as_array().expect("rules").len();
    assert_eq!(rules, rules::LINTS.len() + rules::CHANGES.len() + registry::gate::GATE_RULES.len());
    assert_eq!(world.get("/v1/rules/undeclared-variable").json()["kind"], "lint");
    assert_eq!(world.get("/v1/rules/variable-required-added").json()["kind"], "change");
    assert_eq!(world.get("/v1/rules/policy-loosened").json()["kind"], "gate");
    let cases = world.get("/v1/rules/tool-removed").json()["cases"].clone();
    assert_eq!(
        cases[0]["bumps"],
        json!({"wire": "patch", "contract": "patch", "strict": "patch"}),
        "{cases}"
    );
    let levels = world.get("/v1/rules/prompt-version-not-bumped").json()["levels"].clone();
    assert_eq!(levels, json!({"wire": "warn", "contract": "warn", "strict": "error"}));
    assert!(world.get("/rules/policy-loosened").text().contains("asks for less"));
}

#[test]
fn operators_see_how_it_is() {
    let world = world();
    world.get("/v1/packs");
    world.get("/v1/packs/nobody");
    let metrics = world.get("/metrics").text();
    for line in [
        "packhouse_packs 1",
        "packhouse_releases 3",
        "packhouse_http_requests_total{route=\"/v1/packs\",method=\"GET\",status=\"200\"} 1",
        "packhouse_http_requests_total{route=\"/v1/packs/{id}\",method=\"GET\",status=\"404\"} 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
    }
    assert_eq!(world.get("/healthz").status, 200);
    assert_eq!(world.get("/readyz").status, 200);
    world.ready.store(false, std::sync::atomic::Ordering::Release);
    world.get("/readyz").problem(503, "not-ready");
}

#[test]
fn every_form_has_its_address_digest_and_media_type() {
    let mut pack = greeter("1.0.0");
    pack["skills"] = json!(["tone"]);
    pack["fragments"] = json!({"wave": "Wave first."});
    pack["prompts"]["hello"]["system_template"] = json!("{{fragments.wave}} Greet {{name}}.");
    let world = World::empty()
        .file("tone/SKILL.md", "---\nname: tone\ndescription: Tone.\n---\nBe kind.\n")
        .publish(&pack);
    let address = "/v1/packs/greeter/versions/1.0.0";
    let forms = world.get(address).json()["forms"].clone();
    assert_eq!(forms.as_object().expect("forms").len(), 4);
    let mut digests = std::collections::BTreeSet::new();
    for (name, form) in forms.as_object().expect("forms") {
        let reply = world.get(form["url"].as_str().expect("an address"));
        let digest = pack::Digest::of(&reply.bytes).to_string();
        assert_eq!(
            (form["digest"].as_str(), form["size"].as_u64()),
            (Some(digest.as_str()), Some(reply.bytes.len() as u64))
        );
        assert_eq!(reply.header("packhouse-digest"), digest);
        let media_type = if name == "bundle" { "application/gzip" } else { "application/json" };
        assert_eq!(reply.header("content-type"), media_type);
        // Each way to ask gives the same bytes.
        for way in [format!("/v1/fetch/greeter?form={name}"), format!("/v1/fetch/greeter@{digest}")] {
            let fetched = world.get(&way);
            assert_eq!(fetched.bytes, reply.bytes, "{way}");
            assert_eq!(fetched.header("content-location"), form["url"], "{way}");
        }
        let blob = world.get(&format!("/v1/packs/greeter/blobs/sha256/{}", &digest["sha256:".len()..]));
        assert_eq!((blob.header("content-type"), &blob.bytes), (media_type, &reply.bytes));
        assert!(digests.insert(digest), "{name}");
    }
    let portable = world.get(&format!("{address}/portable.json")).json();
    assert_eq!(portable["prompts"]["hello"]["system_template"], "Wave first. Greet {{name}}.");
    assert_eq!(portable["skills"][0]["instructions"], "Be kind.\n");
}

#[test]
fn a_release_without_a_bundle_says_why() {
    let mut pack = greeter("1.0.0");
    pack["skills"] = json!(["manifest.json"]);
    let world = World::empty()
        .file("manifest.json/SKILL.md", "---\nname: tone\ndescription: Tone.\n---\nBe kind.\n")
        .publish(&pack);
    let manifest = world.get("/v1/packs/greeter/versions/1.0.0").json();
    assert_eq!(
        manifest["warnings"],
        json!(["there is no bundle: two things would stand at `manifest.json`"])
    );
    assert!(manifest["forms"].get("bundle").is_none());
    let problem = world.get("/v1/fetch/greeter?form=bundle").problem(404, "form-not-found");
    assert_eq!(problem["forms"], json!(["portable", "resolved", "source", "manifest"]));
    world.get("/v1/packs/greeter/versions/1.0.0/bundle.tar.gz").problem(404, "form-not-found");
}
