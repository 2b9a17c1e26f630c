//! Attacks that are put together at random: something that grows, and something that is done with it.

use crate::{Arena, Outcome};

/// Numbers that follow no pattern (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % n as u64).unwrap_or_default()
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.next(list.len())]
    }
}

const SEEDS: &[&str] = &["1", "'ab'", "[]", "[1]", "{}", "{ 'a' => 1 }", "Integer", "undef"];

const STEPS: &[&str] = &[
    "[$m, $m]",
    "[$m]",
    "[1, $m, 2]",
    "{ 'a' => $m, 'b' => $m }",
    "{ 'k' => [$m, $m] }",
    "\"${m}${m}\"",
    "[\"${m}\", $m]",
    "[$m] + [$m]",
    "Sensitive($m)",
    "type($m)",
    "[$m, $i]",
    "{ $m => $m }",
    "[$m, $m, $m, $m].flatten",
    "[[$m], [$m]].unique",
    "String($m)",
];

const USES: &[&str] = &[
    "notice(\"${x}\")",
    "notice($x)",
    "notice($x == $y)",
    "notice([$x] + [$y])",
    "notice(type($x))",
    "notice(flatten([$x, $y]))",
    "notify { 'a': message => $x }",
    "notify { 'a': message => [$x, $y] }",
    "notice({ $x => $y })",
    "notice([$x, $y].unique)",
    "notice(String($x, '%p').length)",
    "notice($x =~ Data)",
    "notice($x =~ type($y))",
    "notice(inline_template('<%= @x.to_s.size %>'))",
    "notice(inline_template('<%= [@x, @y].flatten.uniq.size %>'))",
    "notice(inline_template('<%= @x == @y %>'))",
    "notice(inline_template('<%= { @x => @y }.hash %>'))",
    "notice(inline_epp('<%= $x %><%= $y %>').length)",
    "define d($v) { notice($v) notify { $title: message => $v } } d { 'a': v => [$x, $y] }",
    "function f($v) { f([$v, $v]) } f($x)",
    "function f($v) { \"${v}\" } notice([f($x), f($y)])",
    "[$x].tree_each |$part| { }",
    "notice([$x, $y].map |$v| { \"${v}\" })",
    "notice(unique(flatten([$x, $y, $x])))",
];

const RUBY_SEEDS: &[&str] = &["1", "'ab'", "[]", "[1]", "{}", "nil", ":a", "1.5", "2"];

const RUBY_STEPS: &[&str] = &[
    "[a, a]",
    "[a]",
    "{ 1 => a }",
    "{ a => a }",
    "a.to_s + a.to_s",
    "[a.inspect]",
    "[a, a].flatten",
    "[a] * 3",
    "lambda { a }",
    "[a].each",
    "[a, [a]].uniq",
    "[a, a].product([a, a])",
    "(a.to_s * 3)",
    "[a].cycle.first(3)",
    "(a.hash ** 2)",
    "[a].pack('A*') rescue [a]",
    "{ 'x' => [a, a] }.to_a",
];

const RUBY_USES: &[&str] = &[
    "a.to_s.size",
    "a.inspect.size",
    "a.hash",
    "a == b",
    "[a, b].uniq.size",
    "{ a => b }.size",
    "[a, b].flatten.size",
    "[a, b].join.size",
    "[a].to_yaml.size",
    "scope.call_function('notice', [a])",
    "scope.call_function('flatten', [[a, b]])",
    "scope.setvar('kept', [a, b])",
    "'x'.ljust(a.to_s.size ** 4).size",
    "('x' * a.to_s.size ** 3).gsub('x', a.to_s).size",
    "[a, b].permutation.to_a.to_s.size",
    "a.dup == b.dup",
    "[[a, b]].transpose.size",
    "f = lambda { |v| f.call([v, v]) }; f.call(a)",
    "1",
];

const TIMES: &[u32] = &[3, 12, 25, 40, 70, 2_000, 60_000];

fn puppet(random: &mut Random) -> String {
    let mut value = |name: &str| {
        let (seed, step) = (random.pick(SEEDS), random.pick(STEPS));
        let times = TIMES[random.next(TIMES.len())];
        format!("${name} = Integer[1,{times}].reduce({seed}) |$m, $i| {{ {step} }}")
    };
    let (x, y) = (value("x"), value("y"));
    format!("{x} {y} {}", random.pick(USES))
}

fn ruby(random: &mut Random) -> String {
    let mut value = |name: &str| {
        let (seed, step) = (random.pick(RUBY_SEEDS), random.pick(RUBY_STEPS));
        let times = TIMES[random.next(TIMES.len())];
        let step = step.replace('a', "#").replace("fl#tten", "flatten");
        let step = restore(&step).replace('#', name);
        format!("{name} = {seed}; {times}.times {{ {name} = {step} }};")
    };
    let (a, b) = (value("a"), value("b"));
    format!("{a} {b} {}", random.pick(RUBY_USES))
}

/// Puts the letter back into the names of methods.
fn restore(step: &str) -> String {
    let names = ["to_#", "l#mbd#", "e#ch", "h#sh", "p#ck", "uniq"];
    names.iter().fold(step.to_owned(), |step, name| step.replace(name, &name.replace('#', "a")))
}

pub(crate) fn run(arena: &mut Arena, n: u64) {
    let seed = std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut random = Random(seed);
    let (mut catalogs, mut limits, mut others) = (0_u64, 0_u64, 0_u64);
    for number in 0..n {
        let manifest = match random.next(2) {
            0 => puppet(&mut random),
            _ => {
                arena
                    .write("modules/m/templates/g.erb", &format!("<%= ({}) %>", ruby(&mut random)));
                "notice(template('m/g.erb').length)".to_owned()
            }
        };
        match arena.attack(&manifest) {
            Outcome::Catalog => catalogs += 1,
            Outcome::Limit(_) => limits += 1,
            Outcome::Other(_) => others += 1,
        }
        if number % 1_000 == 999 {
            println!("{} generated attacks, {} MB", number + 1, arena.peak >> 20);
        }
    }
    println!("{n} generated attacks: {limits} limits, {others} other errors, {catalogs} catalogs");
}
