//! Valid and invalid patterns according to Ruby 3.1. A table.

use crate::{check, inspect};

#[test]
fn takes_what_ruby_takes() {
    for &source in VALID {
        assert_eq!(check(source), Ok(()), "{source}");
    }
}

#[test]
fn refuses_what_ruby_refuses_in_its_words() {
    for &(words, sources) in INVALID {
        for source in sources {
            let message = format!("{words}: {}", inspect(source));
            assert_eq!(check(source).map_err(|error| error.to_string()), Err(message), "{source}");
        }
    }
}

#[test]
fn shows_a_pattern_as_ruby_does() {
    let cases = [
        ("", "//"),
        ("a b", "/a b/"),
        ("a/b", r"/a\/b/"),
        (r"a\/b", r"/a\/b/"),
        (r"a\\/b", r"/a\\\/b/"),
        ("é", "/é/"),
        (r"\é", r"/\é/"),
        ("é/\\é", r"/\u00E9\/\é/"),
        ("a\nb", "/a\nb/"),
        ("é\n", "/\\u00E9\n/"),
        ("\t\u{B}\r\u{C}", "/\t\u{B}\r\u{C}/"),
        ("\0\u{1}\u{1B}\u{7F}", r"/\x00\x01\x1B\x7F/"),
        ("\\\n", "/\\\n/"),
        ("\u{80}\u{2028}\u{FEFF}", "/\u{80}\u{2028}\u{FEFF}/"),
        ("\u{80}\u{2028}\u{FEFF}/", r"/\u0080\u2028\uFEFF\//"),
        ("😀/", r"/\u{1F600}\//"),
    ];
    for (source, inspected) in cases {
        assert_eq!(inspect(source), inspected);
    }
}

#[test]
fn nests_as_deep_as_ruby_does() {
    for (open, close) in [("(", ")"), ("[a", "]"), ("(?i)", "")] {
        let nested = |depth: usize| open.repeat(depth) + &close.repeat(depth);
        assert_eq!(check(&nested(4095)), Ok(()));
        for depth in [4096, 100_000] {
            let message = check(&nested(depth)).unwrap_err().to_string();
            assert!(message.starts_with("parse depth limit over: /"), "{open}");
        }
    }
    assert_eq!(check(&format!("a{}{}", "{2}".repeat(100_000), "++".repeat(100_000))), Ok(()));
}

#[test]
fn counts_groups_as_ruby_does() {
    assert_eq!(check(&"(a)".repeat(32_767)), Ok(()));
    let message = check(&"(a)".repeat(32_768)).unwrap_err().to_string();
    assert!(message.starts_with("too many capture groups are specified: /(a)"));
}

/// Ruby tries all paths through the calls, of which there are too many here.
#[test]
fn gives_up_on_a_maze_of_calls() {
    let rooms = (0..60).map(|room| format!("(?<r{room}>x\\g<r{0}>\\g<r{0}>)", room + 1));
    assert_eq!(check(&format!("{}(?<r60>x)", rooms.collect::<String>())), Ok(()));
}

