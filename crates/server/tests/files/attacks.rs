//! Requests that try to get what they may not have.

use kukla_server::agents::exchange::{Answer, AnswerBody, RouteError};
use kukla_server::agents::files::{Confinement, FileEnvironment, FileRequest, FileServer};
use kukla_server::agents::query::{Query, decoded};

use crate::recorded::{file_server, modulepath};
use crate::tree::Tree;

/// Paths as they are sent, and the status of the answer. A path that can't be decoded is refused with 400 by the router.
const PATHS: &[(&str, u16)] = &[
    // Out of a mount, by names that mean the parent.
    ("modules/demo/../../../../outside/secret.txt", 400),
    ("modules/demo/%2e%2e/metadata.json", 400),
    ("modules/demo/%2E%2E/metadata.json", 400),
    ("modules/demo/.%2e/metadata.json", 400),
    ("modules/demo/%2e./metadata.json", 400),
    ("modules/demo%2F..%2Fmetadata.json", 400),
    ("modules/demo%2f%2e%2e%2fmetadata.json", 400),
    ("modules/demo/tree/../a.txt", 400),
    ("modules/demo/./a.txt", 400),
    ("modules/demo/%2e/a.txt", 400),
    ("modules/demo/..", 400),
    ("modules/..", 400),
    ("modules/../demo/files/a.txt", 400),
    ("..", 400),
    ("../modules/demo/a.txt", 400),
    ("plugins/../metadata.json", 400),
    ("pluginfacts/..%2fmetadata.json", 400),
    ("locales/../metadata.json", 400),
    ("tasks/demo/../metadata.json", 400),
    ("scripts/demo/../metadata.json", 400),
    ("static/../agent/h.txt", 400),
    ("static/sub/../../agent/h.txt", 400),
    ("static//..//agent/h.txt", 400),
    // Encoded twice: a name with a percent sign, which does not exist.
    ("modules/demo/%252e%252e/metadata.json", 404),
    ("modules/demo%252F..%252Fmetadata.json", 404),
    ("modules/demo/%25252e%25252e/metadata.json", 404),
    // Names that only look like the parent.
    ("modules/demo/..%5cmetadata.json", 404),
    ("modules/demo/...", 404),
    ("modules/demo/.../a.txt", 404),
    ("modules/demo/..%20/a.txt", 404),
    ("modules/demo/%20../a.txt", 404),
    ("modules/demo/..;/a.txt", 404),
    ("modules/demo/..%0a", 404),
    ("modules/demo/%EF%BC%8E%EF%BC%8E/metadata.json", 404),
    ("modules/demo/..%EF%BC%8Fmetadata.json", 404),
    ("modules\\demo\\a.txt", 404),
    ("modules/demo\\..\\metadata.json", 404),
    // Other encodings of the same bytes.
    ("modules/demo/%c0%ae%c0%ae/metadata.json", 400),
    ("modules/demo/%c0%af", 400),
    ("modules/demo/%u002e%u002e/x", 400),
    ("modules/demo/%ff", 400),
    ("modules/demo/%zz", 400),
    ("modules/demo/%", 400),
    ("modules/demo/%2", 400),
    // Zero bytes.
    ("modules/demo/a.txt%00", 400),
    ("modules/demo/a.txt%00.jpg", 400),
    ("modules/demo%00/a.txt", 400),
    ("%00", 400),
    // Absolute paths.
    ("/etc/passwd", 404),
    ("//etc/passwd", 404),
    ("modules//etc/passwd", 404),
    ("modules/demo//etc/passwd", 404),
    ("modules/demo/%2Fetc%2Fpasswd", 404),
    ("static//etc/passwd", 404),
    ("static/%2Fetc%2Fpasswd", 404),
    ("plugins//etc/passwd", 404),
    ("file:///etc/passwd", 404),
    ("puppet:///modules/demo/a.txt", 404),
    ("C:/x", 404),
    // Modules that are none.
    ("modules/.", 400),
    ("modules/Bad/x.txt", 404),
    ("modules/bad-name/x.txt", 404),
    ("modules/DEMO/a.txt", 404),
    ("modules/demo%0a/a.txt", 404),
    ("modules/%20demo/a.txt", 404),
    ("modules/*/a.txt", 404),
    ("modules/dem?/a.txt", 404),
    ("modules/$demo/a.txt", 404),
    ("modules/_demo/a.txt", 404),
    ("modules/1demo/a.txt", 404),
    ("modules/d%C3%A9mo/a.txt", 404),
    // Other directories of a module.
    ("modules/demo/manifests/init.pp", 404),
    ("modules/demo/metadata.json", 404),
    ("modules/demo/lib/shared.rb", 404),
    ("plugins/files/a.txt", 404),
    ("plugins/metadata.json", 404),
    ("tasks/demo/a.txt", 404),
    ("tasks/demo/files/a.txt", 404),
    ("scripts/demo/hi.sh", 404),
    // Mounts that are none.
    ("nomount", 404),
    ("files/a.txt", 404),
    ("modules%00", 400),
    ("Modules/demo/a.txt", 404),
    ("environments/production", 404),
    ("code/environments", 404),
    ("-/x", 404),
    ("%2e%2e%2f%2e%2e%2fetc/passwd", 400),
    ("missing/x", 404),
    ("'; rm -rf /", 404),
    ("$(id)/x", 404),
    ("`id`/x", 404),
    // Long and deep.
    ("modules/demo/a.txt/a.txt", 404),
    ("modules/demo/a.txt/", 404),
];

