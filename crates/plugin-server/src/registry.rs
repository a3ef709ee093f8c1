//! Everything that is registered, with its compiled schemas.
//!
//! Hosts may skip the schema calls, so the schemas are compiled at registration.

use std::collections::BTreeMap;
use std::sync::Arc;

use tf_provider::schema::{Block, Schema};
use tf_provider::{Diagnostics, Provider, Resource};

use crate::diagnostic::{BUG, error};
use crate::dynamic::{DynDataSource, DynProvider, DynResource, TypedProvider, TypedResource};
use crate::pb::tfplugin6 as pb;
use crate::resource::{
    DynGenerateConfig, DynIdentity, DynListResource, DynStoredStates, ListResource,
    ResourceWithGenerateConfig, ResourceWithIdentity, ResourceWithStoredStates,
};
use crate::schema::{self, CompiledSchema};
use crate::wire::{Field, ObjectShape, Role, Type};

/// The registration of a resource, in the closure of
/// [`Builder::resource_with`](crate::Builder::resource_with).
pub struct Registration<R> {
    resource: Arc<R>,
    identity: Option<CompileEntry<R, IdentityEntry>>,
    list: Option<CompileEntry<R, ListEntry>>,
    generate_config: Option<Box<dyn DynGenerateConfig>>,
    stored_states: Option<Box<dyn DynStoredStates>>,
}

/// Compiles a further schema of a resource, with the name of the resource in its problems.
type CompileEntry<R, E> = fn(&Arc<R>, &str, &mut Diagnostics) -> Option<E>;

impl<R: Resource + 'static> Registration<R> {
    pub(crate) fn new(resource: R) -> Self {
        Self {
            resource: Arc::new(resource),
            identity: None,
            list: None,
            generate_config: None,
            stored_states: None,
        }
    }

    fn shared(&self) -> TypedResource<R> {
        TypedResource(Arc::clone(&self.resource))
    }

    /// Registers the identity, and the import by identity.
    fn identity(mut self) -> Self
    where
        R: ResourceWithIdentity,
    {
        self.identity = Some(|resource, name, problems| {
            let schema = take_schema(name, problems, |diags| resource.identity_schema(diags))?;
            let fields = schema.attributes.iter().filter_map(|(name, attribute)| {
                let role = Role::Attribute { required: true, optional: false, computed: false };
                Some(Field { name: name.clone(), ty: Type::of(&attribute.attr_type)?, role })
            });
            let shape = ObjectShape::new(fields.collect());
            if shape.fields.len() < schema.attributes.len() {
                let detail = format!(
                    "{name}: the type of an attribute of the identity is not served. {BUG}"
                );
                error(problems, "Invalid schema", detail);
            }
            Some(IdentityEntry {
                message: schema::identity(&schema),
                ty: Type::Object(shape),
                handler: Box::new(TypedResource(Arc::clone(resource))),
            })
        });
        self
    }

    /// Registers the list resource, the identity, because every listed object has one, and the import by
    /// identity.
    #[must_use]
    pub fn list_resource(mut self) -> Self
    where
        R: ListResource,
    {
        self.list = Some(|resource, name, problems| {
            let schema = take_schema(name, problems, |diags| resource.list_schema(diags))?;
            let schema = compiled(name, &schema, problems);
            let handler = Box::new(TypedResource(Arc::clone(resource)));
            Some(ListEntry { schema, handler })
        });
        self.identity()
    }

    /// Registers the generation of configuration for existing objects.
    #[must_use]
    pub fn generate_config(mut self) -> Self
    where
        R: ResourceWithGenerateConfig,
    {
        self.generate_config = Some(Box::new(self.shared()));
        self
    }

    /// Registers the notice of stored states.
    #[must_use]
    pub fn stored_states(mut self) -> Self
    where
        R: ResourceWithStoredStates,
    {
        self.stored_states = Some(Box::new(self.shared()));
        self
    }

    /// Compiles the schemas.
    pub(crate) fn compile(self, name: &str, problems: &mut Diagnostics) -> Option<ResourceEntry> {
        let resource = self.resource;
        let schema = take_schema(name, problems, |diags| resource.schema(diags))?;
        let identity = self.identity.and_then(|identity| identity(&resource, name, problems));
        let list = self.list.and_then(|list| list(&resource, name, problems));
        Some(ResourceEntry {
            name: name.to_owned(),
            schema: compiled(name, &schema, problems),
            resource: Box::new(TypedResource(resource)),
            identity,
            list,
            generate_config: self.generate_config,
            stored_states: self.stored_states,
        })
    }
}

