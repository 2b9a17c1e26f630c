//! Hashed passwords and digests.

use super::case::{Answer, int, text};
use kukla_rubytext::{Data, crypt, digest};

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    let first = text(args, 0);
    let hash = |digest: fn(&[u8]) -> String| digest(first.as_bytes());
    Ok(Data::Str(match operation {
        "crypt" => crypt::crypt(first, text(args, 1))?,
        "pbkdf2" => {
            let number = |index| int(args, index).expect("a number");
            let salt = text(args, 1).as_bytes();
            let bytes =
                crypt::pbkdf2_sha512(first.as_bytes(), salt, number(2) as u32, number(3) as usize);
            digest::hex(&bytes)
        }
        "salted_sha512" => {
            let salt = u32::from_str_radix(text(args, 1), 16).expect("a salt");
            crypt::salted_sha512(first, salt.to_be_bytes())
        }
        "md5" => hash(digest::md5),
        "sha1" => hash(digest::sha1),
        "sha224" => hash(digest::sha224),
        "sha256" => hash(digest::sha256),
        "sha384" => hash(digest::sha384),
        "sha512" => hash(digest::sha512),
        "uuid" => digest::dns_uuid(first),
        _ => panic!("unknown operation {operation}"),
    }))
}