fn ask(
    server: &FileServer,
    tree: &Tree,
    route: &str,
    path: &str,
    query: &str,
) -> Result<Answer, RouteError> {
    let undecodable = |_| RouteError::BadRequest("the path can't be decoded".to_owned());
    let key = decoded(path).map_err(undecodable)?;
    let query = Query::parse(query).map_err(undecodable)?;
    let (modulepath, codedir) = (modulepath(tree, "production"), tree.at("code"));
    let environment = FileEnvironment { modulepath: &modulepath, codedir: &codedir };
    let request = FileRequest { key: &key, query: &query, environment, client: "agent.example" };
    match route {
        "file_metadata" => Ok(server.metadata(&request)?),
        "file_metadatas" => Ok(server.metadatas(&request)?),
        _ => Ok(server.content(&request)?),
    }
}

fn status(answer: Result<Answer, RouteError>) -> u16 {
    answer.map_or_else(|error| error.status(), |answer| answer.status).as_u16()
}

#[test]
fn no_path_leads_out_of_its_mount() {
    let tree = Tree::whole("attacks");
    let (long, deep) = (
        format!("modules/demo/{}", "a".repeat(5000)),
        "modules/demo".to_owned() + &"/a".repeat(3000),
    );
    let long_mount = "m".repeat(100_000);
    let more = [(long.as_str(), 404), (&deep, 404), (&long_mount, 404)];
    for confinement in [Confinement::Open, Confinement::Beneath] {
        let server = file_server(&tree, confinement);
        for (path, expected) in PATHS.iter().chain(&more) {
            for route in ["file_metadata", "file_content", "file_metadatas"] {
                // These list all modules, whatever the path is.
                let is_union =
                    ["plugins/", "pluginfacts/", "locales/"].iter().any(|it| path.starts_with(it));
                if route == "file_metadatas" && is_union && *expected == 404 {
                    continue;
                }
                let answered = status(ask(&server, &tree, route, path, "recurse=true"));
                assert_eq!(answered, *expected, "{route}/{path}");
            }
        }
    }
    assert!(PATHS.len() * 3 > 270);
}

#[test]
fn links_out_of_a_mount_are_refused_if_the_site_wants_that() {
    let tree = Tree::whole("links");
    std::os::unix::fs::symlink("/etc", tree.at("mounts/static/etc")).expect("a link");
    let open = file_server(&tree, Confinement::Open);
    let beneath = file_server(&tree, Confinement::Beneath);
    let cases = [
        ("file_content", "modules/demo/outside", "", 200, 404),
        ("file_metadata", "modules/demo/outside", "links=follow", 200, 404),
        ("file_content", "static/etc/hostname", "", 200, 404),
        ("file_metadata", "static/etc", "", 200, 200),
        ("file_metadata", "static/etc", "links=follow", 200, 500),
        ("file_content", "modules/demo/linked/soft", "", 200, 200),
        ("file_content", "modules/demo/linked/softdir/three.txt", "", 200, 200),
        ("file_metadatas", "modules/demo/linked", "recurse=true&links=follow", 200, 200),
        ("file_metadatas", "plugins", "recurse=true", 200, 200),
        ("file_metadatas", "modules/demo/tree", "recurse=true", 200, 200),
        ("file_content", "modules/demo/a.txt", "", 200, 200),
    ];
    for (route, path, query, expected_open, expected_beneath) in cases {
        assert_eq!(status(ask(&open, &tree, route, path, query)), expected_open, "{path} {query}");
        let answered = status(ask(&beneath, &tree, route, path, query));
        assert_eq!(answered, expected_beneath, "beneath: {path} {query}");
    }
}

