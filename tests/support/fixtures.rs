//! Configurations for tests: one builder of resource blocks, with values that suit most tests.
//!
//! ```hcl
//! resource "access_listing_role" "viewer" {   # role("viewer")
//!   listing = "github"
//!   role = "viewer"
//!   display_name = "Role"
//!   priority = 1
//! }
//! ```

use std::fmt;
use std::ops::Add;

/// The type of a role, an owner and a list of owners.
pub(crate) const ROLE: &str = "access_listing_role";
pub(crate) const OWNER: &str = "access_integration_owner";
pub(crate) const OWNERS: &str = "access_integration_owners";

/// The addresses of `role("viewer")`, `owner("ada")` and a list of owners.
pub(crate) const VIEWER: &str = "access_listing_role.viewer";
pub(crate) const ADA: &str = "access_integration_owner.ada";
pub(crate) const LIST: &str = "access_integration_owners.all";

/// The repository of a workspace.
pub(crate) const REPOSITORY: &str = "https://git.example.com/team/access";

/// A block with its arguments in the order in which they were set.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    head: String,
    kind: String,
    name: String,
    arguments: Vec<(String, String)>,
    rest: String,
}

/// Returns a block without arguments.
fn block(head: &str, kind: &str, name: &str) -> Block {
    let [head, kind, name] = [head, kind, name].map(str::to_owned);
    Block { head, kind, name, arguments: Vec::new(), rest: String::new() }
}

pub(crate) fn resource(kind: &str, name: &str) -> Block {
    block("resource", kind, name)
}

pub(crate) fn data(kind: &str, name: &str) -> Block {
    block("data", kind, name)
}

/// Returns a role of the listing `github`, under an address of the same name.
pub(crate) fn role(id: &str) -> Block {
    let block = resource(ROLE, id).text("listing", "github").text("role", id);
    block.text("display_name", "Role").set("priority", 1)
}

/// Returns an owner of the integration `github`: `users/{user}`, under an address of the same name.
pub(crate) fn owner(user: &str) -> Block {
    let principal = format!("users/{user}");
    resource(OWNER, user).text("integration", "github").text("owner", &principal)
}

/// Returns the list of owners of the integration `okta`, under the address `all`.
pub(crate) fn owners(principals: &[&str]) -> Block {
    resource(OWNERS, "all").text("integration", "okta").set("owners", format!("{principals:?}"))
}

/// Returns the block of the provider.
pub(crate) fn settings() -> Block {
    Block { kind: String::new(), ..block("provider", "", "access") }
}

/// Returns a resource whose `output` is known only after its apply.
pub(crate) fn later(name: &str, value: impl fmt::Display) -> Block {
    resource("terraform_data", name).set("input", value)
}

/// Returns roles `role-0`, `role-1` … under the address `many`.
pub(crate) fn roles(count: usize) -> Block {
    role("role-${count.index}").at("many").set("priority", "count.index").set("count", count)
}

/// Returns owners `users/user-0`, `users/user-1` … of `github` under the address `many`.
pub(crate) fn many_owners(count: usize) -> Block {
    owner("user-${count.index}").at("many").set("count", count)
}

pub(crate) fn import(to: &str, id: &str) -> Text {
    Text(format!("import {{\n  to = {to}\n  id = {id:?}\n}}\n"))
}

pub(crate) fn moved(from: &str, to: &str) -> Text {
    Text(format!("moved {{\n  from = {from}\n  to = {to}\n}}\n"))
}

/// Returns a `removed` block that keeps the object.
pub(crate) fn removed(from: &str) -> Text {
    Text(format!("removed {{\n  from = {from}\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"))
}

impl Block {
    /// Sets an argument to an expression, in place of the one before.
    pub(crate) fn set(mut self, name: &str, expression: impl fmt::Display) -> Self {
        let expression = expression.to_string();
        match self.arguments.iter_mut().find(|argument| argument.0 == name) {
            Some(argument) => argument.1 = expression,
            None => self.arguments.push((name.to_owned(), expression)),
        }
        self
    }

    /// Sets an argument to a literal, which may contain references.
    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.set(name, format!("\"{value}\""))
    }

    /// Gives the block another name in its address.
    pub(crate) fn at(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Adds lines at the end of the body, such as another block.
    pub(crate) fn line(mut self, line: &str) -> Self {
        self.rest += &format!("  {line}\n");
        self
    }

    pub(crate) fn adopting(self) -> Self {
        self.set("adopt_existing", true)
    }

    /// Creates a replacement before the object is destroyed.
    pub(crate) fn create_before_destroy(self) -> Self {
        self.line("lifecycle {\n    create_before_destroy = true\n  }")
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, kind, name, .. } = self;
        match kind.as_str() {
            "" => writeln!(f, "{head} \"{name}\" {{")?,
            _ => writeln!(f, "{head} \"{kind}\" \"{name}\" {{")?,
        }
        for (name, expression) in &self.arguments {
            writeln!(f, "  {name} = {expression}")?;
        }
        writeln!(f, "{}}}", self.rest)
    }
}

/// Several blocks, one behind the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text(pub(crate) String);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T: fmt::Display> Add<T> for Text {
    type Output = Self;

    fn add(self, more: T) -> Self {
        Self(format!("{self}{more}"))
    }
}

impl<T: fmt::Display> Add<T> for Block {
    type Output = Text;

    fn add(self, more: T) -> Text {
        Text(format!("{self}{more}"))
    }
}

/// What a workspace can be configured with: whatever shows itself as Terraform reads it.
pub(crate) use std::fmt::Display as Configuration;
