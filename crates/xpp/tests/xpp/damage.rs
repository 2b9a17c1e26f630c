//! Files that are cut off or changed: an error or a tree, never a panic.

use kukla_base::Source as Text;
use kukla_syntax::{pn, tree};
use kukla_xpp::{
    self, Decoded, Encoding, SECTION, XppError, decode, decode_with_source, encode,
    encode_with_source,
};

use crate::equal::assert_equal;
use crate::sources::{Source, odd, specs};

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

/// Reads a decoded tree by every accessor.
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
            assert!(decode(&bytes[..len], &*text).is_err(), "{len} bytes of {}", bytes.len());
        }
        assert!(decode(&bytes, &*text).is_ok());
    }
}

#[test]
fn anything_behind_the_payload_is_an_error() {
    for (mut bytes, text) in files() {
        bytes.push(b'1');
        assert!(decode(&bytes, &*text).is_err());
    }
}

/// Decoding a changed file gives the original tree, or an error.
#[test]
fn changed_bytes_are_found() {
    let mut random = Random(7);
    let mut n_read = 0;
    for (bytes, text) in files() {
        let written = decode(&bytes, &*text).expect("it was just written");
        for _ in 0..4_000 {
            let mut changed = bytes.clone();
            (0..=random.below(3)).for_each(|_| random.change(&mut changed));
            let decoded = [decode(&changed, &*text), decode_with_source(&changed)];
            for decoded in decoded.into_iter().flatten() {
                n_read += 1;
                assert_eq!(decoded.diagnostics, written.diagnostics);
                match (&decoded.ast, &written.ast) {
                    (Some(found), Some(expected)) => assert_equal("changed", expected, found),
                    (found, expected) => assert_eq!(found.is_some(), expected.is_some()),
                }
            }
        }
    }
    assert!(n_read > 1_000, "what is not used may be changed: {n_read}");
}

/// The offset of the rows of a section with numbers of two bytes: after checksums, 48 counts and six other numbers.
const ROWS: usize = 32 + (48 + 6) * 2;

/// Offsets of the parts of a `flat` file.
struct Flat {
    /// The payload, and in it the section for Kukla.
    payload: usize,
    section: usize,
}

impl Flat {
    fn of(bytes: &[u8]) -> Self {
        let payload = 2 + bytes.windows(2).position(|pair| pair == b"\n\n").expect("an envelope");
        let section =
            bytes.windows(4).position(|word| word == SECTION.as_bytes()).unwrap_or(bytes.len());
        Self { payload, section }
    }
}

/// Returns the file with checksums that are right.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    kukla_xpp::seal(&mut bytes);
    bytes
}

/// Returns the file without the section for Kukla.
fn without_section(bytes: &[u8]) -> Vec<u8> {
    let Flat { payload, section } = Flat::of(bytes);
    let mut bytes = bytes[..section].to_vec();
    bytes[payload + 5] &= !4;
    seal(bytes)
}

/// A malformed file with correct checksums gives an error or some tree.
#[test]
fn wrong_files_do_no_harm() {
    let mut random = Random(13);
    let mut n_read = [0; 3];
    for (bytes, text) in files() {
        let Flat { payload, section } = Flat::of(&bytes);
        let has_section = section < bytes.len();
        let kinds = [
            (bytes.clone(), payload),
            (bytes.clone(), section),
            (without_section(&bytes), payload),
        ];
        for (kind, (file, start)) in kinds.into_iter().enumerate() {
            if kind > 0 && !has_section {
                continue;
            }
            for _ in 0..3_000 {
                let mut changed = file.clone();
                (0..=random.below(2)).for_each(|_| random.change(&mut changed[start..]));
                for decoded in
                    [decode(&seal(changed.clone()), &*text), decode_with_source(&seal(changed))]
                {
                    n_read[kind] += usize::from(decoded.is_ok());
                    decoded.into_iter().for_each(use_up);
                }
            }
        }
    }
    assert!(n_read.iter().all(|&n| n > 500), "{n_read:?}");
}

