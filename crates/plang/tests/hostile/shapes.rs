//! Shapes of hostile sources.

/// A name, and a function that generates a source of about that many bytes.
pub(crate) type Shape = (&'static str, fn(usize) -> String);

/// All shapes.
pub(crate) const SHAPES: &[Shape] = &[
    ("brackets", |size| "(".repeat(size)),
    ("braces", |size| "{".repeat(size)),
    ("closing braces", |size| "}".repeat(size)),
    ("semicolons", |size| ";".repeat(size)),
    ("empty blocks", |size| "{}".repeat(size / 2)),
    ("quotes", |size| "\"".repeat(size)),
    ("backslashes", |size| format!("x := \"{}", "\\".repeat(size))),
    ("an open comment", |size| format!("/*{}", "*".repeat(size))),
    ("comments", |size| "/**/".repeat(size / 4)),
    ("slashes", |size| "/".repeat(size)),
    ("noise", |size| "\u{1}\u{7f}$#@`~".repeat(size / 7)),
    ("letters that are none", |size| "äöü".repeat(size / 6)),
    ("one word", |size| "x".repeat(size)),
    ("digits", |size| "9".repeat(size)),
    ("words", |size| "x ".repeat(size / 2)),
    ("words that are not known", |size| many(size, |n| format!("w{n};"))),
    ("calls of what is not known", |size| many(size, |n| format!("w{n}(1, 2);"))),
    ("minus signs", |size| format!("x := {}1;", "-".repeat(size))),
    ("nots", |size| format!("x := {}true;", "not ".repeat(size / 4))),
    ("a long sum", |size| format!("x := 1{};", "+1".repeat(size / 2))),
    ("a long text", |size| format!("x := \"\"{};", "+\"\"".repeat(size / 3))),
    ("a long conjunction", |size| format!("if (true{}) {{}}", " and true".repeat(size / 9))),
    ("a long way of otherwise", |size| format!("x := 1{};", " otherwise 1".repeat(size / 12))),
    ("members", |size| format!("x := Core{};", ".y".repeat(size / 2))),
    ("calls", |size| format!("x := Core{};", "()".repeat(size / 2))),
    ("arguments", |size| format!("x := Core.set(\"a\"{});", ",\"a\"".repeat(size / 4))),
    ("a large set", |size| format!("x := Core.set(\"\"{});", many(size, |n| format!(",\"{n}\"")))),
    ("sets of a thousand", |size| {
        let set = format!("Core.set(\"\"{}).has(\"x\");", many(6_000, |n| format!(",\"{n}\"")));
        set.repeat(size / set.len())
    }),
    ("networks", |size| {
        let network = |n: usize| format!(",\"10.{}.{}.{}\"", n >> 16, n >> 8 & 255, n & 255);
        format!("Net := import \"Net\"; x := Net.set(\"1.1.1.1\"{});", many(size, network))
    }),
    ("names", |size| many(size, |n| format!("n{n} := {n};"))),
    ("names in a chain", |size| {
        format!("n0 := 1;{}", many(size, |n| format!("n{} := n{n};", n + 1)))
    }),
    ("one name again and again", |size| "x := 1;".repeat(size / 7)),
    ("blocks that run each other", |size| {
        format!("b0 := {{}};{}", many(size, |n| format!("b{} := {{ b{n}; b{n}; }};", n + 1)))
    }),
    ("conditions", |size| "if (true) {}".repeat(size / 12)),
    ("one if with many arms", |size| {
        format!("if (true) {{}}{}", "elsif (true) {}".repeat(size / 15))
    }),
    ("arms that differ", |size| {
        let arm = |n| format!("elsif (Http.request.uri.path == \"/{n}\") {{}}");
        format!("Http := import \"Http\";if (false) {{}}{}", many(size, arm))
    }),
    ("names and conditions", |size| {
        let names = many(size / 4, |n| format!("n{n} := {n};"));
        names + &"if (n0 == 1) {}".repeat(size / 20)
    }),
    ("patterns", |size| many(size, |n| format!("\"x\" matches \"^[a-z]{{1,50}}{n}$\";"))),
    ("patterns that grow", |size| "\"x\" matches \"((a{9}){9}){9}\";".repeat(size / 33)),
    ("one pattern", |size| format!("\"x\" matches \"{}\";", "(a|b)*".repeat(size.min(60_000) / 6))),
    ("imports", |size| "import \"Http\";".repeat(size / 14)),
    ("imports of what is not known", |size| many(size, |n| format!("import \"M{n}\";"))),
    ("unreachable", |size| "interpreter.stop();".repeat(size / 19)),
    ("failures", |size| "Core.number(\"x\");".repeat(size / 17)),
    ("decisions", |size| {
        "if (Http.request.method == \"GET\") { Access.allow(); }".repeat(size / 54)
    }),
    ("rules with one prefix", |size| {
        let rule = |n: usize| {
            format!("if (path begins_with \"/{}\") {{ Core.log(\"\"); }}\n", "a".repeat(n % 500))
        };
        format!("Http := import \"Http\"; path := Http.request.uri.path;{}", many(size, rule))
    }),
    ("rules that are all alike", |size| {
        let rule = |n: usize| {
            let path = if n.is_multiple_of(2) { "/".to_owned() } else { format!("/{n}") };
            format!("if (path begins_with \"{path}\") {{ Core.log(\"\"); }}\n")
        };
        format!("Http := import \"Http\"; path := Http.request.uri.path;{}", many(size, rule))
    }),
    ("a chain of names that is used", |size| {
        let names: String = (0..3_500).map(|n| format!("n{} := n{n} + 1;", n + 1)).collect();
        let uses = "Core.log(Core.text(n3500));".repeat(size.saturating_sub(names.len()) / 100);
        format!("n0 := 1;{names}{uses}")
    }),
    ("a chain of blocks", |size| {
        let names: String = (0..3_500).map(|n| format!("b{} := {{ b{n}; }};", n + 1)).collect();
        format!("b0 := {{}};{names}{}", "b3500;".repeat(size.saturating_sub(names.len()) / 6))
    }),
    ("a chain of blocks that can be run", |_| {
        let names: String = (0..160).map(|n| format!("b{} := {{ b{n}; }};", n + 1)).collect();
        format!("b0 := {{ Core.log(\"x\"); }};{names}b160;")
    }),
    ("a long text in many sets", |size| with_long(size, "Core.set(x, x, x).has(x);")),
    ("a long text in a set", |size| {
        with_long(size, "") + &format!("y := Core.set(x{});", ",x".repeat((size - 60_100) / 2))
    }),
    ("a long text that is compared", |size| with_long(size, "if (x == x) {} if (x contains x) {}")),
    ("a long text that is logged", |size| with_long(size, "Core.log(x);")),
    ("a long text as a module", |size| with_long(size, "import x;")),
    ("a long text as a service", |size| with_long(size, "Services.findOne(x);")),
    ("a long text as a header", |size| with_long(size, "Http.makeHeader(x);")),
    ("a long text as a pattern", |size| with_long(size, "\"a\" matches x;")),
    ("a long text as a path", |size| with_long(size, "if (Http.request.uri.path == x) {}")),
    ("a large set that is used often", |size| {
        let set = format!("s := Core.set(\"\"{});", many(size / 2, |n| format!(",\"{n}\"")));
        format!("Http := import \"Http\";{set}{}", "s.has(Http.request.method);".repeat(size / 56))
    }),
    ("text operators", |size| format!("x := \"a\"{};", " contains \"a\"".repeat(size / 13))),
    ("services", |size| many(size, |n| format!("Services.findOne(\"opes://x/{n}\");"))),
    ("strings that are long", |size| {
        let text = "a".repeat(60_000);
        format!("Core.log(\"{text}\");").repeat(size / 60_012)
    }),
    ("blocks in blocks", |size| {
        let nest = format!("{}{}", "{".repeat(60), "}".repeat(60));
        nest.repeat(size / nest.len())
    }),
    ("tries", |size| format!("x := {}{{}};", "try ".repeat(size / 4))),
    ("operators as members", |size| format!("x := 1{};", ".+(1)".repeat(size / 5))),
];

/// Assigns a long text to a name, and repeats an operation on it.
fn with_long(size: usize, piece: &str) -> String {
    let text = "a".repeat(60_000);
    let n_pieces = (size - 60_100) / piece.len().max(1);
    format!("Http := import \"Http\"; x := \"{text}\";{}", piece.repeat(n_pieces))
}

/// Repeats pieces up to a size.
fn many(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut out = String::with_capacity(size + 100);
    let mut n = 0;
    while out.len() < size {
        out += &piece(n);
        n += 1;
    }
    out.truncate(size);
    out
}
