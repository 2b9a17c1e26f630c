//! A panic ends one compilation, not the process.

use std::sync::Arc;

use kukla_catalog::exports::{ExportSearch, Exports, ExportsError, Stored};
use kukla_compiler::Limits;

use crate::code::{Code, compile, failure, hash};

/// A store of exports that panics while the compilation and its caches are in the middle of something.
#[derive(Debug)]
struct Broken;

impl Exports for Broken {
    fn search(&self, _: &ExportSearch<'_>) -> Result<Vec<Stored>, ExportsError> {
        panic!("as the test wants")
    }
}

#[test]
fn others_go_on_in_the_same_snapshot() {
    let manifest = "include m Notify <<| |>>";
    let class = "class m { notify { template('m/t.erb'): } }";
    let code = Code::new(&[
        ("envs/e/manifests/site.pp", manifest),
        ("envs/e/modules/m/manifests/init.pp", class),
        ("envs/e/modules/m/templates/t.erb", "<%= 1 + 1 %>"),
    ]);
    let site = code.site(&[]);
    let broken = || {
        let exports: Arc<dyn Exports> = Arc::new(Broken);
        compile(&site, "e", hash(&[]), Limits::default(), |request| request.exports = Some(exports))
    };
    let whole = || compile(&site, "e", hash(&[]), Limits::default(), |_| ());
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (broken, whole) = (&broken, &whole);
            scope.spawn(move || {
                for _ in 0..20 {
                    if n % 2 == 0 {
                        let (code, message) = failure(broken());
                        assert_eq!(code, "internal-error");
                        assert!(message.contains("as the test wants"), "{message}");
                    } else {
                        let catalog = whole().catalog.expect("it has a catalog");
                        assert!(catalog.resources.iter().any(|resource| resource.title == "2"));
                    }
                }
            });
        }
    });
    // The thread that has panicked compiles as before.
    let _ = broken();
    assert!(whole().catalog.is_ok());
}