#[test]
fn endless_trees_end() {
    let tree = Tree::whole("endless");
    let directory = tree.at("code/environments/production/modules/demo/files/endless");
    std::fs::create_dir(&directory).expect("a directory");
    for name in ["a", "b", "c"] {
        std::os::unix::fs::symlink(".", directory.join(name)).expect("a link");
    }
    let server = file_server(&tree, Confinement::Open);
    let path = "modules/demo/endless";
    assert_eq!(
        status(ask(&server, &tree, "file_metadatas", path, "recurse=true&links=follow")),
        500
    );
    assert_eq!(status(ask(&server, &tree, "file_metadatas", path, "recurse=true")), 200);
    let limited = "recurse=true&links=follow&recurselimit=3";
    assert_eq!(status(ask(&server, &tree, "file_metadatas", path, limited)), 200);
}

#[test]
fn pipes_and_devices_are_not_read() {
    let tree = Tree::whole("special");
    let server = file_server(&tree, Confinement::Open);
    std::os::unix::fs::symlink("/dev/zero", tree.at("mounts/static/zero")).expect("a link");
    assert_eq!(status(ask(&server, &tree, "file_content", "modules/demo/pipe", "")), 500);
    assert_eq!(status(ask(&server, &tree, "file_content", "static/zero", "")), 500);
    assert_eq!(status(ask(&server, &tree, "file_metadata", "static/zero", "links=follow")), 500);
    assert_eq!(status(ask(&server, &tree, "file_metadata", "static/zero", "links=manage")), 200);
    assert_eq!(
        status(ask(
            &server,
            &tree,
            "file_metadatas",
            "static",
            "recurse=true&ignore=dangling&links=follow"
        )),
        500
    );
}

#[test]
fn changed_content_has_another_digest() {
    let tree = Tree::whole("changed");
    let server = file_server(&tree, Confinement::Open);
    let path = tree.at("mounts/static/file.txt");
    let digest =
        || match ask(&server, &tree, "file_metadata", "static/file.txt", "").expect("it").body {
            AnswerBody::Bytes(bytes) => String::from_utf8(bytes.to_vec()).expect("text"),
            AnswerBody::File { .. } | AnswerBody::Piped(_) => panic!("no text"),
        };
    let before = digest();
    let modified = std::fs::metadata(&path).expect("it").modified().expect("a time");
    // The same length and modification time, and the same inode.
    std::fs::write(&path, "STATIC\n").expect("written");
    std::fs::File::options()
        .append(true)
        .open(&path)
        .expect("it")
        .set_modified(modified)
        .expect("a time");
    assert_ne!(before, digest());
}

#[test]
fn hostile_parameters_are_refused() {
    let tree = Tree::whole("parameters");
    let server = file_server(&tree, Confinement::Open);
    let long = format!("ignore={}", "*a".repeat(3000));
    let cases = [
        ("links=manage&links=follow", 500),
        ("checksum_type=md5&checksum_type=sha256", 500),
        ("checksum_type=%00", 500),
        ("checksum_type=../../x", 500),
        ("checksum_type=none_file", 500),
        ("source_permissions=use%00", 500),
        ("recurse=true&recurselimit=99999999999999999999999", 200),
        ("recurse=true&recurselimit=-5", 500),
        ("recurse=true&max_files=99999999999999999999999", 200),
        ("recurse=true&max_files=1e9", 500),
        ("recurse=true&recurse=false", 500),
        ("recurse=true&ignore=%00", 200),
        ("recurse=true&ignore=[", 200),
        ("recurse=true&ignore=%5C", 200),
        ("recurse=true&ignore=../../x", 200),
        (&long, 200),
    ];
    for (query, expected) in cases {
        let answered = status(ask(&server, &tree, "file_metadatas", "modules/demo/tree", query));
        assert_eq!(answered, expected, "{query}");
    }
}
