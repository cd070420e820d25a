//! `folio schema`: prints the JSON Schemas of the input and the output.

use crate::support::Sandbox;

#[test]
fn all_schemas_have_a_version() {
    let names = Sandbox::new().run(&["schema"]).succeeds().text();
    assert!(names.lines().count() >= 9, "{names}");
    for name in names.lines() {
        let schema = Sandbox::new().run(&["schema", name]).succeeds().json_text();
        assert_eq!(schema["$id"], format!("folio:{name}:1"), "{name}");
        jsonschema::meta::validate(&schema).expect(name);
    }
}
