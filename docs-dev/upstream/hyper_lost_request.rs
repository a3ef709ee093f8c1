//! Sends a request while its HTTP/2 connection is dropped on another thread, and counts the
//! requests that get neither a response nor an error.
#![allow(clippy::print_stdout, reason = "a program of its own, for a terminal")]

use std::error::Error;
use std::future::Future as _;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::task::{Context, Waker};
use std::thread::{scope, yield_now};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http2::{Connection, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{DuplexStream, duplex};

type Http2 = Connection<TokioIo<DuplexStream>, Empty<Bytes>, TokioExecutor>;
const RUNS: usize = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let (step, (pass, connections)) = (&AtomicUsize::new(0), channel::<Http2>());
    let wait_for = |value| {
        while step.load(SeqCst) < value {
            yield_now();
        }
    };
    scope(|scope| {
        scope.spawn(move || {
            for (run, connection) in connections.iter().enumerate() {
                step.fetch_add(1, SeqCst);
                wait_for(3 * run + 2);
                drop(connection);
                step.fetch_add(1, SeqCst);
            }
        });
        let mut lost = 0;
        for run in 0..RUNS {
            let (stream, _server) = duplex(1024);
            let handshake = handshake(TokioExecutor::new(), TokioIo::new(stream));
            let (mut sender, connection) = runtime.block_on(handshake)?;
            pass.send(connection)?;
            step.fetch_add(1, SeqCst);
            wait_for(3 * run + 2);
            let response = pin!(sender.send_request(hyper::Request::new(Empty::new())));
            // From here on the connection is gone.
            wait_for(3 * run + 3);
            lost +=
                usize::from(response.poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        drop(pass);
        println!("{lost} of {RUNS} requests never end");
        Ok(())
    })
}
