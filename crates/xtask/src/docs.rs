//! `cargo xtask docs`: writes `docs/` from the provider's own schema, `examples/` and `templates/`.
//!
//! The pages follow the registry's conventions: file names, front matter, order of sections. What
//! is written by hand stands in `templates/`, in the same places as the page it belongs to. What
//! `cargo xtask bench --write` measured stands in `benchmarks/`, and without it there is no page of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::tell;
use crate::workspace::{self, Terraform};

/// Writes the pages, or with `check` only compares them.
///
/// # Errors
///
/// Fails where the schema cannot be had, and with `check` where a page is not current.
pub(crate) fn run(check: bool) -> Result<()> {
    let provider = workspace::build_provider("debug")?;
    let schema = schema(&provider)?;
    let pages = pages(&schema)?;
    let docs = workspace::directory().join("docs");
    if check {
        return compare(&docs, &pages);
    }
    if docs.exists() {
        fs::remove_dir_all(&docs)?;
    }
    for (name, text) in &pages {
        let path = docs.join(name);
        fs::create_dir_all(path.parent().context("a page has a directory")?)?;
        fs::write(path, text)?;
    }
    tell(&format!("{} pages in docs/", pages.len()));
    Ok(())
}

fn compare(docs: &Path, pages: &BTreeMap<String, String>) -> Result<()> {
    let current = |name: &str| fs::read_to_string(docs.join(name)).unwrap_or_default();
    let mut stale: Vec<_> = pages
        .iter()
        .filter(|(name, text)| current(name) != **text)
        .map(|it| it.0.clone())
        .collect();
    stale.extend(files_below(docs)?.into_iter().filter(|name| !pages.contains_key(name)));
    ensure!(
        stale.is_empty(),
        "docs/ is not current: {}. Run `cargo xtask docs`.",
        stale.join(", ")
    );
    tell("docs/ is current");
    Ok(())
}

fn files_below(directory: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(directory)?.to_string_lossy().replace('\\', "/");
                files.push(name);
            }
        }
    }
    Ok(files)
}

/// What Terraform itself gets from the provider.
fn schema(provider: &Path) -> Result<Value> {
    let terraform = Terraform::new(provider)?;
    fs::write(terraform.directory().join("main.tf"), "provider \"access\" {}\n")?;
    let output = terraform.command(&["providers", "schema", "-json"]).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let schemas: Value = serde_json::from_slice(&output.stdout)?;
    let schemas = schemas["provider_schemas"].as_object().context("provider_schemas")?;
    Ok(schemas.values().next().context("one provider")?.clone())
}

fn pages(schema: &Value) -> Result<BTreeMap<String, String>> {
    let mut pages = BTreeMap::new();
    pages.insert("index.md".to_owned(), index(&schema["provider"])?);
    for (name, resource) in schema["resource_schemas"].as_object().context("resources")? {
        let short = name.strip_prefix("access_").unwrap_or(name);
        pages.insert(format!("resources/{short}.md"), resource_page(name, resource)?);
    }
    let templates = workspace::directory().join("templates");
    for name in files_below(&templates.join("guides"))? {
        let path = format!("guides/{name}");
        pages.insert(path.clone(), fs::read_to_string(templates.join(&path))?);
    }
    if workspace::directory().join("benchmarks").exists() {
        let template = fs::read_to_string(templates.join("performance.md"))?;
        pages.insert("performance.md".to_owned(), with_results(&template, &results)?);
        pages.insert("performance.svg".to_owned(), results("terraform.svg")?);
    }
    Ok(pages)
}

/// A page with a file of results in place of each line `{{ file }}`.
fn with_results(template: &str, results: &dyn Fn(&str) -> Result<String>) -> Result<String> {
    let mut page = String::new();
    for line in template.lines() {
        match line.strip_prefix("{{ ").and_then(|line| line.strip_suffix(" }}")) {
            Some(name) => writeln!(page, "{}", results(name)?.trim_end())?,
            None => writeln!(page, "{line}")?,
        }
    }
    Ok(page)
}

/// A file that `cargo xtask bench --write` wrote.
fn results(name: &str) -> Result<String> {
    let path = workspace::directory().join("benchmarks").join(name);
    let how = if name.starts_with("driver") { " --driver" } else { "" };
    fs::read_to_string(&path)
        .with_context(|| format!("{}: run `cargo xtask bench{how} --write`", path.display()))
}

fn index(provider: &Value) -> Result<String> {
    let block = &provider["block"];
    let description = text(&block["description"]);
    let mut page = front_matter("access Provider", None, description);
    write!(page, "# access Provider\n\n{description}\n\n")?;
    example(&mut page, "provider/provider.tf", "terraform")?;
    by_hand(&mut page, "index.md")?;
    write_schema(&mut page, block)?;
    Ok(page)
}

