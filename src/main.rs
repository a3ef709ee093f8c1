//! The plugin's process: Terraform starts it and speaks to it over gRPC.

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    terraform_provider_access::serve().await
}
