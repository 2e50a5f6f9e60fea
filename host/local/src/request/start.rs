//! Starting, cancelling and freeing requests (MPI-5.0 §3.7.3, §3.8.4, §3.9).

use rankine_abi::{MPI_ERR_REQUEST, Request};

use super::{Activity, no_request};
use crate::error::{Error, Result};
use crate::rank::Rank;

/// `MPI_Start`
pub fn start(r: &Rank, request: Request) -> Result<Request> {
    let starter = r.entry(request, |entry| match (&entry.persistent, &entry.activity) {
        (None, _) => Err(Error::new(MPI_ERR_REQUEST, "the request is not persistent, so it cannot be started")),
        (Some(_), activity) if !matches!(activity, Activity::Inactive) => {
            Err(Error::new(MPI_ERR_REQUEST, "the persistent request is active: it was started and not yet completed"))
        }
        (Some(persistent), _) => Ok(persistent.starter.clone()),
    })??;
    let activity = starter(r)?;
    let goes_on = matches!(activity, Activity::Future(_));
    r.entry(request, |entry| entry.activity = activity)?;
    if goes_on {
        r.go_on(request);
    }
    Ok(request)
}

/// `MPI_Startall`
pub fn startall(r: &Rank, requests: &[Request]) -> Result<Vec<Request>> {
    for (index, &request) in requests.iter().enumerate() {
        start(r, request).map_err(|error| Error::new(error.class, format!("request {index} of the array: {error}")))?;
    }
    Ok(requests.to_vec())
}

/// `MPI_Request_free`: an active request goes on, and is forgotten when it is complete.
pub async fn request_free(r: &Rank, request: Request) -> Result<Request> {
    if request == Request::NULL {
        return Err(no_request(request));
    }
    r.check_request(request)?;
    let general = r.entry(request, |entry| match &entry.activity {
        Activity::General(general) if general.is_complete() => Some(general.clone()),
        _ => None,
    })?;
    if let Some(general) = general {
        r.detach(request);
        general.free(r).await?;
    } else if r.is_settled(request) {
        r.discard(request);
    } else {
        r.abandon(request);
    }
    Ok(Request::NULL)
}

/// `MPI_Cancel`: a receive that has not been matched is cancelled, and so is a send; anything else goes on.
pub async fn cancel(r: &Rank, request: Request) -> Result<Request> {
    if request == Request::NULL {
        return Err(no_request(request));
    }
    let (operation, general) = r.entry(request, |entry| match &entry.activity {
        Activity::Inactive => Err(Error::new(MPI_ERR_REQUEST, "the persistent request is not active")),
        Activity::General(general) => Ok((None, Some(general.clone()))),
        activity => Ok((activity.operation(), None)),
    })??;
    if let Some(operation) = operation {
        r.cancel_operation(operation);
    }
    if let Some(general) = general {
        general.cancel(r).await?;
    }
    Ok(request)
}
