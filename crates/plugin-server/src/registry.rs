//! Everything that is registered, with its compiled schemas.
//!
//! Hosts may skip the schema calls, so the schemas are compiled at registration.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;
use tf_provider::schema::{Block, Schema};
use tf_provider::{Diagnostics, Provider, Resource};

use crate::diagnostic::{BUG, error};
use crate::dynamic::{
    DynDataSource, DynProvider, DynResource, Family, Fit, TypedProvider, TypedResource,
};
use crate::pb::tfplugin6 as pb;
use crate::resource::{
    DynGenerateConfig, DynIdentity, DynListResource, DynUpgradeState, IdentityOf, ListConfigOf,
    ListResource, ResourceWithGenerateConfig, ResourceWithIdentity, ResourceWithUpgradeState,
};
use crate::schema::{self, CompiledSchema};
use crate::wire::{Field, ObjectShape, Role, Type};

/// The registration of a resource, in the closure of
/// [`Builder::resource_with`](crate::Builder::resource_with).
pub struct Registration<R> {
    resource: Arc<R>,
    upgrade: Option<Box<dyn DynUpgradeState>>,
    identity: Option<CompileEntry<R, IdentityEntry>>,
    list: Option<CompileEntry<R, ListEntry>>,
    generate_config: Option<Box<dyn DynGenerateConfig>>,
}

/// Compiles a further schema of a resource, with the name of the resource in its problems.
type CompileEntry<R, E> = fn(&Arc<R>, &str, &mut Diagnostics) -> Option<E>;

