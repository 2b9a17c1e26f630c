use super::Uri;

#[track_caller]
fn check(text: &str, expected: &str) {
    let actual = Uri::parse(text).map_or_else(|error| error.0, |uri| uri.to_string());
    assert_eq!(actual, expected);
}

#[test]
fn what_goes_without_saying_is_left_out() {
    check("HTTP://u@Host:80/a?b#c", "http://u@Host/a?b#c");
    check("https://h:8443/", "https://h:8443/");
    check("file://localhost/a", "file:///a");
    check("urn:a:b?c", "urn:a:b?c");
    check("http://[::1]:80/", "http://[::1]/");
}

#[test]
fn what_is_no_uri_is_refused() {
    check("a b", "bad URI(is not URI?): \"a b\"");
    check("http://h/%zz", "bad URI(is not URI?): \"http://h/%zz\"");
    check("http://[::g]/", "bad URI(is not URI?): \"http://[::g]/\"");
    check("http://h/é", "URI must be ascii only \"http://h/\\u00E9\"");
}

#[test]
fn components_are_found_by_name() {
    let uri = Uri::parse("ftp://u:p@h/%2Fa").expect("a URI");
    let component = |name| uri.component(name).map(|value| crate::interpolate::text(&value));
    assert_eq!(component("path").as_deref(), Some("/a"));
    assert_eq!(component("port").as_deref(), Some("21"));
    assert_eq!(component("userinfo").as_deref(), Some("u:p"));
    assert_eq!(component("query"), None);
}
