//! Soak test: memory stays bounded while environments change all the time.
//!
//! `SOAK=20000 cargo test --release -p kukla-site --test alive soak::measured -- --ignored --nocapture` is the long form.

use kukla_compiler::Limits;
use kukla_world::resident;

use crate::code::{Code, compile, hash};

/// The environment of a number; what it declares depends on how often it was changed.
fn write_class(code: &Code, environment: usize, module: usize, change: usize) {
    let mut class = format!("class m{module}($p = 'default') {{\n");
    for n in 0..20 {
        class += &format!(
            "  notify {{ \"m{module} {n}\": message => \"${{p}} ${{facts['fresh']}} {change}\" }}\n"
        );
    }
    class += &format!(
        "  notify {{ template('m{module}/t.erb'): }}\n  notify {{ epp('m{module}/t.epp'): }}\n}}\n"
    );
    let at = format!("envs/e{environment}/modules/m{module}");
    code.write(&format!("{at}/manifests/init.pp"), &class);
    code.write(&format!("{at}/templates/t.erb"), &format!("m{module} erb <%= {change} %>"));
    code.write(&format!("{at}/templates/t.epp"), &format!("m{module} epp <%= {change} %>"));
}

fn write_data(code: &Code, environment: usize, change: usize) {
    let data: String = (0..100).map(|n| format!("key{n}: 'value {change}'\n")).collect();
    let data = format!("{data}m1::p: '{change}'\n");
    code.write(&format!("envs/e{environment}/data/common.yaml"), &data);
}

const N_MODULES: usize = 5;

fn deploy(code: &Code, environment: usize) {
    let main: String = (0..N_MODULES).map(|m| format!("include m{m}\n")).collect();
    code.write(&format!("envs/e{environment}/manifests/site.pp"), &main);
    let hiera = "version: 5\nhierarchy:\n  - name: c\n    path: common.yaml\n";
    code.write(&format!("envs/e{environment}/hiera.yaml"), hiera);
    (0..N_MODULES).for_each(|module| write_class(code, environment, module, 0));
    write_data(code, environment, 0);
}

/// Edits, adds or removes a file.
fn change(code: &Code, environment: usize, n: usize) {
    match n % 4 {
        0 => write_class(code, environment, n % N_MODULES, n),
        1 => write_data(code, environment, n),
        2 => {
            code.write(&format!("envs/e{environment}/manifests/added.pp"), &format!("notice({n})"))
        }
        _ => {
            let added = format!("envs/e{environment}/manifests/added.pp");
            if code.0.join(&added).exists() {
                code.remove(&added);
            }
        }
    }
}

/// Compiles catalogs, and returns the memory after a tenth or a thousand of them, and the largest one after that.
fn soak(n_catalogs: usize, n_environments: usize) -> (u64, u64) {
    let code = Code::new(&[]);
    (0..n_environments).for_each(|environment| deploy(&code, environment));
    let site = code.site(&[("ruby_worker", "off")]);
    let first = (n_catalogs / 5).min(1_000);
    let (mut before, mut most) = (0, 0);
    for n in 1..=n_catalogs {
        let environment = (n * 7) % n_environments;
        change(&code, environment, n);
        let facts = hash(&[("fresh", &format!("fresh {n}")), (&format!("fact{n}"), "a")]);
        let compiled = compile(&site, &format!("e{environment}"), facts, Limits::default(), |_| ());
        compiled.catalog.unwrap_or_else(|failure| panic!("{failure}"));
        if n == first || n % 1_000 == 0 || n == n_catalogs {
            let used = resident().expect("there is /proc");
            println!("after {n} catalogs: {:.1} MiB", used as f64 / f64::from(1 << 20));
            before = if n == first { used } else { before };
            most = most.max(used);
        }
    }
    (before, most)
}

#[test]
#[ignore = "measures the memory of the process: runs alone, by `memory_stays`"]
fn measured() {
    let n: usize = std::env::var("SOAK").map_or(500, |n| n.parse().expect("a number"));
    let (before, most) = soak(n, if n > 1_000 { 50 } else { 10 });
    assert!(most * 2 <= before * 3, "{before} bytes became {most}");
}

#[test]
fn memory_stays() {
    let this = std::env::current_exe().expect("a test has a program");
    let output = std::process::Command::new(this)
        .args(["--ignored", "--exact", "--nocapture", "soak::measured"])
        .env_remove("SOAK")
        .output()
        .expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("1 passed"), "{printed}");
}