impl<R: Resource + 'static> Registration<R> {
    pub(crate) fn new(resource: R) -> Self {
        Self {
            resource: Arc::new(resource),
            upgrade: None,
            identity: None,
            list: None,
            generate_config: None,
        }
    }

    fn shared(&self) -> TypedResource<R> {
        TypedResource(Arc::clone(&self.resource))
    }

    /// Registers the upgrades of states of prior schema versions.
    #[must_use]
    pub fn upgrade_state(mut self) -> Self
    where
        R: ResourceWithUpgradeState,
    {
        self.upgrade = Some(Box::new(self.shared()));
        self
    }

    /// Registers the identity, and the import by identity.
    #[must_use]
    pub fn identity(mut self) -> Self
    where
        R: ResourceWithIdentity,
    {
        self.identity = Some(|resource, name, problems| {
            let schema = take_schema(name, problems, |diags| resource.identity_schema(diags))?;
            let fields = schema.attributes.iter().filter_map(|(name, attribute)| {
                let role = Role::Attribute {
                    required: attribute.required_for_import,
                    optional: !attribute.required_for_import,
                    computed: false,
                };
                Some(Field { name: name.clone(), ty: Type::of(&attribute.attr_type)?, role })
            });
            let shape = ObjectShape::new(fields.collect());
            if shape.fields.len() < schema.attributes.len() {
                let detail = format!("{name}: the identity has an attribute of any type. {BUG}");
                error(problems, "Invalid schema", detail);
            }
            Some(IdentityEntry {
                version: schema.version,
                message: schema::identity(&schema),
                ty: Type::Object(shape),
                fit: Fit::of::<IdentityOf<R>>(),
                handler: Box::new(TypedResource(Arc::clone(resource))),
            })
        });
        self
    }

    /// Registers the list resource, and the identity, because every listed object has one.
    #[must_use]
    pub fn list_resource(mut self) -> Self
    where
        R: ListResource,
    {
        self.list = Some(|resource, name, problems| {
            let schema = take_schema(name, problems, |diags| resource.list_schema(diags))?;
            let schema = compiled::<ListConfigOf<R>>(name, &schema, problems);
            let handler = Box::new(TypedResource(Arc::clone(resource)));
            Some(ListEntry { schema, handler, meta: None })
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

    /// Compiles the schemas.
    pub(crate) fn compile(
        self,
        name: &str,
        meta: Option<Type>,
        problems: &mut Diagnostics,
    ) -> Option<ResourceEntry> {
        let resource = self.resource;
        let schema = take_schema(name, problems, |diags| resource.schema(diags))?;
        let identity = self.identity.and_then(|identity| identity(&resource, name, problems));
        let list = self.list.and_then(|list| list(&resource, name, problems));
        Some(ResourceEntry {
            name: name.to_owned(),
            schema: compiled::<TypedResource<R>>(name, &schema, problems),
            resource: Box::new(TypedResource(resource)),
            meta,
            upgrade: self.upgrade,
            identity,
            list,
            generate_config: self.generate_config,
        })
    }
}

/// A resource, with the traits that it registers.
pub(crate) struct ResourceEntry {
    pub(crate) name: String,
    pub(crate) schema: CompiledSchema,
    pub(crate) resource: Box<dyn DynResource>,
    /// The schema of `provider_meta`, if it has attributes or blocks.
    pub(crate) meta: Option<Type>,
    pub(crate) upgrade: Option<Box<dyn DynUpgradeState>>,
    pub(crate) identity: Option<IdentityEntry>,
    pub(crate) list: Option<ListEntry>,
    pub(crate) generate_config: Option<Box<dyn DynGenerateConfig>>,
}

/// The identity of a resource.
pub(crate) struct IdentityEntry {
    pub(crate) version: i64,
    pub(crate) message: pb::ResourceIdentitySchema,
    pub(crate) ty: Type,
    #[cfg_attr(not(feature = "testkit"), allow(dead_code, reason = "only tests compare them"))]
    pub(crate) fit: Fit,
    pub(crate) handler: Box<dyn DynIdentity>,
}

/// Something with one schema, and the provider's code for it.
pub(crate) struct Entry<H: ?Sized> {
    pub(crate) schema: CompiledSchema,
    pub(crate) handler: Box<H>,
    /// The schema of `provider_meta`, if it has attributes or blocks.
    pub(crate) meta: Option<Type>,
}

pub(crate) type ListEntry = Entry<dyn DynListResource>;
pub(crate) type DataSourceEntry = Entry<dyn DynDataSource>;
pub(crate) type ProviderEntry = Entry<dyn DynProvider>;

/// What a provider serves, by name.
pub(crate) struct Registry {
    pub(crate) provider: Arc<ProviderEntry>,
    /// The schema of `provider_meta`, if it has attributes or blocks.
    pub(crate) meta: Option<CompiledSchema>,
    pub(crate) resources: BTreeMap<String, Arc<ResourceEntry>>,
    pub(crate) data_sources: BTreeMap<String, Arc<DataSourceEntry>>,
    /// The errors in the schemas. Hosts receive them with the schemas.
    pub(crate) problems: Diagnostics,
}

impl ProviderEntry {
    /// Returns the provider, and its schema of `provider_meta` if that has attributes or blocks.
    pub(crate) fn compile<P: Provider>(
        provider: P,
        problems: &mut Diagnostics,
    ) -> (Self, Option<CompiledSchema>) {
        const NAME: &str = "the provider";
        let schema = take_schema(NAME, problems, |diags| provider.schema(diags))
            .unwrap_or_else(|| Schema { version: 0, block: Block::default() });
        let schema = compiled::<TypedProvider<P>>(NAME, &schema, problems);
        let meta = take_schema("provider_meta", problems, |diags| provider.meta_schema(diags))
            .filter(|meta| !meta.block.attributes.is_empty() || !meta.block.blocks.is_empty())
            .map(|meta| compiled::<MetaOf<P>>("provider_meta", &meta, problems));
        let mut diags = Diagnostics::default();
        let unreachable = provider.get_resources(&mut diags).map_or(0, |all| all.len())
            + provider.get_data_sources(&mut diags).map_or(0, |all| all.len())
            + provider.get_functions(&mut diags).map_or(0, |all| all.len());
        if unreachable > 0 {
            let detail = format!(
                "The provider implements tf-provider's get_resources, get_data_sources or \
                 get_functions, whose results cannot be served. Register their resources in \
                 `Server::builder`: see \"Port a provider\" in the README of plugin-server. {BUG}"
            );
            error(problems, "Unusable registration", detail);
        }
        (Self { handler: Box::new(TypedProvider(provider)), schema, meta: None }, meta)
    }
}

/// The metadata of a provider.
struct MetaOf<P>(PhantomData<P>);

impl<P: Provider> Family for MetaOf<P> {
    type Of<'a> = P::MetaState<'a>;
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

/// Compiles the schema of the values of `F`. What is not served becomes a problem of `name`.
pub(crate) fn compiled<F: Family>(
    name: &str,
    schema: &Schema,
    problems: &mut Diagnostics,
) -> CompiledSchema
where
    for<'a> F::Of<'a>: Serialize,
{
    let mut wrong = Vec::new();
    let compiled = CompiledSchema::new::<F>(schema, &mut wrong);
    for what in wrong {
        error(problems, "Invalid schema", format!("{name}: {what}. {BUG}"));
    }
    compiled
}
