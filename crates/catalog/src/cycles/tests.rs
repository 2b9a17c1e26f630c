use super::*;
use crate::samples::{catalog, resource};

fn paths(catalog: &Catalog) -> Vec<String> {
    find(catalog).iter().map(|cycle| cycle.path(catalog)).collect()
}

#[test]
fn what_only_contains_has_no_cycles() {
    let resources = vec![resource("Class", "A", &[]), resource("File", "/a", &[])];
    assert_eq!(paths(&catalog(resources, &[(0, 1)])), Vec::<String>::new());
}

#[test]
fn a_chain_has_no_cycles() {
    let resources = vec![
        resource("File", "/a", &[("before", "File[/b]")]),
        resource("File", "/b", &[("notify", "File[/c]")]),
        resource("File", "/c", &[("require", "File[/a]")]),
    ];
    assert_eq!(paths(&catalog(resources, &[])), Vec::<String>::new());
}

#[test]
fn each_component_is_shown_by_its_shortest_cycle() {
    let resources = vec![
        resource("File", "/a", &[("before", "File[/b]")]),
        resource("File", "/b", &[("before", "File[/c]")]),
        resource("File", "/c", &[("before", "File[/a]"), ("notify", "File[/b]")]),
        resource("Exec", "x", &[("subscribe", "Exec[x]")]),
    ];
    let catalog = catalog(resources, &[]);
    assert_eq!(paths(&catalog), ["File[/b] => File[/c] => File[/b]", "Exec[x] => Exec[x]"]);
}

#[test]
fn containers_end_after_what_they_contain() {
    let resources = vec![
        resource("Class", "A", &[("before", "Class[B]")]),
        resource("Class", "B", &[]),
        resource("File", "/a", &[("require", "File[/b]")]),
        resource("File", "/b", &[]),
    ];
    let catalog = catalog(resources, &[(0, 2), (1, 3)]);
    assert_eq!(paths(&catalog), ["Class[A] => Class[B] => File[/b] => File[/a] => Class[A]"]);
}

#[test]
fn nothing_comes_before_its_own_container() {
    let resources =
        vec![resource("Class", "A", &[]), resource("File", "/a", &[("require", "Class[A]")])];
    assert_eq!(paths(&catalog(resources, &[(0, 1)])), ["Class[A] => File[/a] => Class[A]"]);
}

#[test]
fn other_names_of_a_resource_are_known() {
    let resources = vec![
        resource("File", "data", &[("path", "/srv"), ("before", "Exec[y]")]),
        resource("Exec", "x", &[("alias", "y"), ("before", "File[/srv/]")]),
    ];
    assert_eq!(paths(&catalog(resources, &[])), ["File[data] => Exec[x] => File[data]"]);
}

#[test]
fn places_are_those_of_the_manifests() {
    let mut only = resource("Exec", "x", &[("require", "Exec[x]")]);
    only.file = Some("site.pp".into());
    only.line = Some(7);
    let catalog = catalog(vec![only], &[]);
    assert_eq!(find(&catalog)[0].places(&catalog), ["Exec[x] (site.pp:7)"]);
}

#[test]
fn long_chains_need_no_stack() {
    let n = 20_000;
    let resource = |at: usize| {
        resource("Exec", &at.to_string(), &[("before", &format!("Exec[{}]", (at + 1) % n))])
    };
    let catalog = catalog((0..n).map(resource).collect(), &[]);
    let cycles = find(&catalog);
    assert_eq!((cycles.len(), cycles[0].resources.len()), (1, n));
}
