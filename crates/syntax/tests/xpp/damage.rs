//! Files that are cut off or changed: an error or a tree, never a panic.

use kukla_base::Source as Text;
use kukla_syntax::xpp::{
    Decoded, Encoding, decode, decode_with_source, encode, encode_with_source,
};
use kukla_syntax::{pn, tree};

use crate::sources::{Source, specs};

/// A program with most kinds of nodes.
const PROGRAM: &str = r#"
class a::b (Integer $x = 0x1F, $rest = 017) inherits c {
  $y = [1.5, true, undef, default, { 'k' => -$x }]
  if $x in $y and !("${y[0]} $x" =~ /a\/b/) { notify { 'ä': message => @(E) } } else { include z }
    text ${x}
    | E
  @@file { ['/a', '/b']: * => $y, mode => '0644'; default: ensure => file }
  File <<| tag == 'x' |>> { owner +> 'root' } -> Service['x'] { enable => false }
  $z = $x ? { 1 => 'one', default => $y.map |*$v| >> String { $v * 2 } }
  case $z { 'one', /x/: { fail('no') } default: { } }
}
function f(Array[String] $p) >> Boolean { unless $p { true } else { false } }
type Port = Integer[1, 65535]
node default { Exec { path => '/bin' } }
"#;

/// Files of all encodings, of a program that is right and of one that is not.
fn files() -> Vec<(Vec<u8>, String)> {
    let programs = [Source::manifest(PROGRAM), Source::manifest("class a {\n $x = $x +\n}")];
    let mut files = Vec::new();
    for source in programs {
        let checked = source.check();
        for encoding in Encoding::ALL {
            files.push((
                encode(&checked.ast, "a.pp", &checked.diagnostics, encoding),
                source.text.clone(),
            ));
        }
        files.push((encode_with_source(&checked.ast, &checked.diagnostics), source.text));
    }
    files
}

/// Reads a tree in every way that there is.
fn use_up(decoded: Decoded) {
    if let Some(ast) = decoded.ast {
        let source = Text::new("a.pp", ast.source());
        let length = pn::pn(&ast).len() + pn::json(&ast).len() + tree::tree(&ast, &source).len();
        assert!(length > 0 && ast.puppet_nodes().len() < usize::MAX);
        encode(&ast, "a.pp", &decoded.diagnostics, decoded.envelope.encoding);
    }
}

#[test]
fn the_program_is_valid() {
    assert_eq!(Source::manifest(PROGRAM).check().diagnostics, []);
}

#[test]
fn every_truncation_is_an_error() {
    for (bytes, text) in files() {
        for len in 0..bytes.len() {
            assert!(decode(&bytes[..len], &text).is_err(), "{len} bytes of {}", bytes.len());
        }
        assert!(decode(&bytes, &text).is_ok());
    }
}

#[test]
fn anything_behind_the_payload_is_an_error() {
    for (mut bytes, text) in files() {
        bytes.push(b'1');
        assert!(decode(&bytes, &text).is_err());
    }
}

#[test]
fn changed_bytes_do_no_harm() {
    let mut random = Random(7);
    let mut n_read = 0;
    for (bytes, text) in files() {
        for _ in 0..1_000 {
            let mut changed = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(changed.len());
                changed[at] = match random.below(4) {
                    0 => 0,
                    1 => 0xFF,
                    2 => changed[at] ^ (1 << random.below(8)),
                    _ => u8::try_from(random.below(256)).expect("it is small"),
                };
            }
            let decoded = decode_with_source(&changed);
            for decoded in [decode(&changed, &text), decoded].into_iter().flatten() {
                n_read += 1;
                use_up(decoded);
            }
        }
    }
    assert!(n_read > 500, "{n_read}");
}

/// Numbers that promise much must not be believed.
#[test]
fn large_counts_take_no_memory() {
    let (bytes, text) = files().swap_remove(0);
    let payload = 63;
    for at in (payload + 8..payload + 36).step_by(4) {
        for number in [u32::MAX, u32::MAX / 2, 0x0100_0000] {
            let mut changed = bytes.clone();
            changed[at..at + 4].copy_from_slice(&number.to_le_bytes());
            assert!(decode(&changed, &text).is_err(), "{number} at {at}");
        }
    }
}

/// Pieces of real files in another order.
#[test]
fn spliced_files_do_no_harm() {
    let mut random = Random(11);
    let specs = specs();
    for encoding in Encoding::ALL {
        for source in specs.iter().step_by(7) {
            let checked = source.check();
            let bytes = encode(&checked.ast, "a.pp", &[], encoding);
            let (from, to) = (random.below(bytes.len()), random.below(bytes.len()));
            let len = random.below(40).min(bytes.len() - from.max(to));
            let mut changed = bytes.clone();
            changed.copy_within(from..from + len, to);
            if let Ok(decoded) = decode(&changed, &source.text) {
                use_up(decoded);
            }
        }
    }
}

/// Xorshift: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).expect("usize has 64 bits") % limit
    }
}
