//! `puppetdb.conf`: settings as PuppetDB's terminus reads them, and errors with their lines.

use std::path::Path;
use std::time::Duration;

use kukla_store::puppetdb::{ConfError, PuppetDbConf};

fn parse(text: &str) -> Result<PuppetDbConf, ConfError> {
    PuppetDbConf::parse(Path::new("/etc/puppetdb.conf"), text)
}

fn urls(conf: &PuppetDbConf) -> Vec<String> {
    conf.server_urls.iter().map(ToString::to_string).collect()
}

#[test]
fn settings_have_the_defaults_of_the_terminus() {
    for text in ["", "[main]\n", "# nothing\n; nothing\n\n[main ]\n"] {
        let conf = parse(text).expect("settings");
        assert_eq!(conf, PuppetDbConf::default());
        assert_eq!(urls(&conf), ["https://puppetdb:8081"]);
    }
    let missing = PuppetDbConf::read(Path::new("/nowhere/puppetdb.conf")).expect("defaults");
    assert_eq!(missing, PuppetDbConf::default());
}

#[test]
fn all_settings_are_read() {
    let conf = parse(
        "[main]\nserver_urls = https://a.example:8081 , https://[2001:db8::1]:99,https://B.example/\n\
         submit_only_server_urls=http://127.0.0.1:8080\n  server_url_timeout = 7\ncommand_broadcast = true\n\
         min_successful_submissions = 2\nsticky_read_failover=true\ninclude_unchanged_resources = true\n\
         include_catalog_edges = false\nverify_client_certificate = false\nfact_names_blocklist = a.b, c\n\
         server_url_timeout = 8\nsoft_write_failure = false\nserver = old\n",
    );
    let conf = conf.expect("settings");
    let expected = ["https://a.example:8081", "https://[2001:db8::1]:99", "https://b.example"];
    assert_eq!(urls(&conf), expected);
    assert_eq!(conf.submit_only_server_urls[0].to_string(), "http://127.0.0.1:8080");
    assert_eq!(conf.server_url_timeout, Duration::from_secs(8), "a later line counts");
    assert!(conf.command_broadcast && conf.sticky_read_failover);
    assert!(conf.include_unchanged_resources && !conf.include_catalog_edges);
    assert!(!conf.verify_client_certificate && conf.min_successful_submissions == 2);
    assert_eq!(conf.fact_names_blocklist, ["a.b", "c"]);
    let notes: Vec<(u32, &str)> =
        conf.notes.iter().map(|note| (note.line, note.setting.as_str())).collect();
    assert_eq!(notes, [(13, "soft_write_failure"), (14, "server")]);
}

#[test]
fn errors_name_the_line() {
    for (text, line, words) in [
        ("server_urls = https://a\n", 1, "outside of the section"),
        ("[main]\nnonsense\n", 2, "neither"),
        ("[main]\nserver_urls =\n", 2, "neither"),
        ("[main]\nserver_url = https://a\n", 2, "no setting `server_url`"),
        ("[main]\n[agent]\n", 2, "no section `[agent]`"),
        ("[main]\n\nserver_urls = http://pdb.example:8080\n", 3, "must begin with `https://`"),
        ("[main]\nserver_urls = http://127.0.0.1.example\n", 2, "must begin with `https://`"),
        ("[main]\nserver_urls = ftp://a\n", 2, "must begin with `https://`"),
        ("[main]\nserver_urls = https://a/path\n", 2, "must have no path"),
        ("[main]\nserver_urls = https://a?b=c\n", 2, "must have no path"),
        ("[main]\nserver_urls = https://user:pw@a\n", 2, "is no URL"),
        ("[main]\nserver_urls = https://a:0\n", 2, "is no URL"),
        ("[main]\nserver_urls = https://a:+80\n", 2, "is no URL"),
        ("[main]\nserver_urls = https://a:99999\n", 2, "is no URL"),
        ("[main]\nserver_urls = https://\n", 2, "is no URL"),
        ("[main]\nserver_urls = https://[::1\n", 2, "is no URL"),
        ("[main]\nserver_urls = https://[a]\n", 2, "is no URL"),
        ("[main]\nserver_urls = ,\n", 2, "1 to 32 servers"),
        ("[main]\nserver_url_timeout = 0\n", 2, "from 1 to 3600"),
        ("[main]\nserver_url_timeout = soon\n", 2, "from 1 to 3600"),
        ("[main]\ncommand_broadcast = yes\n", 2, "`true` or `false`"),
        ("[main]\nmin_successful_submissions = 0\n", 2, "from 1"),
        ("[main]\nmin_successful_submissions = 2\n", 2, "needs `command_broadcast = true`"),
        ("[main]\ncommand_broadcast = true\nmin_successful_submissions = 2\n", 3, "has 1 servers"),
        ("[main]\nfact_names_blocklist_regex = ^a\n", 2, "is empty"),
        (
            "[main]\nserver_urls = https://a\nsubmit_only_server_urls = https://b, https://a/\n",
            3,
            "is in both",
        ),
        (
            "[main]\nserver_urls = https://a,https://b\ncommand_broadcast = true\n\
             min_successful_submissions = 2\nsoft_write_failure = true\n",
            5,
            "soft_write_failure",
        ),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.line, line, "{text}");
        let shown = error.to_string();
        assert!(shown.contains(words), "{text}: {shown}");
        assert!(shown.ends_with(&format!("(file: /etc/puppetdb.conf, line: {line})")), "{shown}");
    }
}
