//! The checks that hosts run on the plans and the results of a provider.

mod parts;
mod plan;
mod result;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use plan::Values;

use super::proto::tfplugin6::{
    Schema, apply_resource_change, get_provider_schema, plan_resource_change,
};
use crate::pb::tfplugin6::DynamicValue;
use crate::schema::of_block;
use crate::server::Server;
use crate::wire::{self, Fault, ObjectShape, Type, Value};

/// Terraform's checks of plans and results, without a host.
///
/// A plan must agree with the configuration, and a result with its plan. Otherwise Terraform
/// reports a bug in the provider, with the attribute and its values. These checks agree with those
/// of Terraform 1.15 in 60 recorded cases.
#[derive(Clone, Debug)]
pub struct HostChecks {
    resources: BTreeMap<String, ObjectShape>,
}

impl HostChecks {
    /// Returns the checks of what a provider registers.
    #[must_use]
    pub fn of(server: &Server) -> Self {
        Self::of_schema(&server.registry.provider_schema())
    }

    /// Returns the checks for a provider in another process, from the response to
    /// `GetProviderSchema`.
    #[must_use]
    pub fn of_schema(schema: &get_provider_schema::Response) -> Self {
        // A type that is not served is a problem of the registration.
        let unserved = &mut Vec::new();
        let mut shape = |schema: &Schema| {
            schema.block.as_ref().map(|block| of_block(block, unserved)).unwrap_or_default()
        };
        let resources = schema.resource_schemas.iter();
        Self { resources: resources.map(|(name, schema)| (name.clone(), shape(schema))).collect() }
    }

    /// Returns why a host would refuse a plan: a sentence for each attribute.
    #[must_use]
    pub fn plan(
        &self,
        request: &plan_resource_change::Request,
        response: &plan_resource_change::Response,
    ) -> Vec<String> {
        let ty = Type::Object(self.resources[&request.type_name].clone());
        let prior = decode(request.prior_state.as_ref(), &ty);
        let config = decode(request.config.as_ref(), &ty);
        let planned = decode(response.planned_state.as_ref(), &ty);
        // A destruction has no configuration.
        if planned.is_null() && config.is_null() {
            return Vec::new();
        }
        let values = Values { prior: &prior, config: &config, planned: &planned };
        sentences(plan::faults(shape(&ty), values))
    }

    /// Returns why a host would refuse the result of an apply: a sentence for each attribute.
    #[must_use]
    pub fn result(
        &self,
        request: &apply_resource_change::Request,
        response: &apply_resource_change::Response,
    ) -> Vec<String> {
        let ty = Type::Object(self.resources[&request.type_name].clone());
        let planned = decode(request.planned_state.as_ref(), &ty);
        let actual = decode(response.new_state.as_ref(), &ty);
        sentences(result::faults(&ty, &planned, &actual))
    }
}

fn shape(ty: &Type) -> &ObjectShape {
    ty.object().expect("the type of an object")
}

fn decode<'v>(value: Option<&'v DynamicValue>, ty: &Type) -> Value<'v> {
    let decoded = wire::decode(value.map_or(&[], |value| &value.msgpack), ty);
    assert!(decoded.faults.is_empty(), "a value of the schema: {:?}", decoded.faults);
    decoded.value
}

/// Returns each fault as a sentence that begins with its path.
fn sentences(faults: Vec<Fault>) -> Vec<String> {
    let sentence = |fault: Fault| match fault.path.steps.is_empty() {
        true => fault.what,
        false => format!("{}: {}", fault.path, fault.what),
    };
    faults.into_iter().map(sentence).collect()
}
