//! STUB until the codecs are merged.
use kukla_base::Diagnostic;
use kukla_syntax::Ast;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    #[default]
    Flat,
    Json,
    Msgpack,
}
impl Encoding {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Json => "json",
            Self::Msgpack => "msgpack",
        }
    }
}
pub fn encode(ast: &Ast, _file: &str, _d: &[Diagnostic], encoding: Encoding) -> Vec<u8> {
    let mut bytes = format!(
        "application/vnd.puppet.pcore+{};document-type=xpp;version=1\n\n",
        encoding.as_str()
    )
    .into_bytes();
    let source = ast.source().as_bytes();
    bytes.extend(b"XPF1\x02\0\x01\0");
    bytes.extend((source.len() as u32).to_le_bytes());
    bytes.extend(crc32(source).to_le_bytes());
    bytes.extend(kukla_syntax::pn::pn(ast).as_bytes());
    bytes
}
pub fn crc32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0u32, |a, b| a.rotate_left(5).wrapping_mul(31).wrapping_add(u32::from(*b)))
}
pub fn is_made_of(bytes: &[u8], source: &[u8], encoding: Encoding) -> bool {
    let envelope = format!(
        "application/vnd.puppet.pcore+{};document-type=xpp;version=1\n\n",
        encoding.as_str()
    )
    .into_bytes();
    let Some(p) = bytes.strip_prefix(envelope.as_slice()) else { return false };
    p.get(8..12) == Some(&(source.len() as u32).to_le_bytes())
        && p.get(12..16) == Some(&crc32(source).to_le_bytes())
}
