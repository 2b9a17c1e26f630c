//! Attacks that are made up: programs, templates and functions in Ruby whose parts grow, nest and loop.
//!
//! A program is a value that grows by steps, and uses of it, in loops, in recursion, or in both. `ATTACKS=100000` runs
//! that many, `SEED` begins elsewhere, `FROM=500` leaves out the first ones, and `SHOW=1` prints each before it runs.

use std::fmt::Write as _;
use std::time::Duration;

use crate::{Arena, Outcome};

/// The number of attacks of a usual run.
const FEW: u64 = 60;

/// A source of numbers that are the same for a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[usize::try_from(self.below(choices.len() as u64)).expect("it is small")]
    }
}

/// Numbers of times, from few to hopeless.
const TIMES: &[&str] = &["3", "12", "25", "40", "60", "1000", "100000", "5000000", "9000000000"];

const SEEDS: &[&str] = &[
    "'x'",
    "'äöü'",
    "[1]",
    "['a', 'b']",
    "{ 'a' => 1 }",
    "Integer",
    "1",
    "undef",
    "''",
    "[]",
    "{}",
    "1.5",
];

/// Steps by which a value `$m` grows in Puppet's language.
const STEPS: &[&str] = &[
    "\"${m}${m}\"",
    "\"${m}x\"",
    "\"${m}${i}${m}\"",
    "$m + $m",
    "[$m, $m]",
    "[$m]",
    "[*$m, *$m]",
    "[$m, $i]",
    "{ 'a' => $m, 'b' => $m }",
    "{ 'a' => $m }",
    "{ $m => $m }",
    "{ $i => $m } + { 'x' => $m }",
    "$m << $i",
    "$m + [$m]",
    "Array[$m]",
    "Tuple[$m, $m]",
    "Variant[$m, Array[$m]]",
    "Struct[{ 'a' => $m, 'b' => $m }]",
    "Optional[$m]",
    "Sensitive($m)",
    "Deferred('f', [$m, $m])",
    "[$m, $m].flatten",
    "[$m, $m].unique",
    "[$m].map |$x| { [$x, $x] }",
    "split(\"${m}${m}\", '')",
    "join([$m, $m], \"${m}\")",
    "regsubst(\"${m}\", '(.)', '\\1\\1', 'G')",
    "String($m)",
    "String([$m, $m], '%#p')",
    "type($m)",
    "[$m, $m].reduce |$p, $q| { [$p, $q] }",
    "sprintf('%s%s', $m, $m)",
    "inline_epp('<%= $x %><%= $x %>', { 'x' => $m })",
    "inline_template('<%= [@m, @m] %>')",
    "[$m] * 2",
    "Integer[1, 1000].map |$x| { $m }",
    "{ 'k' => [$m, $m] }.map |$k, $v| { $v }",
    "[[$m, 1], [$m, 2]].slice(1)",
    "$m.then |$x| { [$x, $x] }",
    "[$m, [$m, [$m]]]",
    "dig([$m, [$m]], 1)",
    "with($m, $m) |$p, $q| { [$p, $q] }",
    "Binary(\"${m}\", '%s')",
    "Hash([['a', $m], ['b', $m]])",
    "Array($m, true)",
    "\"${m}\".upcase",
    "[$m].tree_each.map |$x| { $x }",
];

/// Uses of a value `$v`.
const USES: &[&str] = &[
    "notice($v)",
    "notice(\"${v}\".length)",
    "notify { 'a': message => $v }",
    "notify { $v: }",
    "notice($v == [$v])",
    "notice($v =~ Data)",
    "notice(type($v))",
    "notice(flatten($v).length)",
    "notice(unique([$v, $v]))",
    "notice({ $v => 1 })",
    "notice(String($v, '%#p').length)",
    "fail($v)",
    "notice(inline_template('<%= @v.inspect.size %>'))",
    "notice(inline_template('<%= @v.to_s * 10 %>').length)",
    "notice(inline_epp('<%= $v %>', { 'v' => $v }))",
    "tag($v)",
    "include($v)",
    "notice(join([$v, $v], ','))",
    "create_resources('notify', { 'a' => { 'message' => $v } })",
    "notice($v in [$v])",
    "case $v { [1]: { } Array[Data]: { } default: { } }",
    "notice(lookup('k', { 'default_value' => $v }))",
    "@@notify { 'a': message => $v }",
    "notice(Sensitive($v))",
    "$v.each |$x| { notice($x) }",
    "notice(sprintf('%p', $v))",
    "$v.tree_each |$x| { }",
    "notice([$v, $v].sort)",
    "notice($v - [1])",
    "notice(assert_type(Array[Integer], $v))",
    "define d($p) { notice($p) } d { 'a': p => $v }",
    "notice(regsubst(\"${v}\", '(a+)+$', 'x', 'G').length)",
    "notice(\"${v}\" =~ /^(x+x+)+y$/)",
    "notice(md5(\"${v}\"))",
    "notice(max(\"${v}\", 'a'))",
];

