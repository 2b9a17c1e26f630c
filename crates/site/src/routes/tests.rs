use super::*;

fn lines(text: &str) -> Vec<usize> {
    Routes::read(text).expect("routes").notes.iter().map(|note| note.line).collect()
}

#[test]
fn what_sites_have_is_understood() {
    for (section, cache) in [("master", "yaml"), ("server", "json")] {
        let text =
            format!("---\n{section}:\n  facts:\n    terminus: puppetdb\n    cache: {cache}\n");
        let routes = Routes::read(&text).expect("routes");
        assert_eq!(routes.facts_in_puppetdb(false), Some(true));
        assert_eq!(routes.catalogs_in_puppetdb(true), None);
        assert_eq!(routes.notes, []);
    }
    // Of `puppet apply`, as PuppetDB's module writes it.
    let apply = "apply:\n  catalog:\n    terminus: compiler\n    cache: puppetdb\n";
    assert_eq!(Routes::read(apply), Ok(Routes::default()));
    let routes = Routes::read(&apply.replace("apply", "server")).expect("routes");
    assert_eq!(routes.catalogs_in_puppetdb(false), Some(true));
}

#[test]
fn routes_can_keep_things_from_puppetdb() {
    let read = |text: &str| Routes::read(&format!("server:\n{text}")).expect("routes");
    let facts = |terminus: &str, cache: &str| {
        read(&format!("  facts: {{ terminus: {terminus}, cache: {cache} }}\n"))
    };
    assert_eq!(facts("yaml", "json").facts_in_puppetdb(true), Some(false));
    assert_eq!(facts("yaml", "store_configs").facts_in_puppetdb(true), Some(true));
    assert_eq!(facts("yaml", "store_configs").facts_in_puppetdb(false), Some(false));
    assert_eq!(facts("yaml", "~").facts_in_puppetdb(true), Some(true));
    assert_eq!(facts("yaml", "~").facts_in_puppetdb(false), Some(false));
    let catalog = read("  catalog: { cache: yaml }\n");
    assert_eq!(catalog.catalogs_in_puppetdb(true), Some(false));
}

#[test]
fn mistakes_have_places() {
    for (text, line, words) in [
        ("", 1, "no hash"),
        ("- a\n", 1, "no hash"),
        ("\nserver: x\n", 2, "`server` is no hash"),
        ("server:\n  facts: yaml\n", 2, "`facts` is no hash"),
        ("server:\n  facts:\n", 2, "`facts` is no hash"),
        ("server:\n  fact:\n    terminus: yaml\n", 2, "Indirection fact does not exist"),
        ("server:\n  facts:\n    terminus: 1\n", 3, "is no name"),
        ("server:\n  facts:\n    terminal: x\n", 2, "neither"),
        ("server: &a\n  facts: *a\n", 2, "lias"),
    ] {
        match Routes::read(text) {
            Err(RoutesError::Form { line: found, words: said }) => {
                assert!(found == line && said.contains(words), "{text:?}: {found} {said}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
    assert!(matches!(Routes::read("server: ["), Err(RoutesError::Yaml(_))));
}

#[test]
fn what_has_no_effect_is_said() {
    assert_eq!(lines("server:\n  catalog:\n    terminus: xpp_compiler\n"), [3]);
    assert_eq!(lines("server:\n  node:\n    terminus: exec\n    x: y\n"), [3, 4]);
    assert_eq!(lines("server:\n  facts:\n    terminus: zzz\nmaster:\n  a: b\n"), [4, 3]);
    assert_eq!(lines("agent:\n  x: y\nserver:\n"), [0; 0]);
    assert_eq!(lines("server:\n  facts:\n    terminus: :yaml\n"), [0; 0]);
}
