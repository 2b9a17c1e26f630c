//! Words of the shell, Base64, percent-encoding and addresses.

use super::case::{Answer, text};
use kukla_rubytext::ip::Address;
use kukla_rubytext::{Data, base64, shell, uri};

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    let words = || match &args[0] {
        Data::Array(items) => (0..items.len()).map(|i| text(items, i).to_owned()).collect(),
        other => vec![other.as_text()],
    };
    let bytes = || match &args[0] {
        Data::Binary(bytes) => bytes.clone(),
        other => other.as_text().into_bytes(),
    };
    Ok(match operation {
        "shellquote" => Data::Str(shell::shellquote(&words())),
        "escape" => Data::Str(shell::escape(text(args, 0))),
        "join" => Data::Str(shell::join(&words())),
        "split" => Data::Array(shell::split(text(args, 0))?.into_iter().map(Data::Str).collect()),
        "encode64" => Data::Str(base64::encode(&bytes())),
        "strict_encode64" => Data::Str(base64::strict_encode(&bytes())),
        "urlsafe_encode64" => Data::Str(base64::urlsafe_encode(&bytes())),
        "decode64" => Data::Binary(base64::decode(text(args, 0))),
        "strict_decode64" => Data::Binary(base64::strict_decode(text(args, 0))?),
        "urlsafe_decode64" => Data::Binary(base64::urlsafe_decode(text(args, 0))?),
        "uriescape" => Data::Str(uri::escape(text(args, 0))),
        "ip" => {
            let address = Address::parse(text(args, 0))?;
            Data::Array(vec![Data::Str(address.to_string()), Data::Bool(address.is_v6())])
        }
        _ => panic!("unknown operation {operation}"),
    })
}

trait AsText {
    fn as_text(&self) -> String;
}

impl AsText for Data {
    fn as_text(&self) -> String {
        text(std::slice::from_ref(self), 0).to_owned()
    }
}
