//! What `puppet config print --section server` says of the same files.

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
