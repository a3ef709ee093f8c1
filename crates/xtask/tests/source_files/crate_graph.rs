//! The files of a crate and the paths that lead from one to another.
//!
//! A path counts as a dependency on the file that defines the item, even if another module
//! re-exports it. Code under `cfg(test)` is ignored, because tests may use every module. Method
//! calls are not resolved, because that requires type information.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

type Segments = Vec<String>;

/// Re-exports that are followed from module to module; a longer chain is a loop.
const MAX_REEXPORTS: usize = 16;

/// The modules of a crate by their paths; the root's is empty.
#[derive(Default)]
pub(crate) struct Crate {
    modules: BTreeMap<Segments, Module>,
}

#[derive(Default)]
struct Module {
    file: String,
    items: BTreeSet<String>,
    imports: BTreeMap<String, Segments>,
    globs: Vec<Segments>,
    /// Every path in the module's code, imports included.
    paths: BTreeSet<Segments>,
}

impl Crate {
    /// Reads a crate. `root` is the path of its `lib.rs` or `main.rs` below `top`.
    pub(crate) fn read(top: &Path, root: &str) -> Self {
        let mut all = Self::default();
        let directory = root.rsplit_once('/').map_or("", |(directory, _)| directory);
        all.read_file(top, root, directory, &[]);
        all
    }

    /// Reads a file; the files of its modules are in `directory`.
    fn read_file(&mut self, top: &Path, file: &str, directory: &str, path: &[String]) {
        let text = fs::read_to_string(top.join(file)).unwrap_or_else(|_| panic!("{file}"));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        self.read_items(top, file, directory, path, &parsed.items);
    }

    fn read_items(
        &mut self,
        top: &Path,
        file: &str,
        directory: &str,
        path: &[String],
        items: &[Item],
    ) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            match item {
                Item::Mod(child) => {
                    let name = child.ident.to_string();
                    let child_path: Segments = path.iter().cloned().chain([name.clone()]).collect();
                    let below = join(directory, &name);
                    if let Some((_, items)) = &child.content {
                        self.read_items(top, file, &below, &child_path, items);
                    } else {
                        if let Some(named) = path_attribute(&child.attrs) {
                            let of_file = file.rsplit_once('/').map_or("", |(of_file, _)| of_file);
                            let named = join(of_file, &named);
                            let below = named.rsplit_once('/').map_or("", |(below, _)| below);
                            self.read_file(top, &named, below, &child_path);
                            continue;
                        }
                        let candidates = [format!("{below}.rs"), format!("{below}/mod.rs")];
                        let found = candidates.iter().find(|name| top.join(name).is_file());
                        let found = found.unwrap_or_else(|| panic!("{file}: mod {name}"));
                        self.read_file(top, found, &below, &child_path);
                    }
                }
                item => {
                    module.items.extend(name(item));
                    PathsOf(&mut module).visit_item(item);
                }
            }
        }
        self.modules.insert(path.to_vec(), module);
    }

    /// Returns the dependencies between files: from, to, and the paths that cause them.
    pub(crate) fn edges(&self) -> BTreeMap<(String, String), BTreeSet<String>> {
        let mut edges: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (at, module) in &self.modules {
            for path in &module.paths {
                let Some(file) = self.file_of(at, path, MAX_REEXPORTS) else { continue };
                if file != module.file {
                    let edge = (module.file.clone(), file.to_owned());
                    edges.entry(edge).or_default().insert(path.join("::"));
                }
            }
        }
        edges
    }

    /// Returns the file that defines the item of a path in the module `at`. `None` for items of other
    /// crates, local variables, and modules themselves.
    fn file_of(&self, at: &[String], path: &[String], reexports: usize) -> Option<&str> {
        let mut at = at.to_vec();
        let mut is_first = true;
        let mut rest = path;
        while let Some((segment, after)) = rest.split_first() {
            let child: Segments = at.iter().chain([segment]).cloned().collect();
            match segment.as_str() {
                "crate" if is_first => at.clear(),
                "self" if is_first => {}
                "super" => drop(at.pop()?),
                // A single name is a variable or an item, even if a module has the same name.
                _ if self.modules.contains_key(&child) && path.len() > 1 => at = child,
                name => {
                    let module = self.modules.get(&at)?;
                    if module.items.contains(name) {
                        return Some(&module.file);
                    }
                    let reexports = reexports.checked_sub(1)?;
                    if let Some(import) = module.imports.get(name) {
                        let target: Segments = import.iter().chain(after).cloned().collect();
                        // `use serde;` imports a crate under its own name.
                        let is_same = target == rest;
                        return if is_same { None } else { self.file_of(&at, &target, reexports) };
                    }
                    return module.globs.iter().find_map(|glob| {
                        let target: Segments = glob.iter().chain(rest).cloned().collect();
                        self.file_of(&at, &target, reexports)
                    });
                }
            }
            is_first = false;
            rest = after;
        }
        None
    }
}

/// Collects the paths of an item into its module.
struct PathsOf<'m>(&'m mut Module);

impl PathsOf<'_> {
    fn import(&mut self, tree: &UseTree, prefix: &[String]) {
        let with = |name: String| prefix.iter().cloned().chain([name]).collect::<Segments>();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(path.ident.to_string())),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, prefix)),
            UseTree::Glob(_) => self.0.globs.push(prefix.to_vec()),
            UseTree::Name(name) if name.ident == "self" => {
                let name = prefix.last().cloned().unwrap_or_default();
                self.0.imports.insert(name, prefix.to_vec());
            }
            UseTree::Name(name) => {
                let path = with(name.ident.to_string());
                self.0.imports.insert(name.ident.to_string(), path.clone());
                self.0.paths.insert(path);
            }
            UseTree::Rename(rename) => {
                let path = with(rename.ident.to_string());
                self.0.imports.insert(rename.rename.to_string(), path.clone());
                self.0.paths.insert(path);
            }
        }
    }

    /// Collects the token sequences in a macro's arguments that form a path.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Segments::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.0.paths.insert(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                token => {
                    self.0.paths.insert(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = token {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.0.paths.insert(path);
    }
}

impl<'a> Visit<'a> for PathsOf<'_> {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.import(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        self.0.paths.insert(segments.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Returns the value of `#[path = "…"]`.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(value), .. }) = &pair.value else {
            return None;
        };
        pair.path.is_ident("path").then(|| value.value())
    })
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<TokenStream>().is_ok_and(|tokens| {
                tokens.to_string().split([' ', '(', ',']).any(|token| token == "test")
            })
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
