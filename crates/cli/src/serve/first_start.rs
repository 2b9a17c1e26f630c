//! The files of a first start: settings and an example environment.

use std::path::Path;

/// Returns the name of this machine, in lower case.
pub(crate) fn host_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().to_lowercase();
    if name.is_empty() { "localhost".to_owned() } else { name }
}

/// Writes settings and an example into an empty directory.
pub(super) fn write(directory: &Path) -> std::io::Result<()> {
    let at = directory.display();
    let name = host_name();
    let conf = format!(
        "# Settings of `kukla serve`.\n[main]\ncertname = {name}\ndns_alt_names = puppet,localhost\n\
         codedir = {at}/code\nvardir = {at}/var\nlogdir = {at}/log\nrundir = {at}/run\n\
         ssldir = {at}/ssl\n[server]\ncadir = {at}/ca\nautosign = {at}/autosign.conf\n\
         environmentpath = {at}/code/environments\nbasemodulepath = {at}/code/modules\nreports = store\n"
    );
    let site = "# Every node.\nnode default {\n  include hello\n}\n";
    let class = "# An example: each agent says hello.\nclass hello (String $greeting = 'hello') {\n  \
                 notify { \"${greeting} ${trusted['certname']}\": }\n}\n";
    let environment = directory.join("code/environments/production");
    let files = [
        (directory.join("puppet.conf"), conf.as_str()),
        (
            directory.join("autosign.conf"),
            "# Names of agents that are signed at once, one per line.\n",
        ),
        (environment.join("manifests/site.pp"), site),
        (environment.join("modules/hello/manifests/init.pp"), class),
    ];
    for (path, text) in files {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}
