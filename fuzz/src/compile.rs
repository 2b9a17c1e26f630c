//! Target that compiles programs to catalogs, with limits.

use std::cell::OnceCell;
use std::sync::Arc;

use kukla_catalog::exports::{Exported, InMemory, Stored};
use kukla_catalog::{cycles, dot, json, svg, tree};
use kukla_compiler::compile::{Request, compile};
use kukla_compiler::{Functions, Limits, Manifest, Strictness, source};
use kukla_pcore::{Hash, Value};
use kukla_syntax::Options;
use kukla_world::Record;

thread_local! {
    /// The built-in functions; they read no files and run no programs.
    static LIBRARY: OnceCell<Arc<Functions>> = const { OnceCell::new() };
}

/// Compiles a program for a node that collects exports of other nodes, and writes its catalog in every form.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(code) = std::str::from_utf8(bytes) else { return };
    let options = Options { file: "/fuzz.pp".to_owned(), ..Options::default() };
    let mut log = Vec::new();
    let Ok(program) = source::program(code, &options, &mut log) else { return };
    let manifest = Arc::new(Manifest::new(program, "", log, options.edition));
    let library = LIBRARY.with(|library| {
        Arc::clone(library.get_or_init(|| Arc::new(Functions::new(kukla_stdlib::BUILT_IN))))
    });
    // Enough for every case of the specs, and quickly exhausted.
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let (strictness, record) = (Strictness::default(), Record::off());
    let compiled = compile(library, strictness, limits, &[manifest], &request(), record);
    if let Ok(catalog) = &compiled.catalog {
        let text = json::write(catalog, "");
        assert!(text.starts_with('{') && text.ends_with('}'), "no object");
        drop((json::exported(catalog), Exported::all_of(catalog)));
        drop((tree::write(catalog), dot::write(catalog), svg::write(catalog)));
        for cycle in cycles::find(catalog) {
            drop((cycle.path(catalog), cycle.places(catalog)));
        }
    }
}

fn request() -> Request {
    let facts: Hash = [("os", "Debian"), ("hostname", "web")]
        .into_iter()
        .map(|(name, value)| (Value::from(name), Value::from(value)))
        .collect();
    let exported = |title: &str| Stored {
        node: "db.example.com".into(),
        resource: Exported {
            type_: "Notify".into(),
            title: title.into(),
            tags: vec!["notify".into(), "x".into()],
            parameters: vec![("message".into(), Value::from("hello")), ("tag".into(), Value::from("x"))],
        },
    };
    Request {
        node: "web.example.com".to_owned(),
        environment: "production".to_owned(),
        parameters: Arc::new(facts.clone()),
        facts: Arc::new(facts),
        exports: Some(Arc::new(InMemory(vec![exported("a"), exported("b")]))),
        ..Request::default()
    }
}
