//! Catalogs: environments, kinds of data, failures.

use crate::stage::Stage;

/// The environment that the agent names, and the one that the classifier names.
pub(crate) fn environments(stage: &Stage) {
    stage.autosign("*.place.test\n");
    stage.site("here", "notify { \"here ${server_facts['environment']} ${facts['place']}\": }\n");
    stage.site("there", "notify { \"there ${server_facts['environment']} ${facts['place']}\": }\n");
    let fact = |name: &str| format!("Facter.add(:place) {{ setcode {{ '{name}' }} }}\n");
    stage.module("here", "place/lib/facter/place.rb", fact("fact of here"));
    stage.module("there", "place/lib/facter/place.rb", fact("fact of there"));
    stage.agent("a.place.test", "here", &[]).expect(2, &["here here fact of here"]);
    stage.agent("a.place.test", "there", &[]).expect(2, &["there there fact of there"]);
    stage.write(
        "enc/b.place.test.yaml",
        "---\nenvironment: there\nparameters:\n  flavour: sweet\nclasses: {}\n",
    );
    let run = stage.agent("b.place.test", "here", &[]);
    run.expect(2, &["there there fact of there"]);
    run.refuse("here here");
    stage.agent("b.place.test", "", &[]).expect(2, &["there there fact of there"]);
    stage.agent("a.place.test", "nosuch", &[]).expect(2, &["production"]);
    stage.autosign("");
}

/// Nothing is changed, and the report says what would be.
pub(crate) fn noop(stage: &Stage) {
    stage.autosign("noop.test\n");
    stage.site(
        "noop",
        "file { \"${facts['target']}/a\": content => 'x' }\n\
         file { \"${facts['target']}/b\": content => 'x', noop => true }\n\
         file { \"${facts['target']}/c\": content => 'x', noop => false }\n\
         exec { '/bin/true': }\n",
    );
    stage.agent("noop.test", "noop", &["--noop"]).expect(2, &["(noop)"]);
    let target = stage.target("noop.test");
    assert!(!target.join("a").exists() && target.join("c").exists());
    stage.agent("noop.test", "noop", &["--tags", "exec"]).expect(2, &[]);
    assert!(!target.join("a").exists());
    stage.autosign("");
}

/// Data that plain JSON does not have.
pub(crate) fn rich(stage: &Stage) {
    stage.autosign("rich.test\n");
    stage.module("rich", "m/files/bytes", [0, 1, 2, 255, 254, 10]);
    stage.module(
        "rich",
        "m/functions/wrapped.pp",
        "function m::wrapped(String $x) >> Sensitive { Sensitive(\"<${x}>\") }\n",
    );
    stage.site(
        "rich",
        "$t = $facts['target']\nFile { backup => false }\n\
         file { \"${t}/binary\": content => binary_file('m/bytes') }\n\
         file { \"${t}/secret\": content => Sensitive(\"hunter2\\n\"), mode => '0600' }\n\
         file { \"${t}/wrapped\": content => m::wrapped('w') }\n\
         file { \"${t}/deferred\": content => Deferred('sprintf', ['%s-%s', 'd', 'e']) }\n\
         file { \"${t}/nested\": content => Deferred('join', [[Deferred('sprintf', ['%02d', 7]), 'x'], '/']) }\n\
         notify { 'time': message => String(Timestamp('2020-01-02T03:04:05 UTC')) }\n\
         notify { 'pattern': message => String(/a.b/) }\n\
         notify { 'hidden': message => Sensitive('s3cret') }\n",
    );
    let run = stage.agent("rich.test", "rich", &[]);
    run.expect(2, &[]).refuse("hunter2").refuse("s3cret");
    let target = stage.target("rich.test");
    assert_eq!(std::fs::read(target.join("binary")).expect("a file"), [0, 1, 2, 255, 254, 10]);
    assert_eq!(std::fs::read_to_string(target.join("nested")).expect("a file"), "07/x");
    stage.autosign("");
}

/// One node exports, another collects.
pub(crate) fn exported(stage: &Stage) {
    stage.autosign("*.exported.test\n");
    stage.site(
        "exported",
        "node /^from/ { @@notify { \"exported by ${trusted['certname']}\": tag => 'x' } }\n\
         node default { Notify <<| tag == 'x' |>> }\n",
    );
    let conf = std::fs::read_to_string(stage.root().join("conf/puppet.conf")).expect("settings");
    stage.write(
        "conf/puppet.conf",
        format!("{conf}storeconfigs = true\nstoreconfigs_backend = kukla\n"),
    );
    stage.restart();
    stage.agent("from.exported.test", "exported", &[]).expect(0, &[]);
    let words = "exported by from.exported.test";
    stage.agent("to.exported.test", "exported", &[]).expect(2, &[words]);
    stage.write("conf/puppet.conf", conf);
    stage.restart();
    stage.autosign("");
}

