//! What decides about the create of a listing role.

use std::time::Duration;

use access_client::ErrorKind;
use access_client::api::ListingRole;
use tokio::time::timeout;

use crate::object::Check;
use crate::object::existence::{Adoption, Existence, check_by_get, existence_of};
use crate::service::{InList, Purpose, Session};

/// The time for a GET in a plan after its list has failed.
const LAST_READ: Duration = Duration::from_secs(1);

impl Check for ListingRole {
    /// Checks by GET, or in plans of many roles by the list.
    async fn check(
        session: &Session,
        subject: &Self::Name,
        purpose: Purpose,
        _own: Option<&Self::Name>,
    ) -> Existence<Self> {
        if purpose != Purpose::Decide && !session.roles.of(&subject.listing).take_get() {
            match session.roles.look_up(&session.client, subject, purpose).await {
                (_, Ok(Some(role))) => return existence_of(session, role),
                (InList::Lacks, _) => return Existence::Absent,
                // The list has used up the time that the checks of a plan may take. A GET may
                // succeed where the list is slow. A GET that is throttled is given up as well.
                (_, Err(error))
                    if matches!(error.kind(), ErrorKind::Server | ErrorKind::Unreachable) =>
                {
                    let read = check_by_get(session, subject, Purpose::Confirm);
                    return timeout(LAST_READ, read).await.unwrap_or(Existence::Failed(error));
                }
                _ => {}
            }
        }
        check_by_get(session, subject, purpose).await
    }

    fn adoption(planned: &Self::State) -> Adoption {
        Adoption::by(&[
            ("adopt_existing", &planned.adopt_existing, true),
            ("allow_missing", &planned.allow_missing, false),
        ])
    }

    fn must_exist(planned: &Self::State) -> bool {
        planned.allow_missing.as_ref_option() == Some(&false)
    }
}