/// Sections with numbers of two bytes and of four, of which some have changed places.
#[test]
fn shuffled_sections_do_no_harm() {
    let mut random = Random(17);
    let wide = format!("{PROGRAM}#{}\n", " ".repeat(70_000));
    for (text, width) in [(PROGRAM, 2), (&*wide, 4)] {
        let checked = Source::manifest(text).check();
        let bytes = encode(&checked.ast, "a.pp", &checked.diagnostics, Encoding::Flat);
        let numbers = Flat::of(&bytes).section + 32;
        assert_eq!(bytes[numbers - 4], width);
        let width = usize::from(width);
        let n_numbers = (bytes.len() - numbers) / width;
        let mut n_read = 0;
        for round in 0..3_000 {
            let mut changed = bytes.clone();
            for _ in 0..=random.below(3) {
                // Numbers of the same kind are often three or four apart.
                let from = random.below(n_numbers);
                let to = match round % 3 {
                    0 => from + 3,
                    1 => from + 4,
                    _ => random.below(n_numbers),
                };
                let [from, to] = [from, to.min(n_numbers - 1)].map(|at| numbers + at * width);
                (0..width).for_each(|byte| changed.swap(from + byte, to + byte));
            }
            if round % 5 == 0 {
                random.change(&mut changed[numbers..]);
            }
            let decoded = decode(&seal(changed), text);
            n_read += usize::from(decoded.is_ok());
            decoded.into_iter().for_each(use_up);
        }
        assert!((100..2_900).contains(&n_read), "{n_read}");
    }
}

/// Two nodes that have each other for parents are not in the tree.
#[test]
fn circles_do_no_harm() {
    let text = "!!true";
    let mut bytes = encode(&Source::manifest(text).check().ast, "a.pp", &[], Encoding::Flat);
    let rows = Flat::of(&bytes).section + ROWS;
    // The constant has three numbers; the last of the four of an operator is its operand.
    let [outermost, inner, outer] = [rows - 8, rows + 12, rows + 20];
    assert_eq!([bytes[outermost], bytes[inner], bytes[outer]], [3, 0, 1]);
    bytes[outermost] = 1;
    bytes[inner] = 2;
    let decoded = decode(&seal(bytes), text).expect("all have one parent");
    assert_eq!(decoded.ast.as_ref().map(pn::pn).as_deref(), Some("true"));
    use_up(decoded);
}

/// Both parts of a `flat` file describe the same tree.
#[test]
fn the_section_says_what_the_rest_says() {
    let mut n_trees = 0;
    for source in specs().into_iter().chain(odd()) {
        let parsed = kukla_syntax::parse(&source.text, &source.options);
        let bytes = encode(&parsed.ast, "a.pp", &[], Encoding::Flat);
        if Flat::of(&bytes).section == bytes.len() {
            continue;
        }
        let found = decode(&without_section(&bytes), &*source.text).expect("it was just written");
        let found = found.ast.expect("there is a tree");
        assert_equal(&source.name, &parsed.ast, &found);
        n_trees += 1;
    }
    assert!(n_trees > 1_000, "{n_trees}");
}

/// A section of another version is skipped.
#[test]
fn another_section_is_not_used() {
    let (bytes, text) = files().swap_remove(0);
    let mut changed = bytes.clone();
    let section = Flat::of(&bytes).section;
    changed[section + 3] = b'3';
    assert_eq!(decode(&changed, &*text).err(), Some(XppError::WrongChecksum));
    let decoded = decode(&seal(changed), &*text).expect("the rest is there");
    let expected = decode(&bytes, &*text).expect("it was just written");
    let (Some(expected), Some(found)) = (expected.ast, decoded.ast) else { panic!("two trees") };
    assert_equal("another section", &expected, &found);
}

/// Large counts in a file must not be trusted.
#[test]
fn large_counts_take_no_memory() {
    let (bytes, text) = files().swap_remove(0);
    let Flat { payload, section } = Flat::of(&bytes);
    let header = (payload + 8..payload + 36).step_by(4).map(|at| (without_section(&bytes), at));
    let section = (section + 12..section + ROWS - 2).step_by(2).map(|at| (bytes.clone(), at));
    for (file, at) in header.chain(section) {
        for number in [u32::MAX, u32::MAX / 2, 0x0100_0001] {
            let mut changed = file.clone();
            changed[at..at + 4].copy_from_slice(&number.to_le_bytes());
            assert!(decode(&seal(changed), &*text).is_err(), "{number} at {at}");
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
            if let Ok(decoded) = decode(&changed, &*source.text) {
                use_up(decoded);
            }
        }
    }
}

/// Xorshift: the same numbers in every run.
struct Random(u64);

impl Random {
    fn change(&mut self, bytes: &mut [u8]) {
        let at = self.below(bytes.len());
        bytes[at] = match self.below(4) {
            0 => 0,
            1 => 0xFF,
            2 => bytes[at] ^ (1 << self.below(8)),
            _ => u8::try_from(self.below(256)).expect("it is small"),
        };
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).expect("usize has 64 bits") % limit
    }
}
