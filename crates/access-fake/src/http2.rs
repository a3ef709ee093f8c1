//! HTTP/2 connections that refuse streams while others are open, like a load balancer that drains
//! its connections.
//!
//! Libraries shut down gracefully: they process every stream that a client has opened. This module
//! therefore works on frames (RFC 9113, section 4): it forwards them between the client and the
//! library, withholds the streams to refuse, and adds a GOAWAY frame of its own.

use std::collections::BTreeSet;
use std::io;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, split};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The first bytes of an HTTP/2 connection (RFC 9113, section 3.4).
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const FRAME_HEADER: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const GOAWAY: u8 = 7;
/// The flag of DATA and HEADERS frames that end a stream.
const END_STREAM: u8 = 1;
/// The time in which a client must close a connection that refuses streams. Only a client that has
/// stopped needs it.
const DRAIN_TIME: Duration = Duration::from_secs(30);
/// The buffer size between the client and the library. Any size works.
pub(crate) const BUFFER: usize = 64 << 10;

/// Returns whether a client begins a connection with HTTP/2.
pub(crate) async fn is_http2(stream: &TcpStream) -> bool {
    // No method of the API begins with `PRI`, but `PATCH` shares its first letter.
    let mut start = [0; 2];
    loop {
        match stream.peek(&mut start).await {
            Ok(2) => return PREFACE.starts_with(&start),
            Ok(1) if PREFACE.starts_with(&start[..1]) => tokio::task::yield_now().await,
            _ => return false,
        }
    }
}

/// Forwards frames between a client and the library. After a number of streams, refuses further
/// ones with GOAWAY, and ends when the accepted streams have their responses.
pub(crate) async fn refuse_streams(client: TcpStream, library: DuplexStream, after: u64) {
    let (client_reader, client_writer) = client.into_split();
    let (library_reader, library_writer) = split(library);
    let streams = Streams::new(after);
    let mut requests = pin!(async {
        let mut library_writer = library_writer;
        let _ = forward_requests(client_reader, &mut library_writer, &streams).await;
        // Dropping the writer would not end the library's input.
        let _ = library_writer.shutdown().await;
    });
    let mut responses = pin!(forward_responses(library_reader, client_writer, &streams));
    tokio::select! {
        () = requests.as_mut() => {
            let _ = responses.await;
        }
        _ = responses.as_mut() => {
            // Closing with unread data would reset the connection and lose the last responses.
            let _ = timeout(DRAIN_TIME, requests).await;
        }
    }
}

/// The streams of a connection.
struct Streams {
    state: Mutex<State>,
    refused: Notify,
}

#[derive(Default)]
struct State {
    /// The number of streams that are still accepted.
    left: u64,
    /// The accepted streams without a complete response.
    open: BTreeSet<u32>,
    /// The last accepted stream.
    last: u32,
    is_refusing: bool,
}

impl Streams {
    fn new(after: u64) -> Self {
        let state = State { left: after, ..State::default() };
        Self { state: Mutex::new(state), refused: Notify::new() }
    }

    /// Returns whether a frame of the client is forwarded.
    fn accept(&self, frame: &Frame) -> bool {
        let mut state = self.lock();
        let is_new = frame.kind == HEADERS && frame.stream > state.last && !state.is_refusing;
        if is_new && state.left == 0 {
            state.is_refusing = true;
            self.refused.notify_one();
        } else if is_new {
            state.left -= 1;
            state.last = frame.stream;
            state.open.insert(frame.stream);
        }
        !state.is_refusing || frame.stream <= state.last
    }

    /// Records a frame of the library. Returns whether it was the last of the connection.
    fn finish(&self, frame: &Frame) -> bool {
        let mut state = self.lock();
        if frame.ends_stream() {
            state.open.remove(&frame.stream);
        }
        state.is_refusing && state.open.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Frame {
    kind: u8,
    flags: u8,
    /// 0 for frames of the connection.
    stream: u32,
    /// The whole frame, with its header.
    bytes: Vec<u8>,
}

impl Frame {
    async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Self> {
        let mut header = [0; FRAME_HEADER];
        from.read_exact(&mut header).await?;
        let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = header;
        let length = u32::from_be_bytes([0, l0, l1, l2]);
        let mut bytes = header.to_vec();
        // Frames have at most 2^24 bytes.
        bytes.resize(FRAME_HEADER + length as usize, 0);
        from.read_exact(bytes.get_mut(FRAME_HEADER..).unwrap_or_default()).await?;
        // The first bit is reserved.
        let stream = u32::from_be_bytes([s0, s1, s2, s3]) & 0x7fff_ffff;
        Ok(Self { kind, flags, stream, bytes })
    }

    fn ends_stream(&self) -> bool {
        match self.kind {
            DATA | HEADERS => self.flags & END_STREAM != 0,
            kind => kind == RST_STREAM,
        }
    }
}

/// Returns a GOAWAY frame without an error.
fn goaway(last: u32) -> Vec<u8> {
    let mut frame = vec![0, 0, 8, GOAWAY, 0, 0, 0, 0, 0];
    frame.extend(last.to_be_bytes());
    frame.extend([0; 4]);
    frame
}

async fn forward_requests(
    mut client: impl AsyncRead + Unpin,
    library: &mut (impl AsyncWrite + Unpin),
    streams: &Streams,
) -> io::Result<()> {
    let mut preface = [0; PREFACE.len()];
    client.read_exact(&mut preface).await?;
    library.write_all(&preface).await?;
    loop {
        let frame = Frame::read(&mut client).await?;
        if streams.accept(&frame) {
            library.write_all(&frame.bytes).await?;
        }
    }
}

async fn forward_responses(
    mut library: impl AsyncRead + Unpin,
    mut client: impl AsyncWrite + Unpin,
    streams: &Streams,
) -> io::Result<()> {
    loop {
        let frame = {
            let mut next = pin!(Frame::read(&mut library));
            loop {
                tokio::select! {
                    frame = next.as_mut() => break frame?,
                    () = streams.refused.notified() => {
                        let (last, is_done) = {
                            let state = streams.lock();
                            (state.last, state.open.is_empty())
                        };
                        client.write_all(&goaway(last)).await?;
                        if is_done {
                            return client.shutdown().await;
                        }
                    }
                }
            }
        };
        client.write_all(&frame.bytes).await?;
        if streams.finish(&frame) {
            // GOAWAY is sent here as well, because the last frame can be read before the
            // notification.
            let last = streams.lock().last;
            client.write_all(&goaway(last)).await?;
            return client.shutdown().await;
        }
    }
}
