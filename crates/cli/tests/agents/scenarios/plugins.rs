//! Plugins that agents fetch before their facts.

use crate::run::tree;
use crate::stage::Stage;

const TYPE: &str = "\
Puppet::Type.newtype(:marker) do
  newparam(:path, namevar: true)
  newproperty(:word) do
    newvalues(:old, :new)
  end
end
";

const PROVIDER: &str = "\
Puppet::Type.type(:marker).provide(:plain) do
  def word
    File.exist?(resource[:path]) ? File.read(resource[:path]).to_sym : :absent
  end
  def word=(value)
    File.write(resource[:path], value.to_s)
  end
end
";

const FUNCTION: &str = "\
Puppet::Functions.create_function(:'tools::shout') do
  dispatch(:shout) { param 'String', :text }
  def shout(text)
    text.upcase
  end
end
";

/// A type with its provider, facts in Ruby and as a text, and a function that runs on the agent.
pub(crate) fn own(stage: &Stage) {
    stage.autosign("plugins.test\n");
    stage.module("plugins", "tools/lib/puppet/type/marker.rb", TYPE);
    stage.module("plugins", "tools/lib/puppet/provider/marker/plain.rb", PROVIDER);
    stage.module("plugins", "tools/lib/puppet/functions/tools/shout.rb", FUNCTION);
    let fact = "Facter.add(:tool) { setcode { 'hammer' } }\n";
    stage.module("plugins", "tools/lib/facter/tool.rb", fact);
    stage.module("plugins", "tools/facts.d/nail.txt", "nail=long\n");
    stage.module(
        "plugins",
        "other/lib/facter/other.rb",
        "Facter.add(:other) { setcode { 'o' } }\n",
    );
    stage.site(
        "plugins",
        "marker { \"${facts['target']}/m\": word => new }\n\
         notify { \"${facts['tool']} ${facts['nail']} ${facts['other']} ${tools::shout('server')}\": }\n\
         notify { 'deferred': message => Deferred('tools::shout', ['agent']) }\n",
    );
    let words = ["hammer long o SERVER", "AGENT"];
    stage.agent("plugins.test", "plugins", &[]).expect(2, &words);
    note_plugins(stage, "plugins.test");
    // A plugin that is gone is removed.
    let module = stage.root().join("code/environments/plugins/modules/other");
    std::fs::remove_dir_all(module).expect("removed");
    stage.module("plugins", "tools/lib/facter/tool.rb", fact.replace("hammer", "saw"));
    stage.agent("plugins.test", "plugins", &[]).expect(2, &["saw long  SERVER"]);
    note_plugins(stage, "plugins.test");
    stage.autosign("");
}

/// All plugins of the modules of Debian's packages.
pub(crate) fn debian(stage: &Stage) {
    stage.autosign("debian.test\n");
    stage.site("debian", "notify { 'debian': }\n");
    let modules = "modulepath = /usr/share/puppet/modules\n";
    stage.write("code/environments/debian/environment.conf", modules);
    stage.agent("debian.test", "debian", &[]).expect(2, &[]).refuse("Error: Could not");
    let modules = std::fs::read_dir("/usr/share/puppet/modules");
    let n_modules = modules.map_or(0, Iterator::count);
    assert!(n_modules >= 40, "{n_modules} modules");
    note_plugins(stage, "debian.test");
    stage.autosign("");
}

fn note_plugins(stage: &Stage, agent: &str) {
    for directory in ["vardir/lib", "vardir/facts.d"] {
        let notes = tree(&stage.own(agent).join(directory));
        // Which module's file counts where several have one depends on the order of directories in Puppet.
        stage.note(&format!("{directory}\n{notes}"));
    }
}
