//! The pages of the documentation, one function for each kind of page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::attributes::{text, write_schema};
use super::files_below;
use crate::workspace;

/// Returns every page by its path below `docs/`.
pub(super) fn pages(schema: &Value) -> Result<BTreeMap<String, String>> {
    let mut pages = BTreeMap::new();
    pages.insert("index.md".to_owned(), index(&schema["provider"])?);
    for (name, resource) in members(schema, "resource_schemas")? {
        pages.insert(format!("resources/{}.md", short(name)), resource_page(name, resource)?);
    }
    for (name, data_source) in members(schema, "data_source_schemas")? {
        let page = schema_page("Data Source", "data-sources", name, data_source)?;
        pages.insert(format!("data-sources/{}.md", short(name)), page);
    }
    let templates = workspace::directory().join("templates");
    for name in files_below(&templates.join("list-resources"))? {
        pages.insert(format!("list-resources/{name}"), list_resource_page(&name)?);
    }
    Ok(pages)
}

/// Returns the name of a resource without the provider's: the name of its page.
fn short(name: &str) -> &str {
    name.strip_prefix("access_").unwrap_or(name)
}

/// Returns the schemas of a kind, by name.
fn members<'a>(schema: &'a Value, kind: &str) -> Result<&'a serde_json::Map<String, Value>> {
    schema[kind].as_object().with_context(|| format!("the provider has {kind}"))
}

/// Returns the page of the provider.
fn index(provider: &Value) -> Result<String> {
    let block = &provider["block"];
    let description = text(&block["description"]);
    let mut page = front_matter("access Provider", None, description);
    write!(page, "# access Provider\n\n{description}\n\n")?;
    example(&mut page, "provider/provider.tf", "terraform")?;
    append_template(&mut page, "index.md")?;
    write_schema(&mut page, block)?;
    Ok(page)
}

/// Returns a page with an example, a template and a schema, and a warning before them if there is
/// one. `directory` has the pages of this kind.
fn schema_page(kind: &str, directory: &str, name: &str, schema: &Value) -> Result<String> {
    let block = &schema["block"];
    let description = text(&block["description"]);
    let mut page = front_matter(&format!("{name} {kind} - access"), Some(""), description);
    write!(page, "# {name} ({kind})\n\n{description}\n\n")?;
    if directory == "resources" {
        append_template(&mut page, &format!("warnings/{}.md", short(name)))?;
    }
    let file = directory.trim_end_matches('s');
    example(&mut page, &format!("{directory}/{name}/{file}.tf"), "terraform")?;
    append_template(&mut page, &format!("{directory}/{}.md", short(name)))?;
    write_schema(&mut page, block)?;
    Ok(page)
}

/// Returns the page of a resource, with the section about imports that the registry expects.
fn resource_page(name: &str, resource: &Value) -> Result<String> {
    let mut page = schema_page("Resource", "resources", name, resource)?;
    page.push_str("\n## Import\n\nImport is supported using the following syntax:\n\n");
    page.push_str("In Terraform v1.12.0 and later, the [`import` block](https://developer.hashicorp.com/terraform/language/import) can be used with the `identity` attribute, for example:\n\n");
    code(&mut page, &format!("resources/{name}/import-by-identity.tf"), "terraform")?;
    append_template(&mut page, &format!("identities/{}.md", short(name)))?;
    page.push_str("In Terraform v1.5.0 and later, the [`import` block](https://developer.hashicorp.com/terraform/language/import) can be used with the `id` attribute, for example:\n\n");
    code(&mut page, &format!("resources/{name}/import-by-string-id.tf"), "terraform")?;
    page.push_str("The [`terraform import` command](https://developer.hashicorp.com/terraform/cli/commands/import) can be used, for example:\n\n");
    code(&mut page, &format!("resources/{name}/import.sh"), "shell")?;
    Ok(page.trim_end().to_owned() + "\n")
}

/// Returns a page whose schema is written by hand, because older versions of terraform do not print
/// it and the pages must not depend on the version. A test of the provider compares it with the
/// schema that is served.
fn list_resource_page(file: &str) -> Result<String> {
    let short = file.strip_suffix(".md").context("a Markdown file")?;
    let name = format!("access_{short}");
    let template = workspace::directory().join("templates/list-resources").join(file);
    let text = fs::read_to_string(template)?;
    let (description, rest) = text.split_once("\n\n").context("a description, then the rest")?;
    let mut page = front_matter(&format!("{name} List Resource - access"), Some(""), description);
    write!(page, "# {name} (List Resource)\n\n{description}\n\n")?;
    let path = format!("list-resources/{name}/list-resource.tfquery.hcl");
    example(&mut page, &path, "terraform")?;
    page.push_str(rest);
    Ok(page.trim_end().to_owned() + "\n")
}

/// Returns the header of a page that registries read.
fn front_matter(title: &str, subcategory: Option<&str>, description: &str) -> String {
    let subcategory =
        subcategory.map_or(String::new(), |name| format!("subcategory: \"{name}\"\n"));
    format!(
        "---\n# generated by `cargo xtask docs`\npage_title: \"{title}\"\n{subcategory}description: |-\n  {description}\n---\n\n"
    )
}

/// Adds the section with an example.
fn example(page: &mut String, path: &str, language: &str) -> Result<()> {
    page.push_str("## Example Usage\n\n");
    code(page, path, language)
}

/// Adds a file below `examples/` as a block.
fn code(page: &mut String, path: &str, language: &str) -> Result<()> {
    let path = workspace::directory().join("examples").join(path);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    write!(page, "```{language}\n{}\n```\n\n", text.trim_end())?;
    Ok(())
}

/// Adds a file below `templates/`, if there is one.
fn append_template(page: &mut String, path: &str) -> Result<()> {
    let path = workspace::directory().join("templates").join(path);
    if path.exists() {
        write!(page, "{}\n\n", fs::read_to_string(path)?.trim_end())?;
    }
    Ok(())
}
