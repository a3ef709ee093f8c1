//! A function of floats.

use async_trait::async_trait;
use plugin_server::schema::new_function;
use serde::Deserialize;
use tf_provider::schema::{FunctionSchema, Type};
use tf_provider::{Diagnostics, Function};

pub(crate) struct Share;

#[derive(Deserialize)]
pub(crate) struct ShareInput(f64, f64);

#[async_trait]
impl Function for Share {
    type Input<'a> = ShareInput;
    type Output<'a> = f64;

    fn schema(&self, _: &mut Diagnostics) -> Option<FunctionSchema> {
        let parameters =
            [("number", Type::Number, "A number."), ("parts", Type::Number, "The parts.")];
        Some(new_function("Divides", "Divides a number.", parameters, Type::Number))
    }

    async fn call<'a>(&self, _: &mut Diagnostics, input: ShareInput) -> Option<f64> {
        Some(input.0 / input.1)
    }
}
