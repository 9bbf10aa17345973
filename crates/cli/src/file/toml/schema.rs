//! The JSON schema of TOML job files.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use super::table::FileTable;

/// Returns the JSON schema of job files.
///
/// It uses draft 7, which all editors support.
pub(crate) fn schema() -> Schema {
    SchemaSettings::draft07()
        .with_transform(RecursiveTransform(simplify))
        .into_generator()
        .into_root_schema_for::<FileTable>()
}

/// Removes `null`, which TOML does not have, and line ends in descriptions. Replaces the formats of Rust's integers,
/// which JSON schemas do not have, by their maximum.
fn simplify(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    object.retain(|key, value| !(key == "default" && value.is_null()));
    // The larger ones have no maximum: it exceeds that of TOML's integers.
    if object.remove("format").is_some_and(|format| format == "uint32") {
        object.insert("maximum".to_owned(), u32::MAX.into());
    }
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &mut types[..] {
            let only = only.take();
            object.insert("type".to_owned(), only);
        }
    }
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
    if let [Value::Object(only)] = &mut choices[..] {
        let only = std::mem::take(only);
        object.remove("anyOf");
        // Draft 7 ignores the siblings of a reference.
        if only.contains_key("$ref") {
            object.insert("allOf".to_owned(), Value::Array(vec![Value::Object(only)]));
        } else {
            object.extend(only);
        }
    }
}
