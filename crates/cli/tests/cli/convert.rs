//! `kukla data convert`: converts between PDL and Hiera's YAML.

use crate::support::Sandbox;

#[test]
fn convert_carries_over_what_it_can_and_lists_the_rest() {
    let sandbox = Sandbox::new(&[
        (
            "common.yaml",
            "lookup_options: {}\nntp::a: \"x ${y} 'z' %{facts.os.family}\"\nntp::b: [1, 2.5, true, null, { k: \"it's\" }]\n\
             ntp::c: \"%{alias('ntp::b')}\"\nntp::d: \"p %{lookup('ntp::a')}\"\nbare: 1\nntp::e: 'back\\slash'\n",
        ),
        (
            "ntp/init.pdl",
            "$a = \"on ${facts['os']['family']}\"\n$b = 1 where $x > 1\n$c = upcase('x')\n$d = '%{x}'\n",
        ),
    ]);
    let ran = sandbox.run(&["data", "convert", "common.yaml"]);
    assert_eq!(
        ran.output,
        "$ntp::a = \"x \\${y} 'z' ${facts['os']['family']}\"\n\
         $ntp::b = [1, 2.5, true, undef, { 'k' => 'it\\'s' }]\n\
         $ntp::c = lookup('ntp::b')\n$ntp::e = 'back\\\\slash'\n"
    );
    assert_eq!((ran.code, ran.error.lines().count()), (1, 3), "{}", ran.error);
    sandbox.write("again/site.pdl", ran.output.as_bytes());
    let again = sandbox.run(&["data", "convert", "again/site.pdl"]);
    assert_eq!(again.code, 0, "{}", again.error);
    sandbox.write("third.yaml", again.output.as_bytes());
    assert_eq!(sandbox.run(&["data", "convert", "third.yaml"]).output, ran.output);
    let ran = sandbox.run(&["data", "convert", "ntp/init.pdl"]);
    assert_eq!(ran.output, "---\nntp::a: on %{facts.os.family}\nntp::d: \"%{literal('%')}{x}\"\n");
    assert_eq!((ran.code, ran.error.lines().count()), (1, 2), "{}", ran.error);
    assert_eq!(sandbox.run(&["data", "convert", "nope.pdl"]).code, 2);
}

const CONDITIONS: &str = "\
$a = 'node' where $trusted['certname'] == 'web1'
$a = 'both' where $facts['os']['family'] == 'Debian' and $facts['role'] in ['web', 'db']
$a = 'family' where $facts['os']['family'] == 'Debian' or $facts['os']['family'] == 'RedHat'
$a = \"for ${facts['role']}\" where $facts['role'] == 'db'
$a = 'rest'
$a = 'never'
$b = [1, 2] where $facts['number'] == 12
$c = { 'k' => true } where 'db' == $facts['role']
";

/// A lookup gives the same value with PDL and with the converted data.
#[test]
fn conditions_become_levels_that_say_the_same() {
    let sandbox = Sandbox::new(&[
        ("pdl/environment.conf", "datalocation = data\n"),
        ("pdl/data/ntp/init.pdl", CONDITIONS),
        ("hiera/environment.conf", ""),
    ]);
    let ran = sandbox.run(&["data", "convert", "pdl/data/ntp/init.pdl", "--output", "hiera"]);
    assert_eq!((ran.code, ran.output.as_str()), (0, ""), "{}", ran.error);
    let mut answers = std::collections::BTreeSet::new();
    for (node, family, role, number) in [
        ("web1", "Debian", "web", 12),
        ("web2", "Debian", "web", 12),
        ("web2", "Debian", "other", 1),
        ("web2", "RedHat", "db", 1),
        ("web2", "Suse", "db", 12),
        ("web2", "Suse", "other", 12),
        ("web1", "Suse", "db", 0),
    ] {
        let facts = format!(
            "{{\"os\": {{\"family\": \"{family}\"}}, \"role\": \"{role}\", \"number\": {number}}}"
        );
        sandbox.write("facts.json", facts.as_bytes());
        for key in ["ntp::a", "ntp::b", "ntp::c"] {
            let ask = |environment: &str| {
                sandbox.run(&[
                    "lookup",
                    key,
                    "--node",
                    node,
                    "--facts",
                    "facts.json",
                    "--environmentpath",
                    ".",
                    "--environment",
                    environment,
                    "--default",
                    "none",
                ])
            };
            let (pdl, hiera) = (ask("pdl"), ask("hiera"));
            assert_eq!(pdl.output, hiera.output, "{key} {node} {facts}\n{}", hiera.error);
            answers.insert(pdl.output);
        }
    }
    assert_eq!(answers.len(), 8, "{answers:?}");
    let again = sandbox.run(&["data", "convert", "pdl/data/ntp/init.pdl", "--output", "hiera"]);
    assert_eq!(again.code, 2, "nothing is overwritten");
}

#[test]
fn conditions_that_no_level_can_have_are_listed() {
    let sandbox = Sandbox::new(&[(
        "ntp/init.pdl",
        "$a = 1 where $x == 1\n$a = 2 where $y == 1\n$b = 1 where $y == 1\n$b = 2 where $x == 1\n\
         $c = 1 where $x =~ /1/\n$d = 1 where $x == 'a/b'\n$e = 1 where !$x\n$f = 1 where $x == $y\n$g = 1\n",
    )]);
    let ran = sandbox.run(&["data", "convert", "ntp/init.pdl"]);
    let listed: Vec<&str> =
        ran.error.lines().filter(|line| line.contains("not converted")).collect();
    assert_eq!((ran.code, listed.len()), (1, 5), "{}", ran.error);
    let place = |word: &str| ran.output.find(word).expect(word);
    assert!(place("x/%{::x}") < place("y/%{::y}") && place("y/%{::y}") < place("common"));
    assert!(ran.output.contains("# data/x/1.yaml\n---\nntp::a: 1\n"), "{}", ran.output);
}
