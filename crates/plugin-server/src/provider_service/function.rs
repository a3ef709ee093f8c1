//! Calling functions.

use std::sync::Arc;

use bytes::Bytes;
use tf_provider::{AttributePath, Diagnostics};

use super::call::About;
use super::held::{Held, Returned};
use super::{ProviderService, nothing_returned};
use crate::diagnostic::{error, to_function_error};
use crate::pb::tfplugin6 as pb;
use crate::registry::FunctionEntry;
use crate::wire::Type;

impl ProviderService {
    pub(super) async fn run_function(
        &self,
        request: pb::call_function::Request,
    ) -> pb::call_function::Response {
        let Some(entry) = self.function(&request.name) else {
            let text = format!("The provider has no function {}.", request.name);
            return pb::call_function::Response {
                result: None,
                error: Some(pb::FunctionError { text, function_argument: None }),
            };
        };
        let about = About::new("CallFunction", &request.name);
        let work = async move {
            let mut diags = Diagnostics::default();
            let result = call(&entry, &mut diags, request.arguments).await;
            if result.is_none() {
                nothing_returned(&mut diags, "Could not call the function", "result");
            }
            (result, diags)
        };
        let (result, diags) = self.run(about, work).await;
        match to_function_error(diags) {
            Some(error) => pb::call_function::Response { result: None, error: Some(error) },
            None => pb::call_function::Response {
                result: result.map(|msgpack| pb::DynamicValue {
                    msgpack: msgpack.into(),
                    json: Bytes::new(),
                }),
                error: None,
            },
        }
    }
}

/// Runs the function on one list of its arguments, variadic ones included.
async fn call(
    entry: &Arc<FunctionEntry>,
    diags: &mut Diagnostics,
    arguments: Vec<pb::DynamicValue>,
) -> Option<Vec<u8>> {
    let schema = &entry.schema;
    let (sent, fixed) = (arguments.len(), schema.parameters.len());
    if sent < fixed || (sent > fixed && schema.variadic.is_none()) {
        let detail = format!("{} takes {fixed} arguments, not {sent}.", entry.name);
        error(diags, "Wrong number of arguments", detail);
        return None;
    }
    let parameters = schema.parameters.iter().chain(schema.variadic.iter().cycle());
    let mut types = Vec::with_capacity(sent);
    let mut list = Vec::new();
    // Writing to a vector cannot fail.
    let _ = rmp::encode::write_array_len(&mut list, u32::try_from(sent).unwrap_or(u32::MAX));
    for (index, (argument, parameter)) in arguments.into_iter().zip(parameters).enumerate() {
        let ty = Type::of_function(&parameter.param_type);
        let mut found = Diagnostics::default();
        let held = Held::read(
            &mut found,
            Some(argument),
            &ty,
            &format!("The argument {}", parameter.name),
        );
        for diagnostic in &mut found.errors {
            let at = i64::try_from(index).unwrap_or(i64::MAX);
            diagnostic.attribute = AttributePath::function_argument(at);
        }
        diags.add_diagnostics(found);
        match held {
            Some(held) if held.bytes().is_empty() => list.push(0xc0),
            Some(held) => list.extend_from_slice(held.bytes()),
            None => return None,
        }
        types.push(ty);
    }
    let bytes = entry.function.call(diags, &Type::Tuple(types), &list).await?;
    const RESULT: &str = "The function's result";
    let decoded = crate::wire::decode(&bytes, &entry.returns);
    if decoded.faults.is_empty() && decoded.value.is_null() {
        return Some(bytes);
    }
    let returned = Returned::read(diags, &bytes, &entry.returns, RESULT);
    let rewritten = returned.rewritten();
    Some(rewritten.unwrap_or(bytes))
}
