//! A function of floats.

use async_trait::async_trait;
use serde::Deserialize;
use tf_provider::schema::{Description, FunctionSchema, Parameter, Type};
use tf_provider::{Diagnostics, Function};

/// Returns a number and a fraction of it.
pub(crate) struct Share;

#[derive(Deserialize)]
pub(crate) struct ShareInput(f64, f64);

#[async_trait]
impl Function for Share {
    type Input<'a> = ShareInput;
    type Output<'a> = f64;

    fn schema(&self, _: &mut Diagnostics) -> Option<FunctionSchema> {
        let parameter = |name: &str| Parameter {
            name: name.to_owned(),
            param_type: Type::Number,
            allow_null: false,
            allow_unknown: false,
            description: Description::plain("A number."),
        };
        Some(FunctionSchema {
            parameters: vec![parameter("number"), parameter("parts")],
            variadic: None,
            return_type: Type::Number,
            summary: "Divides".to_owned(),
            description: Description::plain("Divides a number."),
            deprecated: None,
        })
    }

    async fn call<'a>(&self, _: &mut Diagnostics, input: ShareInput) -> Option<f64> {
        Some(input.0 / input.1)
    }
}
