//! Connections that become one after a change of protocol.

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use super::upstream::Connection;
use crate::wire::Input;

/// Copies both ways until one side ends; what was read ahead goes first.
pub(super) async fn run<S: AsyncRead + AsyncWrite + Unpin>(
    client: &mut S,
    client_input: &mut Input,
    mut server: Connection,
) -> std::io::Result<()> {
    client.write_all(&server.input.buffer).await?;
    client.flush().await?;
    server.stream.write_all(&client_input.buffer).await?;
    server.stream.flush().await?;
    tokio::io::copy_bidirectional(client, &mut server.stream).await.map(|_| ())
}