/// Patterns that Ruby 3.1 accepts.
#[rustfmt::skip] // One pattern per line would be a long file.
const VALID: &[&str] = &[
    "a", "abc|def", "a|", "|", "()", "(a|b)*c", r"^\s*(\w+)\s*=\s*(.*)$", r"\A[a-z][a-z0-9_]*\z",
    r"^(?:(?:25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d\d?)$", "(?i-mx:a)b",
    "(?mix)a b # c", "(?x) a # (", "(?x:a # )\n)", "(?-x: a)", r"(?a)\w(?u)\w(?d)\w", "(?>a+)b",
    "(?=a)(?!b)", "(?~a|b)", "(?#comment)a", r"(?#com\)ment)a", "a/b", "é+", "ä|あ|😀", "^*",
    r"\b+", "$?", "(?=a)*", "]", "}", "a{", "a{,", "a{1", "a{1,", "a{,}", "a{a}", "{", "x{2}{3}",
    "{1", "a*+b++c?+", "a{2}?", "a{2}+", "a{2,3}?", "a{,3}", "a{3,}", "a{0}", "a{1,1}",
    "a{100000}", "a**", "a+?*", "(?:a*)+", "a{٣}", r"(?<n>a)\k<n>", r"(?'n'a)\k'n'",
    r"(?<n>a)(?<n>b)\k<n>", r"(?<é>a)\g<é>", "(?<a b>c)", "(?<n>a)(b)", r"(?<n>\k<n>a)",
    r"(a)\k<1>", r"(a)\k<-1>", r"(a)(b)\k<-2>", r"(?<n>a)\k<n+1>", r"(?<n>a)\k<n-0>", r"(a)\1",
    r"\10", r"\18", r"\81", r"\k", r"\kn", r"(?<n>a)\g<n>", r"\g<n>(?<n>a)", r"(a)\g<1>",
    r"(a)\g<-1>", r"\g<+1>(a)", r"\g'1'(a)", r"(?<n>a|b\g<n>c)", r"(?<n>a(?:\g<n>)?b)",
    r"a\g<0>?b", r"(?:a\g<0>|b)", r"(?<a>x\g<b>?)(?<b>y\g<a>?)", r"\(((?:[^()]|\g<0>)*)\)", r"\g",
    r"\gn", r"\g<01>(a)", "(a)(?(1)b)", "(a)(?(1)b|c)", "(a)?(?(1)b|)", "(?<n>a)(?(<n>)b|c)",
    "(?<n>a)(?('n')b)", "(a)(?(<1>)b)", "(a)(?(1)(b|c|d))", "(?(1)a)(b)", "(?<=a)b", "(?<!a)b",
    "(?<=ab|c)d", "(?<!ab|c)d", "(?<=(?:ab|c))d", "(?<=(ab))c", "(?<=a{3})b", "(?<=(?:a|b){2})c",
    r"(?<=^a\b)c", r"(?<=\Ga)b", "(?<=(?<=a)b)c", "(?<=a(?<!b))c", r"(?<=\K)a", r"(?<=[ab]\w.)c",
    "(?<=(?i)ab)c", r"(?<n>a)(?<=\g<n>)", "(?<n>ab)(?<=(c|de))", "(?<=)a", "(?<=a{1}{2})",
    "(?<=a{2,2})", r"\n\t\r\f\v\a\e\0", r"\x41\101\u0041\u{41 42}", r"\x4", r"\x7f",
    r"\xe3\x81\x82", r"\xC3\251", r"\C-a\ca\c?", r"\u3042\u{1F600}", r"\.\/\(\)\[\]\{\}\|\*",
    r"\d\D\w\W\s\S\h\H\R\X", r"\A\z\Z\b\B\G\K", r"\p\P", r"\y\Q\E\o\N", r"\é", r"\77", r"\177",
    r"\\", r"\u005b", r"[\u{5d}]", r"\p{Alpha}\P{Digit}\p{^Upper}",
    r"\p{L}\p{Lu}\p{Greek}\p{In_Cyrillic}\p{age=6.0}", r"\p{ l-u_ }", r"[\p{Han}\P{^Latin}]",
    "[a]", "[^a]", "[a-z0-9_]", "[a-]", "[-a]", "[a-b-c]", "[--a]", "[!--]", "[]a]", "[^]a]",
    "[]]", "[a[b[c]]]", "[a-z&&[^aeiou]]", "[&&a]", "[a&&]", "[&&]", "[a&b]", "[a-&&b]", r"[\w-]",
    r"[\w&&\d]", r"[\n-\r]", r"[\x41-\x5a]", r"[\101-\132]", r"[\b]", "[é-あ]",
    "[[:alpha:][:^digit:]]", "[[:word:]_]", "[[:alpha]]", "[[:]]", "[[:a]:]]", "[:alpha:]",
    "[.*+?(){}|^$]", "[^^]", r"[\^]", "[a^]", "[a-[b]c]", r"[#\-]", "[[:abcdefghijklmnopqrstu:]]",
];