/// A resource, with the traits that it registers.
pub(crate) struct ResourceEntry {
    pub(crate) name: String,
    pub(crate) schema: CompiledSchema,
    pub(crate) resource: Box<dyn DynResource>,
    pub(crate) identity: Option<IdentityEntry>,
    pub(crate) list: Option<ListEntry>,
    pub(crate) generate_config: Option<Box<dyn DynGenerateConfig>>,
    pub(crate) stored_states: Option<Box<dyn DynStoredStates>>,
}

/// The identity of a resource.
pub(crate) struct IdentityEntry {
    pub(crate) message: pb::ResourceIdentitySchema,
    pub(crate) ty: Type,
    pub(crate) handler: Box<dyn DynIdentity>,
}

/// Something with one schema, and the provider's code for it.
pub(crate) struct Entry<H: ?Sized> {
    pub(crate) schema: CompiledSchema,
    pub(crate) handler: Box<H>,
}

pub(crate) type ListEntry = Entry<dyn DynListResource>;
pub(crate) type DataSourceEntry = Entry<dyn DynDataSource>;
pub(crate) type ProviderEntry = Entry<dyn DynProvider>;

/// What a provider serves, by name.
pub(crate) struct Registry {
    pub(crate) provider: Arc<ProviderEntry>,
    pub(crate) resources: BTreeMap<String, Arc<ResourceEntry>>,
    pub(crate) data_sources: BTreeMap<String, Arc<DataSourceEntry>>,
    /// The errors in the schemas. Hosts receive them with the schemas.
    pub(crate) problems: Diagnostics,
}

impl ProviderEntry {
    pub(crate) fn compile<P: Provider>(provider: P, problems: &mut Diagnostics) -> Self {
        const NAME: &str = "the provider";
        let schema = take_schema(NAME, problems, |diags| provider.schema(diags))
            .unwrap_or_else(|| Schema { version: 0, block: Block::default() });
        let schema = compiled(NAME, &schema, problems);
        Self { handler: Box::new(TypedProvider(provider)), schema }
    }
}

/// An entry of the registry. Each call of the protocol is for one.
pub(crate) trait Registered: Send + Sync + 'static {
    /// Returns the entry with this name.
    ///
    /// # Errors
    ///
    /// A diagnostic, because Terraform shows a gRPC status only as "Plugin error".
    fn find(registry: &Registry, name: &str) -> Result<Arc<Self>, Diagnostics>;
}

/// Returns the entry with this name, or the error that there is none.
fn find<E>(
    entries: &BTreeMap<String, Arc<E>>,
    what: &str,
    name: &str,
) -> Result<Arc<E>, Diagnostics> {
    entries.get(name).cloned().ok_or_else(|| {
        let mut diags = Diagnostics::default();
        let detail = format!("The provider has no {what} {name}.");
        error(&mut diags, format!("Unknown {what}"), detail);
        diags
    })
}

impl Registered for ProviderEntry {
    fn find(registry: &Registry, _: &str) -> Result<Arc<Self>, Diagnostics> {
        Ok(Arc::clone(&registry.provider))
    }
}

impl Registered for ResourceEntry {
    fn find(registry: &Registry, name: &str) -> Result<Arc<Self>, Diagnostics> {
        find(&registry.resources, "resource type", name)
    }
}

impl Registered for DataSourceEntry {
    fn find(registry: &Registry, name: &str) -> Result<Arc<Self>, Diagnostics> {
        find(&registry.data_sources, "data source", name)
    }
}

impl ResourceEntry {
    /// Returns the list resource of this type; `None` comes with an error.
    pub(crate) fn require_list(&self, diags: &mut Diagnostics) -> Option<&ListEntry> {
        if self.list.is_none() {
            let detail = format!("The provider cannot list {}.", self.name);
            error(diags, "Listing is not supported", detail);
        }
        self.list.as_ref()
    }
}

/// Calls the provider for a schema. Diagnostics are added to `problems`, with `name`.
pub(crate) fn take_schema<S>(
    name: &str,
    problems: &mut Diagnostics,
    ask: impl FnOnce(&mut Diagnostics) -> Option<S>,
) -> Option<S> {
    let mut diags = Diagnostics::default();
    let schema = ask(&mut diags);
    for diagnostic in diags.errors.iter_mut().chain(&mut diags.warnings) {
        diagnostic.summary = format!("{name}: {}", diagnostic.summary).into();
    }
    if schema.is_none() && diags.errors.is_empty() {
        error(&mut diags, "Missing schema", format!("{name} lacks a schema. {BUG}"));
    }
    problems.add_diagnostics(diags);
    schema
}

/// Compiles a schema. What is not served becomes a problem of `name`.
pub(crate) fn compiled(name: &str, schema: &Schema, problems: &mut Diagnostics) -> CompiledSchema {
    let mut wrong = Vec::new();
    let compiled = CompiledSchema::new(schema, &mut wrong);
    for what in wrong {
        error(problems, "Invalid schema", format!("{name}: {what}. {BUG}"));
    }
    compiled
}
