//! Writer of the stream in msgpack.

use kukla_rubytext::msgpack::{Token, Writer};

use super::{Plain, Write};

/// Writes msgpack, each value in the fewest bytes.
pub(super) struct MsgpackWriter {
    out: Writer,
}

impl MsgpackWriter {
    pub(super) fn new() -> Self {
        Self { out: Writer::new() }
    }
}

impl Write for MsgpackWriter {
    fn plain(&mut self, value: Plain<'_>) {
        self.out.write(token(value));
    }

    fn extension(&mut self, code: u8, payload: &[Plain<'_>], _n_elements: usize) {
        let mut body = Writer::new();
        payload.iter().for_each(|part| body.write(token(*part)));
        self.out.extension(code, body);
    }

    fn finish(self) -> Vec<u8> {
        self.out.finish()
    }
}

fn token(value: Plain<'_>) -> Token<'_> {
    match value {
        Plain::Undef => Token::Nil,
        Plain::Boolean(value) => Token::Bool(value),
        Plain::Integer(number) => Token::Int(number),
        Plain::Float(number) => Token::Float(number),
        Plain::Text(text) => Token::Str(text),
    }
}