fn resource_page(name: &str, resource: &Value) -> Result<String> {
    let block = &resource["block"];
    let description = text(&block["description"]);
    let short = name.strip_prefix("access_").unwrap_or(name);
    let mut page = front_matter(&format!("{name} Resource - access"), Some(""), description);
    write!(page, "# {name} (Resource)\n\n{description}\n\n")?;
    example(&mut page, &format!("resources/{name}/resource.tf"), "terraform")?;
    by_hand(&mut page, &format!("resources/{short}.md"))?;
    write_schema(&mut page, block)?;
    page.push_str("\n## Import\n\nImport is supported using the following syntax:\n\n");
    page.push_str("In Terraform v1.5.0 and later, the [`import` block](https://developer.hashicorp.com/terraform/language/import) can be used with the `id` attribute, for example:\n\n");
    code(&mut page, &format!("resources/{name}/import-by-string-id.tf"), "terraform")?;
    page.push_str("The [`terraform import` command](https://developer.hashicorp.com/terraform/cli/commands/import) can be used, for example:\n\n");
    code(&mut page, &format!("resources/{name}/import.sh"), "shell")?;
    Ok(page.trim_end().to_owned() + "\n")
}

fn front_matter(title: &str, subcategory: Option<&str>, description: &str) -> String {
    let subcategory = subcategory.map_or(String::new(), |it| format!("subcategory: \"{it}\"\n"));
    format!(
        "---\n# generated by `cargo xtask docs`; edit the schema, examples/ or templates/ instead\npage_title: \"{title}\"\n{subcategory}description: |-\n  {description}\n---\n\n"
    )
}

fn example(page: &mut String, path: &str, language: &str) -> Result<()> {
    page.push_str("## Example Usage\n\n");
    code(page, path, language)
}

fn code(page: &mut String, path: &str, language: &str) -> Result<()> {
    let path = workspace::directory().join("examples").join(path);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    write!(page, "```{language}\n{}\n```\n\n", text.trim_end())?;
    Ok(())
}

fn by_hand(page: &mut String, path: &str) -> Result<()> {
    let path = workspace::directory().join("templates").join(path);
    if path.exists() {
        write!(page, "{}\n\n", fs::read_to_string(path)?.trim_end())?;
    }
    Ok(())
}

fn write_schema(page: &mut String, block: &Value) -> Result<()> {
    page.push_str("<!-- schema generated from the provider -->\n## Schema\n");
    let attributes = block["attributes"].as_object().context("attributes")?;
    for title in ["Required", "Optional", "Read-Only"] {
        let mut of_group = attributes.iter().filter(|(_, it)| group(it) == title).peekable();
        if of_group.peek().is_some() {
            write!(page, "\n### {title}\n\n")?;
        }
        for (name, attribute) in of_group {
            let kind = kind(&attribute["type"])?;
            let sensitive = if attribute["sensitive"] == true { ", Sensitive" } else { "" };
            let description = text(&attribute["description"]);
            writeln!(page, "- `{name}` ({kind}{sensitive}) {description}")?;
        }
    }
    Ok(())
}

/// The heading that an attribute stands under.
fn group(attribute: &Value) -> &'static str {
    if attribute["required"] == true {
        "Required"
    } else if attribute["optional"] == true {
        "Optional"
    } else {
        "Read-Only"
    }
}

/// A type in words.
fn kind(kind: &Value) -> Result<String> {
    Ok(match kind {
        Value::String(name) => match name.as_str() {
            "string" => "String".to_owned(),
            "number" => "Number".to_owned(),
            "bool" => "Boolean".to_owned(),
            other => bail!("no words for the type {other}"),
        },
        Value::Array(parts) => match (parts[0].as_str(), &parts[1]) {
            (Some("set"), of) => format!("Set of {}", self::kind(of)?),
            (Some("map"), of) => format!("Map of {}", self::kind(of)?),
            (Some("list"), of) => format!("List of {}", self::kind(of)?),
            other => bail!("no words for the type {other:?}"),
        },
        other => bail!("no words for the type {other}"),
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_where_their_file_is_named() {
        let results = |name: &str| match name {
            "a.md" => Ok("| 1 |\n\n".to_owned()),
            _ => bail!("{name} is missing"),
        };
        let page = with_results("# Title\n\n{{ a.md }}\n\nEnd", &results).unwrap();
        assert_eq!(page, "# Title\n\n| 1 |\n\nEnd\n");
        assert!(with_results("{{ b.md }}", &results).is_err());
    }
}