/// A catalog that can't be had is replaced by the last one.
pub(crate) fn cached(stage: &Stage) {
    stage.autosign("cached.test\n");
    stage.site("cached", "notify { 'good': }\n");
    stage.agent("cached.test", "cached", &[]).expect(2, &["good"]);
    stage.site("cached", "notify { 'bad':\n");
    stage.agent("cached.test", "cached", &[]).expect(1, &["Not using cache on failed catalog"]);
    let run = stage.agent("cached.test", "cached", &["--usecacheonfailure"]);
    run.expect(2, &["Using cached catalog", "good"]);
    stage.site("cached", "notify { 'mended': }\n");
    stage.agent("cached.test", "cached", &["--usecacheonfailure"]).expect(2, &["mended"]);
    stage.autosign("");
}

/// Messages reach the user word for word.
pub(crate) fn errors(stage: &Stage) {
    stage.autosign("errors.test\n");
    for (name, manifest) in [
        ("failing", "fail('on purpose')\n"),
        ("unknown", "include nosuch\n"),
        ("broken", "notify { 'x'\n"),
        ("twice", "notify { 'x': }\nnotify { 'x': }\n"),
        ("nofunction", "nosuch('x')\n"),
        ("noparameter", "file { '/tmp/x': nosuch => 1 }\n"),
    ] {
        stage.site(name, manifest);
        stage.agent("errors.test", name, &[]).expect(1, &["Error 500 on SERVER: Server Error: "]);
    }
    stage.site(
        "resources",
        "file { '/nonexistent/x/y': ensure => directory }\nexec { '/bin/false': }\n\
         file { \"${facts['target']}/z\": source => 'puppet:///modules/nosuch/z' }\n\
         notify { 'after': require => Exec['/bin/false'] }\n",
    );
    let run = stage.agent("errors.test", "resources", &[]);
    assert!([4, 6].contains(&run.status), "{}", run.text);
    stage.autosign("");
}

/// Other commands that ask the server.
pub(crate) fn commands(stage: &Stage) {
    stage.autosign("commands.test\n");
    stage.site("commands", "notify { 'x': }\n");
    stage.module("commands", "m/lib/facter/m.rb", "Facter.add(:m) { setcode { 'm' } }\n");
    stage.agent("commands.test", "commands", &[]).expect(2, &[]);
    // Commands other than those of agents want the environment to exist on their machine.
    let here = format!("--environmentpath={}/code/environments", stage.root().display());
    let own = ["--environment", "commands", &here];
    for (words, options) in [
        (&["plugin", "download"][..], &[][..]),
        (&["facts", "upload"], &["--terminus", "facter"]),
        (&["node", "find", "commands.test"], &["--terminus", "rest"]),
        (&["ssl", "verify"], &[]),
        (&["ssl", "download_cert"], &[]),
    ] {
        let options = [options, &own].concat();
        let (status, text) = stage.command("commands.test", words, &options);
        assert_eq!(status, 0, "{words:?}: {text}");
        stage.note(&format!("{words:?}: {status}"));
    }
    let (status, text) = stage.command("submit.test", &["ssl", "submit_request"], &[]);
    assert_eq!(status, 0, "{text}");
    assert!(stage.root().join("ca/requests/submit.test.pem").is_file(), "{text}");
    stage.autosign("");
}

const PROCESSOR: &str = "\
require 'puppet'
require 'json'
Puppet::Reports.register_report(:ledger) do
  def process
    raise Puppet::ParseError, 'no ledger today' if host.start_with?('bad')
    counts = metrics['resources']['total']
    line = JSON.generate('host' => host, 'status' => status, 'total' => counts, 'logs' => logs.map(&:message).include?('x'))
    File.write(File.join(Puppet[:vardir], 'ledger.txt'), line + \"\\n\", mode: 'a')
  end
end
";

/// A report processor of a module, in Ruby.
pub(crate) fn processor(stage: &Stage) {
    stage.autosign("*.ledger.test\n");
    stage.module("ledger", "ledger/lib/puppet/reports/ledger.rb", PROCESSOR);
    stage.site("ledger", "notify { 'x': }\n");
    let conf = std::fs::read_to_string(stage.root().join("conf/puppet.conf")).expect("settings");
    stage.write("conf/puppet.conf", conf.replace("reports = store", "reports = store, ledger"));
    stage.restart();
    stage
        .agent("a.ledger.test", "ledger", &[])
        .expect(2, &[])
        .refuse("Error: Could not send report");
    let line = "{\"host\":\"a.ledger.test\",\"status\":\"changed\",\"total\":8,\"logs\":true}\n";
    let ledger = stage.root().join("var/ledger.txt");
    assert_eq!(std::fs::read_to_string(&ledger).expect("a ledger"), line);
    // A processor that fails costs the agent nothing, and other processors go on.
    stage.agent("bad.ledger.test", "ledger", &[]).expect(2, &[]);
    assert!(stage.log().contains("no ledger today"), "{}", stage.log());
    let reports = stage.root().join("var/reports/bad.ledger.test");
    assert!(std::fs::read_dir(reports).is_ok_and(|list| list.count() == 1), "no report");
    stage.write("conf/puppet.conf", conf);
    stage.restart();
    stage.autosign("");
}
