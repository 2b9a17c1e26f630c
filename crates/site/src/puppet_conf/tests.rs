//! Comparison with `puppet config print --section server`.

use std::path::Path;

use super::PuppetConf;
use crate::settings::Settings;

const CONF: &str = "\
# environmentpath = /no
top = 1
[main]
  basemodulepath = $confdir/base:/b*
codedir=/srv/code { owner = root, mode = 750 }
xpp = true
loop = $loop
[server]
environmentpath = ${codedir}/envs:$unknown/x
[agent]
xpp = false
";

#[test]
fn settings_of_a_server_come_first() {
    let conf = PuppetConf::parse(Path::new("/etc/p/puppet.conf"), CONF);
    let settings = Settings::new(conf, Vec::new());
    let value = |name| settings.text(name);
    assert_eq!(value("basemodulepath").as_deref(), Some("/etc/p/base:/b*"));
    assert_eq!(value("environmentpath").as_deref(), Some("/srv/code/envs:$unknown/x"));
    assert_eq!(value("codedir").as_deref(), Some("/srv/code"));
    assert_eq!(value("top").as_deref(), Some("1"));
    assert_eq!(value("none"), None);
    assert!(settings.flag("xpp") && !settings.flag("none"));
    assert_eq!(value("loop").as_deref(), Some("$loop"));
}

#[test]
fn directories_have_the_defaults_of_the_packages() {
    let text = "basemodulepath = $codedir/modules\nenvironmentpath = $environmentpath:$codedir/e";
    for (path, codedir) in [
        ("/etc/puppetlabs/puppet/puppet.conf", "/etc/puppetlabs/code"),
        ("/etc/puppet/puppet.conf", "/etc/puppet/code"),
    ] {
        let conf = PuppetConf::parse(Path::new(path), text);
        let settings = Settings::new(conf, Vec::new());
        assert_eq!(settings.text("basemodulepath"), Some(format!("{codedir}/modules")));
    }
}

#[test]
fn quotes_and_odd_spacing_are_puppets() {
    let text = "top = \"1\"\n\tloop\t=\t'x' \n# a comment = 1\ncodedir = \"/a\nvardir=/v  \n";
    let conf = PuppetConf::parse(Path::new("/c/puppet.conf"), text);
    assert_eq!(conf.raw("top"), Some("1"));
    assert_eq!(conf.raw("loop"), Some("x"));
    assert_eq!(conf.raw("codedir"), Some("/a"));
    assert_eq!(conf.raw("vardir"), Some("/v"));
    assert_eq!(conf.unmatched(), None);
    let conf = PuppetConf::parse(Path::new("/c/puppet.conf"), "top = 1\nnonsense\n");
    assert_eq!(
        conf.unmatched().map(|line| (line.text.as_str(), line.number)),
        Some(("nonsense", 2))
    );
}
