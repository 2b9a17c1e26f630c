//! Files: sources and the bucket.

use std::os::unix::fs::symlink;

use crate::stage::Stage;

/// Sources of all kinds.
pub(crate) fn sources(stage: &Stage) {
    stage.autosign("files.test\n");
    let file =
        |path: &str, content: &[u8]| stage.module("files", &format!("data/files/{path}"), content);
    file("one.txt", b"one\n");
    let bytes: Vec<u8> = (0..=255).collect();
    file("binary", &bytes.repeat(9));
    file("empty", b"");
    file("tree/a", b"a\n");
    file("tree/sub/b c", b"b\n");
    file("tree/sub/plus+%41&=.txt", b"plus\n");
    file("tree/sub/\u{e4}.txt", b"umlaut\n");
    file("tree/.git/config", b"no\n");
    let links = stage.root().join("code/environments/files/modules/data/files/links");
    std::fs::create_dir_all(&links).expect("a directory");
    let _ = symlink("../one.txt", links.join("link"));
    stage.site(
        "files",
        "File { backup => false }\n$t = $facts['target']\n\
         file { \"${t}/one\": source => 'puppet:///modules/data/one.txt', mode => '0600' }\n\
         file { \"${t}/next\": source => ['puppet:///modules/data/nosuch', 'puppet:///modules/data/one.txt'] }\n\
         file { \"${t}/binary\": source => 'puppet:///modules/data/binary', checksum => md5 }\n\
         file { \"${t}/empty\": source => 'puppet:///modules/data/empty' }\n\
         file { \"${t}/tree\": ensure => directory, recurse => true, purge => true, force => true, ignore => '.git', source => 'puppet:///modules/data/tree' }\n\
         file { \"${t}/followed\": ensure => directory, recurse => true, links => follow, source => 'puppet:///modules/data/links' }\n\
         file { \"${t}/managed\": ensure => directory, recurse => true, links => manage, source => 'puppet:///modules/data/links' }\n\
         file { \"${t}/shallow\": ensure => directory, recurse => true, recurselimit => 1, source => 'puppet:///modules/data/tree' }\n",
    );
    let target = stage.target("files.test");
    std::fs::create_dir_all(target.join("tree/old")).expect("a directory");
    std::fs::write(target.join("tree/old/file"), "purged").expect("written");
    stage.agent("files.test", "files", &[]).expect(2, &[]);
    assert_eq!(std::fs::read(target.join("binary")).expect("a file"), bytes.repeat(9));
    assert!(!target.join("tree/old").exists());
    stage.agent("files.test", "files", &[]).expect(0, &[]);
    stage.autosign("");
}

/// A file that no server should have in memory.
pub(crate) fn large(stage: &Stage) {
    stage.autosign("large.test\n");
    let line = b"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";
    let content = line.repeat(200 * 1024 * 1024 / line.len());
    stage.module("large", "data/files/large", &content);
    let manifest = "file { \"${facts['target']}/large\": backup => false, source => 'puppet:///modules/data/large' }\n";
    stage.site("large", manifest);
    stage.agent("large.test", "large", &[]).expect(2, &[]);
    let copy = std::fs::read(stage.target("large.test").join("large")).expect("a file");
    assert!(copy == content, "{} bytes", copy.len());
    std::fs::remove_dir_all(stage.target("large.test")).expect("removed");
    std::fs::remove_dir_all(stage.root().join("code/environments/large")).expect("removed");
    stage.autosign("");
}

/// The bucket of the server keeps what an agent overwrites.
pub(crate) fn bucket(stage: &Stage) {
    stage.autosign("bucket.test\n");
    stage.site(
        "bucket",
        "filebucket { 'server': path => false }\nFile { backup => 'server' }\n\
         file { \"${facts['target']}/kept\": content => \"new\\n\" }\n",
    );
    let kept = stage.target("bucket.test").join("kept");
    std::fs::create_dir_all(kept.parent().expect("a parent")).expect("a directory");
    std::fs::write(&kept, "old content\n").expect("written");
    stage.agent("bucket.test", "bucket", &[]).expect(2, &["Filebucketed"]);
    let sum = sha256(stage, "old content\n");
    let (status, text) = stage.command("bucket.test", &["filebucket", "get", &sum], &["--remote"]);
    assert_eq!((status, text.contains("old content")), (0, true), "{text}");
    let path = kept.to_str().expect("a path");
    let words = ["filebucket", "restore", path, &sum];
    let (status, text) = stage.command("bucket.test", &words, &["--remote"]);
    assert_eq!(status, 0, "{text}");
    assert_eq!(std::fs::read_to_string(&kept).expect("a file"), "old content\n");
    let other = stage.write("target/bucket.test/other", "another\n");
    let words = ["filebucket", "backup", other.to_str().expect("a path")];
    let (status, text) = stage.command("bucket.test", &words, &["--remote"]);
    assert_eq!(status, 0, "{text}");
    stage.note(&text);
    stage.autosign("");
}

fn sha256(stage: &Stage, text: &str) -> String {
    let path = stage.write("sum", text);
    let output = std::process::Command::new("sha256sum").arg(path).output().expect("sha256sum");
    String::from_utf8_lossy(&output.stdout).split(' ').next().expect("a sum").to_owned()
}
