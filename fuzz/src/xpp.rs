//! Serialized trees: encoding round-trips, and no bytes make decoding panic.

use kukla_base::{Diagnostic, Source};
use kukla_xpp::{Decoded, Encoding, Envelope, decode, decode_with_source, encode, seal};
use kukla_syntax::{Ast, Options, parse, pn, tree};

/// Returns an input of a source and a file.
pub(crate) fn input(source: &[u8], file: &[u8]) -> Option<Vec<u8>> {
    let len = u16::try_from(source.len()).ok()?;
    Some([&len.to_le_bytes(), source, file].concat())
}

/// Asserts the properties of an input.
pub(crate) fn run(bytes: &[u8]) {
    let Some((len, rest)) = bytes.split_first_chunk::<2>() else { return };
    let (source, file) = rest.split_at(usize::from(u16::from_le_bytes(*len)).min(rest.len()));
    let source = String::from_utf8_lossy(source);
    for file in [file.to_vec(), sealed(file)] {
        let decoded = [decode(&file, &*source), decode_with_source(&file)];
        decoded.into_iter().flatten().for_each(|decoded| use_up(&decoded));
    }
    comes_back(&source);
}

/// Reads a decoded tree by every accessor.
fn use_up(decoded: &Decoded) {
    let Some(ast) = &decoded.ast else { return };
    let source = Source::new("a.pp", ast.source());
    assert!(!tree::tree(ast, &source).is_empty() || ast.body().is_none());
    said(ast);
    for encoding in Encoding::ALL {
        let again = encode(ast, "a.pp", &[], encoding);
        let again = decode(&again, ast.source()).expect("it was just written");
        if let Some(again) = again.ast {
            assert_eq!(said(ast), said(&again), "in {encoding:?}");
        }
    }
}

/// Asserts that the tree of a source round-trips through a file.
fn comes_back(source: &str) {
    let parsed = parse(source, &Options::default());
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return;
    }
    for encoding in Encoding::ALL {
        let bytes = encode(&parsed.ast, "a.pp", &[], encoding);
        let decoded = decode(&bytes, source).expect("it was just written");
        // Integers that don't fit are left out.
        if let Some(ast) = decoded.ast {
            assert_eq!(said(&parsed.ast), said(&ast), "in {encoding:?}");
        }
    }
}

fn said(ast: &Ast) -> impl PartialEq + std::fmt::Debug {
    let definitions = ast.definitions().iter().map(|&id| (ast.class_name(id), ast.span(id)));
    (ast.puppet_nodes(), pn::pn(ast), pn::json(ast), definitions.collect::<Vec<_>>())
}

/// Returns the file with correct checksums, so that decoding goes deeper.
fn sealed(file: &[u8]) -> Vec<u8> {
    let Ok((envelope, payload)) = Envelope::split(file) else { return file.to_vec() };
    let mut file = Envelope::of(envelope.encoding, payload).to_text().into_bytes();
    file.extend_from_slice(payload);
    seal(&mut file);
    file
}