/// Patterns that Ruby 3.1 refuses, by its message.
#[rustfmt::skip] // See above.
const INVALID: &[(&str, &[&str])] = &[
    ("target of repeat operator is not specified", &[
        "*", "*a", "+", "?", "|*", "(*)", "(?:+)", "(?i)*", "(?#x)+", "{2}", "(|{2,3})",
    ]),
    ("too big number for repeat range", &[
        "a{100001}", "a{1,100001}", "a{99999999999}",
    ]),
    ("upper is smaller than lower in repeat range", &[
        "a{3,2}",
    ]),
    ("end pattern with unmatched parenthesis", &[
        "(", "(a", "((a)", "(?:", "(?<", "(?=", "(?<a>",
    ]),
    ("unmatched close parenthesis", &[
        "a)", ")", "(?:a))",
    ]),
    ("end pattern in group", &[
        "(?", "(?i", "(?i-", "(?ix", "(?#", r"(?#a\)",
    ]),
    ("undefined group option", &[
        "(?z)", "(?P<n>a)", "(?s)", "(?-a)", "(?-u:a)", "(?|a)", "(?&a)", "(?^i)", "(?@a)",
        "(?l)", "(?(", "(?<n>a)(?(<n>b)",
    ]),
    ("invalid backref number/name", &[
        r"(?(3)\2)(?<n>a)(b)",
        r"(a)\2", r"\1", r"\8", r"\9", r"\k<-1>", r"\g<-1>", "(?(1)a)", "(?(2)a)(b)",
    ]),
    ("numbered backref/call is not allowed. (use name)", &[
        r"(a)(?<n>b)\1", r"(?<n>b)\1", r"(?<n>b)\k<1>", r"(?<n>a)(b)\g<1>", "(?<n>a)(?(1)b)",
        "(?<n>a)(b)(?(2)c)",
    ]),
    ("group name is empty", &[
        "(?<>a)", "(?''a)", r"\k<", r"\k<>", r"\g<", r"\g<>", r"\g<0",
    ]),
    ("invalid group name <1>", &[
        "(?<1>a)", r"\k<1", "(?(1",
    ]),
    ("invalid group name <1a>", &[
        "(?<1a>b)", r"\k<1a>",
    ]),
    ("invalid group name <-a>", &[
        "(?<-a>b)",
    ]),
    ("invalid group name <٣>", &[
        "(?<٣>b)",
    ]),
    ("invalid group name <a>", &[
        "(?<a",
    ]),
    ("invalid group name <a)>", &[
        "(?<a)",
    ]),
    ("invalid group name <a>b)>", &[
        "(?'a>b)",
    ]),
    ("undefined name <n> reference", &[
        r"\k<n>", r"\g<n>", "(?(<n>)a)",
    ]),
    ("invalid group name <n>", &[
        r"\k<n", r"\g<n",
    ]),
    ("invalid group name <0>>", &[
        r"\k<0>",
    ]),
    ("invalid char in group name <->", &[
        r"\k<-",
    ]),
    ("invalid group name <->", &[
        r"\k<->",
    ]),
    ("invalid group name <1->>", &[
        r"\k<1->",
    ]),
    ("invalid group name <n+>>", &[
        r"\k<n+>",
    ]),
    ("invalid group name <n+a>>", &[
        r"\k<n+a>",
    ]),
    ("invalid group name <n+1>", &[
        r"\k<n+1",
    ]),
    ("too big number", &[
        r"\k<n+99999999999>", r"\k<99999999999>", r"\g<99999999999>",
    ]),
    ("undefined name <m> reference", &[
        r"(?<n>a)\k<m>",
    ]),
    ("invalid group name <aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...>", &[
        "(?<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ]),
    ("undefined name <aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...> reference", &[
        r"\k<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>",
    ]),
    ("undefined name <ééééééééééééééééééééééé> reference", &[
        r"\k<ééééééééééééééééééééééé>",
    ]),
    ("undefined group <1> reference", &[
        r"\g<1>",
    ]),
    ("undefined group <5> reference", &[
        r"\g<5>(a)",
    ]),
    ("undefined group <2> reference", &[
        r"\g<+2>(a)",
    ]),
    ("invalid group name <1a>>", &[
        r"\g<1a>",
    ]),
    ("invalid char in group name <1.>>", &[
        r"\g<1.>",
    ]),
    ("invalid group name <->>", &[
        r"\g<->",
    ]),
    ("invalid group name <n)>", &[
        r"\g<n)",
    ]),
    ("multiplex definition name <n> call", &[
        r"(?<n>a)(?<n>b)\g<n>",
    ]),
    ("never ending recursion", &[
        r"\g<0>", r"(?:\g<0>|a)", r"(?<n>\g<n>)", r"(?<n>\g<n>?)", r"(?<n>a\g<n>)",
        r"(?<n>a*\g<n>|b)", r"(?<a>\g<b>)(?<b>\g<a>)", r"(?<a>x\g<b>)(?<b>y\g<a>)",
        r"(?<a>(?=\g<a>)x)", r"(?<n>(?<m>)\g<n>|a)",
    ]),
    ("invalid conditional pattern", &[
        "(a)(?(1)b|c|d)", "(a)(?(1)(?:b|c|d))", "(?(a)b)",
    ]),
    ("invalid group name <1b>", &[
        "(?(1b)c)",
    ]),
    ("invalid group name <0>", &[
        "(?(0)a)",
    ]),
    ("invalid pattern in look-behind", &[
        "(?<=a*)b", "(?<=a+)b", "(?<=a?)b", "(?<=a{1,2})b", "(?<!a*)b", "(?<=(?:ab|c)d)e",
        "(?<=(ab|c))d", "(?<=(?i)ab|c)d", "(?<=a|(?:b|cd))e", "(?<!(a))b", "(?<=(?=a))b",
        "(?<=(?!a)b)c", r"(?<=a\z)", r"(?<=a\Z)", "(?<=(?>a))b", "(?<=(?~a))b", r"(?<=\R)a",
        r"(?<=\X)a", r"(a)(?<=\1)b", "(a)(?<=(?(1)b|c))", r"(?<n>a|bc)(?<=\g<n>)", "(?<=a{2}?)",
        "(?<=a++)",
    ]),
    ("invalid multibyte escape", &[
        r"\M-\C-a", r"\xff", r"\x80", r"\200", r"\377",
    ]),
    ("too short escaped multibyte character", &[
        r"\M-\x63\xA9", r"\xe3", r"\xe3\x81", r"\xe3\x81a", r"\M-a",
    ]),
    ("too short escape sequence", &[
        r"\", r"a\", r"\M-\", r"\u",
    ]),
    ("invalid hex escape", &[
        r"\x", r"\xg", r"\x{41}", r"(?#\x)",
    ]),
    ("invalid escape code", &[
        r"\400", r"\777", r"(?#\400)",
    ]),
    ("too short control escape", &[
        r"\c", r"\C", r"\C-", r"\Ca", r"\cé",
    ]),
    ("too short meta escape", &[
        r"\M", r"\M-", r"\Ma", r"\M-é",
    ]),
    ("duplicate meta escape", &[
        r"\M-\M-a",
    ]),
    ("duplicate control escape", &[
        r"\c\ca", r"\C-\C-a",
    ]),
    ("unexpected escape sequence", &[
        r"\c\y",
    ]),
    ("invalid Unicode escape", &[
        r"\u1", r"\u12", r"\u123g",
    ]),
    ("invalid Unicode range", &[
        r"\ud800", r"\u{110000}", r"\u{d800}", r"\u{1234567}",
    ]),
    ("invalid Unicode list", &[
        r"\u{", r"\u{}", r"\u{ }", r"\u{41", r"\u{41 ", r"\u{g}", r"\u{41,42}",
    ]),
    ("invalid character property name {foo}", &[
        r"\p{foo}", r"\P{^foo}", r"[\p{foo}]",
    ]),
    ("invalid character property name {}", &[
        r"\p{}", r"\p{", r"\p{L",
    ]),
    ("invalid character property name {fo}", &[
        r"\p{foo",
    ]),
    ("invalid character property name {é}", &[
        r"\p{é}",
    ]),
    ("invalid character property name {a}", &[
        r"\p{a(b}", r"\p{a{b}", r"\p{a|b}",
    ]),
    ("invalid character property name {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...}", &[
        r"\p{aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}",
    ]),
    ("premature end of char-class", &[
        r"[]\]", "[[:alpha]", "[", "[^", "[a", "[a-", r"[a\]", "[[a]", "[[:alpha:]",
    ]),
    ("empty char-class", &[
        "[]", "[^]",
    ]),
    ("empty range in char class", &[
        "[b-a]", "[é-a]", r"[\r-\n]", "[c-[b]a]", "[z--]",
    ]),
    ("unmatched range specifier in char-class", &[
        r"[\w-a]", r"[\d-\w]", "[[:alpha:]-z]", r"[\p{L}-z]",
    ]),
    ("char-class value at end of range", &[
        r"[a-\w]", r"[a-\p{L}]", "[a-[:alpha:]]",
    ]),
    ("invalid POSIX bracket type", &[
        "[[:foo:]]", "[[:^foo:]]", "[[:alphax:]]", "[[::]]", "[[:Alpha:]]",
        "[[:abcdefghijklmnopqrst:]]",
    ]),
];
