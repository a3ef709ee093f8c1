//! CallFunction.

use tf_provider::{AttributePath, Diagnostics};

use super::call::Call;
use super::values::{Returned, msgpack_value, read_value};
use crate::context::CallInfo;
use crate::diagnostic::error;
use crate::dynamic::Input;
use crate::pb::tfplugin6 as pb;
use crate::pb::tfplugin6::call_function::{Request, Response};
use crate::registry::FunctionEntry;
use crate::wire::{self, Type};

impl Call for Request {
    const RPC: &'static str = "CallFunction";
    const FAILURE: &'static str = "Could not call the function";
    type Entry = FunctionEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let (types, arguments) = read_arguments(entry, diags, self.arguments)?;
        let ty = Type::Tuple(types);
        let mut bytes = entry.function.call(diags, &Input::new(arguments, &ty)).await?;
        // Unlike a state, a result may be null.
        if bytes != [wire::NIL] {
            let lead = "The function's result";
            bytes = Returned::read(diags, bytes, &entry.returns, lead, &[]).bytes;
        }
        let result = Some(msgpack_value(bytes));
        Some(Response { result, error: None })
    }
}

/// Returns the types of the arguments, and all arguments as one list, which ends with the variadic
/// ones.
fn read_arguments(
    entry: &FunctionEntry,
    diags: &mut Diagnostics,
    arguments: Vec<pb::DynamicValue>,
) -> Option<(Vec<Type>, Vec<u8>)> {
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
        let ty = Type::of(&parameter.param_type);
        let mut found = Diagnostics::default();
        let lead = format!("The argument {}", parameter.name);
        let value = read_value(&mut found, Some(argument), &ty, &lead);
        for diagnostic in &mut found.errors {
            let index = i64::try_from(index).unwrap_or(i64::MAX);
            diagnostic.attribute = AttributePath::function_argument(index);
        }
        diags.add_diagnostics(found);
        let value = value?;
        list.extend_from_slice(if value.bytes().is_empty() { &[wire::NIL] } else { value.bytes() });
        types.push(ty);
    }
    Some((types, list))
}
