//! Round trips: decoding gives what was encoded.

use kukla_syntax::{Options, check, parse};
use kukla_xpp::{
    Encoding, SourceCheck, XppError, decode, decode_with_source, encode, encode_with_source,
    source_check,
};

use crate::equal::assert_equal;
use crate::sources::{Source, odd, specs};

/// Trees of sources that parse come back, whatever validation says of them.
#[test]
fn trees_come_back() {
    let mut n_trees = 0;
    for source in specs().into_iter().chain(odd()) {
        let parsed = parse(&source.text, &source.options);
        if parsed.diagnostics.iter().any(kukla_base::Diagnostic::is_error) {
            continue;
        }
        for encoding in Encoding::ALL {
            let bytes = encode(&parsed.ast, "/e/a.pp", &[], encoding);
            let name = format!("{} in {encoding:?}", source.name);
            let decoded =
                decode(&bytes, &*source.text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let Some(ast) = decoded.ast else {
                // An integer that does not fit, or an entry of no hash.
                assert!(!check(&source.text, &source.options).diagnostics.is_empty(), "{name}");
                continue;
            };
            assert_equal(&name, &parsed.ast, &ast);
            assert_eq!(encode(&ast, "/e/a.pp", &[], encoding), bytes, "{name} once more");
            assert_eq!(source_check(&bytes), Ok(SourceCheck::of(&source.text)));
            n_trees += 1;
        }
    }
    assert!(n_trees > 3_000, "{n_trees}");
}

/// Diagnostics come back; with errors there is no tree.
#[test]
fn diagnostics_come_back() {
    let mut n_diagnostics = 0;
    for source in specs() {
        let checked = source.check();
        let has_errors = checked.diagnostics.iter().any(kukla_base::Diagnostic::is_error);
        for encoding in Encoding::ALL {
            let bytes = encode(&checked.ast, "/e/a.pp", &checked.diagnostics, encoding);
            let name = format!("{} in {encoding:?}", source.name);
            let decoded =
                decode(&bytes, &*source.text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(decoded.diagnostics, checked.diagnostics, "{name}");
            assert_eq!(decoded.ast.is_none(), has_errors, "{name}");
            assert_eq!(decoded.check, SourceCheck::of(checked.ast.source()), "{name}");
            let file = (encoding != Encoding::Flat).then(|| "/e/a.pp".to_owned());
            assert_eq!(decoded.file, file, "{name}");
            n_diagnostics += decoded.diagnostics.len();
        }
    }
    assert!(n_diagnostics > 3_000, "{n_diagnostics}");
}

#[test]
fn source_may_be_in_the_file() {
    let source = Source::manifest("class a { notify { 'ä': } }\n");
    let ast = source.check().ast;
    let found = decode_with_source(&encode_with_source(&ast, &[])).expect("it was just written");
    assert_equal("flat", &ast, &found.ast.expect("there are no errors"));
    for encoding in [Encoding::Json, Encoding::Msgpack] {
        let found = decode_with_source(&encode(&ast, "a.pp", &[], encoding));
        let found = found.expect("it was just written");
        assert_equal("pcore", &ast, &found.ast.expect("there are no errors"));
    }
    let found = decode_with_source(&encode(&ast, "a.pp", &[], Encoding::Flat));
    assert_eq!(found.err(), Some(XppError::NoSource));
}

#[test]
fn another_source_is_refused() {
    let checked = check("$a = 1\n", &Options::default());
    for encoding in Encoding::ALL {
        let bytes = encode(&checked.ast, "a.pp", &[], encoding);
        for text in ["$a = 2\n", "$a = 1", "", "$a = 1\n\n"] {
            assert_eq!(decode(&bytes, text).err(), Some(XppError::Stale), "{encoding:?} {text}");
        }
    }
}

/// The example that the format is explained with.
#[test]
fn flat_bytes() {
    let ast = check("$a = 'x'\n", &Options::default()).ast;
    let bytes = encode(&ast, "/e/a.pp", &[], Encoding::Flat);
    let payload = concat!(
        "58504631",
        "02",
        "04",
        "0100",
        "09000000",
        "db90dace",
        "10000000",
        "02000000",
        "03000000",
        "05000000",
        "00000000",
        "c800",
        "0000",
        "0200",
        "0100",
        "0100",
        "0100",
        "3a00",
        "0500",
        "0300",
        "0200",
        "0a00",
        "0300",
        "0100",
        "0100",
        "0100",
        "0300",
        "00000000",
        "09000000",
        "610078003d",
    );
    let envelope =
        "application/vnd.puppet.pcore+flat;document-type=xpp;version=1;crc32=f86d331f\n\n";
    assert_eq!(str::from_utf8(&bytes[..envelope.len()]), Ok(envelope));
    let hex: String = bytes[envelope.len()..].iter().map(|byte| format!("{byte:02x}")).collect();
    let (puppets, ours) = hex.split_at(payload.len());
    assert_eq!(puppets, payload);
    let section = concat!(
        "4b554b35",
        "12c3167961904e2a",
        // Of these nine bytes, in numbers of two bytes.
        "09000000db90dace05fffdeb45549d1802000000",
        // Of the 48 groups a string, a variable and an expression with two operands.
        "010000000000010000000000000000000000000000000000000000000000000000000000",
        "010000000000000000000000000000000000000000000000000000000000000000000000",
        "000000000000000000000000000000000000000000000000",
        // Three expressions and nodes, of which the last is the outermost; no lists, no built text, nothing but ASCII.
        "030003000300000000000000",
        // Where string and variable are, and how long.
        "05000300",
        "00000200",
        // A node that sets a variable, which is the second node, to the first.
        "03000100000001000000",
    );
    assert_eq!(ours, section);
}

#[test]
fn json_text() {
    let ast = check("$a = 'x'\n", &Options::default()).ast;
    let bytes = encode(&ast, "/e/a.pp", &[], Encoding::Json);
    let expected = concat!(
        "application/vnd.puppet.pcore+json;document-type=xpp;version=1;crc32=5b4b582c\n\n",
        r#"[[18,3,"Puppet","AST","Program",2,[18,3,0,1,"Locator",3,"$a = 'x'\n","/e/a.pp",[16,2,0,9]],"#,
        r#"[18,3,0,1,"AssignmentExpression",6,[1,1],3,1,[18,3,0,1,"VariableExpression",4,[1,1],0,2,"#,
        r#"[18,3,0,1,"QualifiedName",4,[1,1],1,1,"a"]],"#,
        r#"[18,3,0,1,"LiteralString",4,[1,1],5,3,"x"],"="]]]"#,
    );
    assert_eq!(str::from_utf8(&bytes), Ok(expected));
}

#[test]
fn msgpack_bytes() {
    let ast = check("$a = 'x'\n", &Options::default()).ast;
    let bytes = encode(&ast, "/e/a.pp", &[], Encoding::Msgpack);
    let payload = &bytes
        ["application/vnd.puppet.pcore+msgpack;document-type=xpp;version=1;crc32=12345678\n\n"
            .len()..];
    assert_eq!(payload.len(), 184);
    assert!(payload.starts_with(b"\xC7\x15\x12\x03\xA6Puppet\xA3AST\xA7Program\x02\xC7\x0C\x12\x03\x00\x01\xA7Locator\x03\xA9$a"));
    assert!(payload.ends_with(b"\xADLiteralString\x04\xD4\x01\x01\x05\x03\xA1x\xA1="));
}
