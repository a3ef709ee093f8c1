//! The local service, with the operations that tests need.

use std::ops::Deref;

use access_fake::{
    Absence, Fake, Fault, HiddenObject, LagRule, OmittedFields, Presence, Rank, Request,
    ResponseTo, Running, World,
};
use serde_json::{Value, json};

use super::Workspace;
use super::fixtures::Configuration;

/// A service of its own for each test, on a port of its own.
pub(crate) struct Service(Running);

impl Deref for Service {
    type Target = access_fake::Service;

    fn deref(&self) -> &Self::Target {
        self.0.service()
    }
}

impl Service {
    /// Returns a service with every operation.
    pub(crate) fn full() -> Self {
        Self::start(World::default())
    }

    /// Returns a service with the two documented operations. It responds to the others with this
    /// status.
    pub(crate) fn documented_only(status: u16) -> Self {
        Self::start(World::documented_only(Absence::of_status(status).expect("an absence")))
    }

    pub(crate) fn start(world: World) -> Self {
        Self(Fake::start_blocking(world).expect("the local service listens"))
    }

    /// Returns the same service under another address.
    pub(crate) fn elsewhere(&self) -> Self {
        let any_port = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        let running = Running::start_blocking(self.local().clone(), any_port);
        Self(running.expect("a second address"))
    }

    /// Returns a service with every operation whose integration `okta` has no owners.
    pub(crate) fn with_empty_okta() -> Self {
        let service = Self::full();
        service.remove_owner("okta", "founder");
        service
    }

    /// Returns a service with every operation, and an empty workspace.
    pub(crate) fn with_workspace() -> (Self, Workspace) {
        let service = Self::full();
        let workspace = service.workspace();
        (service, workspace)
    }

    /// Returns a service with every operation, and a workspace that has applied a configuration.
    pub(crate) fn with_applied(configuration: impl Configuration) -> (Self, Workspace) {
        let service = Self::full();
        let workspace = service.applied(configuration);
        (service, workspace)
    }

    /// Returns a workspace with a configuration.
    pub(crate) fn configured(&self, configuration: impl Configuration) -> Workspace {
        let workspace = self.workspace();
        workspace.configure(configuration);
        workspace
    }

    /// Returns a workspace that has applied a configuration, and forgets the requests.
    pub(crate) fn applied(&self, configuration: impl Configuration) -> Workspace {
        let workspace = self.configured(configuration);
        workspace.apply().succeeds();
        self.clear_requests();
        workspace
    }

    /// Returns an empty workspace with an admin's key.
    pub(crate) fn workspace(&self) -> Workspace {
        self.workspace_with_key("admin-key")
    }

    /// Adds an admin's key, such as one that a test looks for in texts.
    pub(crate) fn add_admin_key(&self, key: &str) {
        self.put_key("canary", key, Rank::Admin);
    }

    pub(crate) fn workspace_with_key(&self, key: &str) -> Workspace {
        Workspace::new(&self.base_url(), key).of_service(self.local().clone())
    }

    /// Returns the local service, whose methods of the same names return results.
    pub(crate) fn local(&self) -> &access_fake::Service {
        self.0.service()
    }

    pub(crate) fn base_url(&self) -> String {
        self.0.base_url()
    }

    pub(crate) fn address(&self) -> std::net::SocketAddr {
        self.0.address()
    }

    pub(crate) fn put_listing(&self, listing: &str) {
        self.put_parent(&format!("listings/{listing}")).expect("a listing");
    }

    pub(crate) fn put_integration(&self, integration: &str) {
        self.put_parent(&format!("integrations/{integration}")).expect("an integration");
    }

    pub(crate) fn role(&self, listing: &str, role: &str) -> Option<Value> {
        self.object(&role_name(listing, role))
    }

    pub(crate) fn roles(&self, listing: &str) -> Vec<Value> {
        self.objects(&format!("listings/{listing}"))
    }

    pub(crate) fn owner(&self, integration: &str, id: &str) -> Option<Value> {
        self.object(&owner_name(integration, id))
    }

    pub(crate) fn owners(&self, integration: &str) -> Vec<Value> {
        self.objects(&format!("integrations/{integration}"))
    }

    /// Adds a role that exists before a configuration describes it.
    pub(crate) fn put_role(&self, listing: &str, role: &str, fields: Value) {
        self.put(&role_name(listing, role), &fields).expect("a role");
    }

    /// Changes fields of a role outside Terraform; null clears a field.
    pub(crate) fn change_role(&self, listing: &str, role: &str, fields: Value) {
        self.change(&role_name(listing, role), &fields).expect("a change");
    }

    /// Removes a role, as if it had never existed.
    pub(crate) fn remove_role(&self, listing: &str, role: &str) {
        assert!(self.remove(&role_name(listing, role)), "there was a role");
    }

