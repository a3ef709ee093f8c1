//! The read-back after a write, which shows whether reads work and which fields they omit.

use access_client::ErrorKind;

use super::private_state::ObjectPrivateState;
use super::{Object, stale};
use crate::service::{ReadBack, Service};

/// Reads one written object back per parent and run, to find out whether the service offers reads.
/// Records the finding in the private state of this object. `None` if the read was interrupted.
pub(crate) async fn probe_reads<O: Object>(
    service: &Service,
    written: &O,
    private: &mut ObjectPrivateState,
) -> Option<ReadBack<O>> {
    let name = written.name();
    let read = || read_back(service, written);
    let read_back = O::run(service).read_back(O::parent(name), read).await?;
    match &read_back {
        ReadBack::Current(object) => {
            private.reads = true;
            private.seen = object.name() == name;
        }
        ReadBack::Older => private.reads = true,
        ReadBack::Nothing => {}
    }
    Some(read_back)
}

/// Reads an object that was just written. `None` if the read was interrupted, which shows nothing
/// about the service.
pub(crate) async fn read_back<O: Object>(service: &Service, written: &O) -> Option<ReadBack<O>> {
    match O::get(&service.client, written.name()).await {
        Ok(response) => {
            let older = stale::is_older(response.object.update_time(), written.update_time());
            Some(if older { ReadBack::Older } else { ReadBack::Current(response.object) })
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => None,
        Err(_) => Some(ReadBack::Nothing),
    }
}
