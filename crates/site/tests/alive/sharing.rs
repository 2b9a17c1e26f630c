//! Memory that environments of the same content share.

use std::time::Instant;

use kukla_compiler::Limits;
use kukla_world::{ContentCache, resident};

use crate::code::{Code, compile, hash};

const N_ENVIRONMENTS: usize = 50;

/// Writes an environment with modules of some size.
fn deploy(code: &Code, name: &str) {
    let mut main = String::new();
    for m in 0..20 {
        main += &format!("include shared{m}\n");
        let mut class = format!("class shared{m}($p = 1) {{\n");
        for n in 0..100 {
            class += &format!(
                "  if $p == {n} {{ notify {{ \"shared{m} {n} ${{p}}\": message => 'a text that is not short' }} }}\n"
            );
        }
        class += &format!("  notice(epp('shared{m}/t.epp'))\n}}\n");
        let at = format!("envs/{name}/modules/shared{m}");
        code.write(&format!("{at}/manifests/init.pp"), &class);
        code.write(&format!("{at}/templates/t.epp"), &format!("<%= 'shared{m}' %> text"));
    }
    code.write(&format!("envs/{name}/manifests/site.pp"), &main);
    let mut data = String::new();
    (0..500).for_each(|n| data += &format!("shared::key{n}: 'a value {n}'\n"));
    code.write(&format!("envs/{name}/data/common.yaml"), &data);
    let hiera = "version: 5\nhierarchy:\n  - name: c\n    path: common.yaml\n";
    code.write(&format!("envs/{name}/hiera.yaml"), hiera);
}

#[test]
#[ignore = "counts what the process has parsed: runs alone, by `the_same_content_is_parsed_once`"]
fn counted() {
    let code = Code::new(&[]);
    (0..N_ENVIRONMENTS).for_each(|n| deploy(&code, &format!("e{n}")));
    let site = code.site(&[]);
    let opened = |n: usize| {
        let start = Instant::now();
        let compiled = compile(&site, &format!("e{n}"), hash(&[]), Limits::default(), |_| ());
        let catalog = compiled.catalog.unwrap_or_else(|failure| panic!("{failure}"));
        // Paths are those of the environment, though the trees are shared.
        let own = format!("/envs/e{n}/");
        let files = catalog.resources.iter().filter_map(|resource| resource.file.as_deref());
        assert!(files.clone().count() > 0 && files.clone().all(|file| file.contains(&own)));
        start.elapsed()
    };
    let empty = resident().unwrap_or_default();
    let first = opened(0);
    let made = ContentCache::of_process().counts().made;
    let one = resident().unwrap_or_default();
    let others: Vec<_> = (1..N_ENVIRONMENTS).map(opened).collect();
    let all = resident().unwrap_or_default();
    let mean = others.iter().sum::<std::time::Duration>() / (N_ENVIRONMENTS as u32 - 1);
    println!(
        "first {first:?} and {} KiB, others {mean:?} and {} KiB each; {made} parsed",
        (one - empty) >> 10,
        (all.saturating_sub(one) >> 10) / (N_ENVIRONMENTS as u64 - 1),
    );
    assert_eq!(ContentCache::of_process().counts().made, made, "nothing is parsed again");
    // A deploy that changes one file.
    code.write("envs/e0/modules/shared0/manifests/init.pp", "class shared0 { }");
    opened(0);
    assert_eq!(ContentCache::of_process().counts().made, made + 1, "one file is parsed");
}

#[test]
fn the_same_content_is_parsed_once() {
    let this = std::env::current_exe().expect("a test has a program");
    let output = std::process::Command::new(this)
        .args(["--ignored", "--exact", "--nocapture", "sharing::counted"])
        .output()
        .expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("1 passed"), "{printed}");
    println!("{printed}");
}