    /// Deletes a role some time after its create, as the service does.
    pub(crate) fn soft_delete_role(&self, listing: &str, role: &str) {
        assert!(self.delete(&role_name(listing, role)), "there was a role");
    }

    /// Adds an owner that exists before a configuration describes it.
    pub(crate) fn put_owner(&self, integration: &str, id: &str, owner: &str) {
        let fields = json!({ "owner": owner });
        self.put(&owner_name(integration, id), &fields).expect("an owner");
    }

    /// Removes an owner some time after its create, as if it had never existed.
    pub(crate) fn remove_owner(&self, integration: &str, id: &str) {
        assert!(self.remove(&owner_name(integration, id)), "there was an owner");
    }

    /// Returns the number of owners of an integration that are this user, group or team.
    pub(crate) fn owners_named(&self, integration: &str, owner: &str) -> usize {
        self.owner_ids(integration, owner).len()
    }

    /// Returns the display name of a role of the listing `github`; null if the role does not exist.
    pub(crate) fn display_name(&self, role: &str) -> Value {
        self.role("github", role).unwrap_or_default()["displayName"].clone()
    }

    /// Returns the principals that own an integration, in order.
    pub(crate) fn principals(&self, integration: &str) -> Vec<String> {
        let owners = self.owners(integration);
        let mut principals: Vec<String> =
            owners.iter().filter_map(|owner| owner["owner"].as_str().map(str::to_owned)).collect();
        principals.sort();
        principals
    }

    /// Returns the IDs under which a principal owns an integration.
    pub(crate) fn owner_ids(&self, integration: &str, principal: &str) -> Vec<String> {
        let owners = self.owners(integration);
        let names = owners.iter().filter(|entry| entry["owner"] == principal);
        let id = |entry: &Value| entry["name"].as_str()?.rsplit('/').next().map(str::to_owned);
        names.filter_map(id).collect()
    }

    /// Removes the one owner of an integration that is this principal.
    pub(crate) fn remove_principal(&self, integration: &str, principal: &str) {
        let ids = self.owner_ids(integration, principal);
        assert_eq!(ids.len(), 1, "{principal}: {ids:?}");
        self.remove_owner(integration, &ids[0]);
    }

    /// Adds the role `viewer` of `github`, which nothing manages.
    pub(crate) fn put_viewer(&self) {
        self.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "0"}));
    }

    /// Adds objects of others: the role `viewer` and the owner `users/ada` of `github`.
    pub(crate) fn put_theirs(&self) {
        let fields = json!({"displayName": "Theirs", "priority": "7", "resources": ["repo/old"]});
        self.put_role("github", "viewer", fields);
        self.put_owner("github", "own-7", "users/ada");
    }

    /// Makes so many reads of each kind lag behind each write of an object.
    pub(crate) fn lag(&self, reads: u32) {
        self.change_world(|world| world.lags = vec![LagRule { reads, ..LagRule::default() }]);
    }

    /// Omits fields from these responses, or from all if there are none.
    pub(crate) fn omit(&self, fields: &[&str], responses: &[ResponseTo]) {
        let fields = fields.iter().map(|&field| field.to_owned()).collect();
        let omitted = OmittedFields { fields, responses: responses.to_vec(), object: None };
        self.change_world(|world| world.omitted_fields.push(omitted));
    }

    /// Omits an object from lists, and responds with this status to its GET, if there is one.
    pub(crate) fn hide(&self, object: &str, get: Option<u16>) {
        let object = object.to_owned();
        let rule = HiddenObject { object, get, omit_from_list: true, ..Default::default() };
        self.change_world(|world| world.hidden.push(rule));
    }

    /// Lets the service respond to lists with 405.
    pub(crate) fn without_lists(&self) {
        let absent = Presence::Absent(Absence::MethodNotAllowed);
        self.change_world(|world| {
            world.operations.roles.list = absent;
            world.operations.owners.list = absent;
        });
    }

    /// Responds with this to every request of a method and does not process it.
    pub(crate) fn respond_to_all(&self, method: &str, status: u16, body: &str) {
        self.clear_faults();
        self.add_fault(Fault::respond(status, body).on(method));
    }

    /// Responds with this to every list of roles.
    pub(crate) fn respond_to_lists(&self, status: u16, body: &str) {
        self.clear_faults();
        self.add_fault(Fault::respond(status, body).on("GET").at("*/roles"));
    }

    /// Returns the number of requests of a method since the log was cleared.
    pub(crate) fn requests_of(&self, method: &str) -> usize {
        self.requests().iter().filter(|request| request.method == method).count()
    }

    /// Returns the requests that can change data since the log was cleared.
    pub(crate) fn writes(&self) -> Vec<Request> {
        self.requests().into_iter().filter(Request::is_write).collect()
    }
}

fn role_name(listing: &str, role: &str) -> String {
    format!("listings/{listing}/roles/{role}")
}

fn owner_name(integration: &str, id: &str) -> String {
    format!("integrations/{integration}/owners/{id}")
}