/// Code around a statement `BODY`; `N` is a number of times.
const AROUND: &[&str] = &[
    "BODY",
    "BODY",
    "BODY",
    "Integer[1, N].each |$i| { BODY }",
    "Integer[1, N].map |$i| { BODY 1 }",
    "function f($n) { BODY f($n + 1) } f(0)",
    "function f($n) { BODY f($n) f($n) } f(0)",
    "function f($n) { if $n > 0 { BODY f($n - 1) f($n - 1) } } f(N)",
    "define r() { BODY r { \"${title}x\": } } r { 'r': }",
    "function f() { BODY inline_template('<%= scope.call_function(\"f\", []) %>') } f()",
    "function f() { BODY inline_epp('<%= f() %>') } f()",
    "class c { BODY include(c) } include c",
    "with(1) |$x| { BODY }",
    "[1, 2].each |$x| { [1, 2].each |$y| { BODY } }",
];

/// Steps by which a value `m` grows in Ruby.
const RUBY_STEPS: &[&str] = &[
    "m = [m, m]",
    "m = [m]",
    "m = { 1 => m, 2 => m }",
    "m = { m => m }",
    "m = \"#{m}#{m}\"",
    "m = m.to_s + m.to_s",
    "m = m.to_s * 2",
    "m = [m, m].flatten",
    "m = [*m, *m]",
    "m = [m].product([m, 1])",
    "m = m.to_s.chars",
    "m = m.to_s.gsub(/./) { |c| c + c }",
    "m = m.to_s.gsub('x', 'xx')",
    "m = m.inspect",
    "m = [m, m].join(',')",
    "m = Array(m) + Array(m)",
    "m = m.to_s.split('')",
    "m = [m] * 3",
    "m = m.to_s.ljust(m.to_s.size * 2, 'x')",
    "m = (m.to_s + 'x').succ",
    "m = [[m, 1]].to_h",
    "m = m.to_s.scan(/./)",
    "m = Array(m).zip(Array(m))",
    "m = Array(m).each_slice(1).to_a",
    "m = Array(m).combination(2).to_a",
    "m = Array(m).cycle(2) { }",
    "m = '%s%s' % [m, m]",
    "m = lambda { m }",
    "m = m.to_s.tr('a-z', 'b-za') + 'x'",
    "m = Array(m).inject { |a, b| [a, b] }",
    "m = m.to_s.prepend(m.to_s)",
    "m = m.to_s.insert(0, m.to_s)",
    "m = m.to_s.unpack('C*')",
    "m = Array(m).sort_by { |x| x.to_s }",
    "m = m.to_s.bytes.map { |b| [b] }",
    "m = Array(m).group_by { |x| x.to_s }",
    "m = Array(m).each_cons(1).to_a",
    "m = m.to_s.center(m.to_s.size + 100)",
    "m = Array(m).map { |x| [x, x] }.flatten(1)",
    "m = m.to_s.each_char.to_a",
    "m = scope.call_function('flatten', [[m, m]])",
    "m = scope.call_function('join', [[m, m], ','])",
];

const RUBY_USES: &[&str] = &[
    "m.to_s.size",
    "m.inspect.size",
    "m == [m]",
    "m.hash.to_s",
    "[m, m].uniq.size",
    "[m].flatten.size",
    "{ m => 1 }.size",
    "scope.call_function('notice', [m])",
    "scope.setvar(\"v#{rand(9)}\", m)",
    "m.to_s =~ /^(x+x+)+y$/",
    "(m <=> m).to_s",
    "m.to_s.gsub(/x/, m.to_s).size",
    "[m, m].join(m.to_s).size",
    "m.to_s.center(10**6).size",
    "raise m.to_s",
    "m.to_s.to_sym.to_s.size",
    "scope.function_inline_template([m.to_s]).size",
    "m.to_s.each_line.to_a.size",
    "Array(m).permutation.to_a.size",
    "Array(m).product(Array(m)).size",
    "format('%p %p', m, m).size",
    "m.to_s.crypt('ab')",
    "m.dup.inspect.size",
];

const RUBY_AROUND: &[&str] = &[
    "BODY",
    "BODY",
    "N.times { BODY }",
    "loop { BODY }",
    "i = 0; while i < N; i += 1; BODY; end",
    "(1..N).map { |i| BODY }",
    "f = lambda { |g| BODY; g.call(g) }; f.call(f)",
    "f = lambda { |g, n| BODY; n == 0 ? 0 : [g.call(g, n - 1), g.call(g, n - 1)] }; f.call(f, N)",
    "begin; BODY; rescue Exception; BODY; end",
    "begin; BODY; ensure; BODY; end",
    "begin; BODY; raise 'x'; rescue; retry; end",
    "loop { begin; BODY; rescue Exception; end }",
    "[3, 1, 2].sort_by { |x| BODY; x }",
    "'abc'.gsub(/./) { |c| BODY; c }",
    "h = Hash.new { |hash, k| BODY; hash[k] = hash[k + 1] }; h[0]",
    "1.upto(N) { |i| BODY }",
    "[1, 2].each { |x| [1, 2].each { |y| BODY } }",
];

