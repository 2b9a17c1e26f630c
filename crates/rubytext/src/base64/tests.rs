//! Texts with the judgement of Puppet 7.23.

use super::check;

enum Verdict {
    Fine,
    Padding,
    Letters,
}

#[test]
fn judges_as_puppet_does() {
    use Verdict::{Fine, Letters, Padding};
    let cases = [
        ("", Fine),
        ("QQ==", Fine),
        ("QUE=", Fine),
        ("QUFB", Fine),
        ("QUFBQQ==", Fine),
        ("QU\nFB", Fine),
        ("QU FB\t", Fine),
        ("QU\r\nFB", Fine),
        ("QU?FB", Fine),
        ("QU\u{A0}FB\u{3000}", Fine),
        ("+/+/", Fine),
        ("Q", Padding),
        ("QQ", Padding),
        ("QQQ", Letters),
        ("QQ=", Letters),
        ("QR==", Padding),
        ("QUF=", Padding),
        ("Q===", Padding),
        ("====", Padding),
        ("==", Padding),
        ("=", Padding),
        ("QQ==QQ==", Padding),
        ("Q-_w", Padding),
        ("QU.B", Padding),
        ("é", Padding),
        ("éé", Padding),
        ("ééé", Letters),
        ("QU\u{B}FB", Padding),
        ("QUF\u{200B}", Letters),
        ("QU=B", Padding),
        ("=QUB", Padding),
        ("QUFBQ", Padding),
    ];
    for (text, verdict) in cases {
        let expected = match verdict {
            Fine => Ok(()),
            Padding => Err("Base64 syntax checker: Cannot parse invalid Base64 string - \
                            padding is not correct"),
            Letters => Err("Base64 syntax checker: Cannot parse invalid Base64 string - \
                            contains letters outside strict base 64 range (or whitespace)"),
        };
        assert_eq!(
            check(text).map_err(|error| error.to_string()),
            expected.map_err(str::to_owned),
            "{text}"
        );
    }
}