/// Makes a program in Puppet's language.
fn puppet(dice: &mut Dice) -> String {
    let mut body = String::new();
    let n_values = 1 + dice.below(2);
    for n in 0..n_values {
        let step = dice.pick(STEPS);
        let step = if dice.below(4) == 0 {
            format!("[{step}, {}]", dice.pick(STEPS))
        } else {
            step.to_owned()
        };
        let (times, seed) = (dice.pick(TIMES), dice.pick(SEEDS));
        let _ = write!(body, "$v{n} = Integer[1, {times}].reduce({seed}) |$m, $i| {{ {step} }} ");
    }
    for _ in 0..=dice.below(2) {
        let of = format!("$v{}", dice.below(n_values));
        let _ = write!(
            body,
            "{} ",
            dice.pick(USES).replace("$v", &of).replace("@v", &of.replace('$', "@"))
        );
    }
    let around = dice.pick(AROUND).replace("BODY", &body);
    around.replace('N', dice.pick(TIMES))
}

/// Makes an expression in Ruby.
fn ruby(dice: &mut Dice) -> String {
    let (seed, times) = (
        dice.pick(&["'x'", "[1]", "{ 1 => 2 }", "'äö'", "%w[a b c]", "7", "nil"]),
        dice.pick(TIMES),
    );
    let grow = format!("m = {seed}; {times}.times {{ {} }}", dice.pick(RUBY_STEPS));
    let body = format!("{grow}; {}", dice.pick(RUBY_USES));
    let around = dice.pick(RUBY_AROUND).replace("BODY", &body);
    around.replace('N', dice.pick(TIMES))
}

/// Runs as many as are asked for.
pub(crate) fn run(arena: &mut Arena) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (n, seed) = (number("ATTACKS").unwrap_or(FEW), number("SEED").unwrap_or(1));
    let mut counts = [0_u64; 3];
    let (mut longest, mut most) = (Duration::ZERO, 0);
    let is_shown = std::env::var_os("SHOW").is_some();
    for at in number("FROM").unwrap_or(0)..n {
        let mut dice = Dice(seed.wrapping_mul(1 << 32).wrapping_add(at));
        // A few have time enough to fill the memory.
        arena.time = Duration::from_millis(if dice.below(64) == 0 { 3000 } else { 30 });
        let (text, program) = attack(arena, &mut dice);
        if is_shown {
            eprintln!("{at}: {text}");
        }
        let (outcome, time, peak) = arena.attack(&program);
        arena.bounds(&text, time, peak);
        if is_shown {
            eprintln!("{:6} ms {:4} MB", time.as_millis(), peak >> 20);
        }
        (longest, most) = (longest.max(time), most.max(peak));
        match outcome {
            Outcome::Catalog => counts[0] += 1,
            Outcome::Limit => counts[1] += 1,
            Outcome::Other(error) if error.contains("panic") || error.contains("internal") => {
                arena.problems.push(format!("{error}: {text}"));
            }
            Outcome::Other(_) => counts[2] += 1,
        }
        if at % 1000 == 999 {
            let n_problems = arena.problems.len();
            eprintln!(
                "{at}: {counts:?}, {n_problems} problems, at most {longest:?} and {} MB",
                most >> 20
            );
        }
    }
    let [catalogs, limits, others] = counts;
    eprintln!(
        "{catalogs} catalogs, {limits} limits, {others} other errors, at most {longest:?} and {} MB",
        most >> 20
    );
}

/// Makes an attack: its text, and the program that begins it.
fn attack(arena: &Arena, dice: &mut Dice) -> (String, String) {
    match dice.below(4) {
        0 | 1 => {
            let program = puppet(dice);
            (program.clone(), program)
        }
        2 => {
            let text = ruby(dice);
            arena.write("modules/m/templates/generated.erb", &format!("<%= ({text}) %>"));
            (format!("template: {text}"), "notice(template('m/generated.erb').length)".to_owned())
        }
        _ => {
            let text = ruby(dice);
            let calls = if dice.below(3) == 0 { "; call_function('m::g')" } else { "" };
            let function = format!(
                "Puppet::Functions.create_function(:'m::g') do\n  def g\n    scope = closure_scope\n    {text}{calls}\n  end\nend\n"
            );
            arena.write("modules/m/lib/puppet/functions/m/g.rb", &function);
            (format!("function: {text}{calls}"), "notice(m::g())".to_owned())
        }
    }
}
