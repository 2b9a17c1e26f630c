//! Whole sites: a generated one with the habits of large control repositories, and those that a file of requests names.
//!
//! The generated site has a data backend in Ruby that opens a file for each namespace, a level whose labels are regular
//! expressions, a large file of accounts that a Ruby function reads, a patch of a class of Ruby's library, and templates.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use kukla_tests::Oracle;
use kukla_tests::catalog::environment::{self, Environments};
use kukla_tests::catalog::{Kukla, ORACLE};
use serde_json::{Value, json};

use crate::Options;
use crate::catalogs::node;
use crate::table::Table;

const ROUNDS: u64 = 50;
const PUPPET_ROUNDS: u64 = 3;

/// Numbers of classes with data, of accounts, and of labels with regular expressions.
const CLASSES: usize = 60;
const ACCOUNTS: usize = 300;
const LABELS: usize = 40;

/// Measures the generated site.
pub(crate) fn generated(options: &Options, table: &mut Table) -> Result<()> {
    let files = files();
    let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let environments = Environments::write(files)?;
    let question = json!({
        "id": "site", "node": "web1.example.com", "environment": environment::NAME,
        "environmentpath": environments.path().to_string_lossy(),
        "facts": { "hostname": "web1", "networking": { "fqdn": "web1.example.com" } },
    });
    measured("site with a data backend in Ruby", question, options, table)
}

/// Measures the requests of a file, one per line, as `kukla compile --jsonl` takes them.
pub(crate) fn requested(path: &Path, options: &Options, table: &mut Table) -> Result<()> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let question: Value = serde_json::from_str(line).context("a request is not JSON")?;
        let name = question["id"].as_str().unwrap_or("request").to_owned();
        measured(&name, question, options, table)?;
    }
    Ok(())
}

/// Measures a request in processes of its own: Puppet keeps the resource types of the first environment that it sees.
fn measured(name: &str, mut question: Value, options: &Options, table: &mut Table) -> Result<()> {
    question["rounds"] = json!(ROUNDS);
    let ours = Kukla::start()?.ask(&question)?;
    question["rounds"] = json!(PUPPET_ROUNDS);
    let puppet = if options.no_puppet { None } else { Oracle::start_script(ORACLE).ok() };
    let theirs = puppet.map(|mut puppet| puppet.ask_json(&question)).transpose()?;
    node(name, &ours, theirs.as_ref(), table);
    Ok(())
}

fn files() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = [
        ("hiera.yaml", HIERA),
        (
            "manifests/site.pp",
            "patch::apply()\n$accounts = accounts::wanted(['ops', 'web'])\ninclude base\n",
        ),
        ("modules/backend/lib/puppet/functions/backend/by_namespace.rb", BY_NAMESPACE),
        ("modules/backend/lib/puppet/functions/backend/by_label.rb", BY_LABEL),
        ("modules/patch/lib/puppet/functions/patch/apply.rb", PATCH),
        ("modules/accounts/lib/puppet/functions/accounts/wanted.rb", WANTED),
        ("modules/accounts/manifests/account.pp", ACCOUNT),
        ("modules/service/templates/conf.erb", TEMPLATE),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    files.push(("data/accounts.yaml".to_owned(), accounts()));
    files.push(("data/labels.yaml".to_owned(), labels()));
    let mut base = String::from(
        "class base {\n  $::accounts.each |$name, $account| { accounts::account { $name: * => $account } }\n",
    );
    for number in 0..CLASSES {
        let _ = writeln!(base, "  include service::s{number}");
        files.push((format!("modules/service/manifests/s{number}.pp"), class(number)));
        files.push((format!("data/common/service/s{number}.yaml"), data(number)));
    }
    base.push_str("}\n");
    files.push(("modules/base/manifests/init.pp".to_owned(), base));
    files
}

fn class(number: usize) -> String {
    format!(
        "class service::s{number} (Hash $settings, Integer $port = 80, String $owner = 'root', Optional[String] $label = undef) {{\n\
         \x20 $settings.each |$key, $value| {{\n\
         \x20   file {{ \"/etc/s{number}/${{key}}\": owner => $owner, content => \"${{key}} = ${{value}}\\n\" }}\n\
         \x20 }}\n\
         \x20 file {{ '/etc/s{number}.conf': content => template('service/conf.erb') }}\n\
         \x20 service {{ 's{number}': ensure => running, subscribe => File['/etc/s{number}.conf'] }}\n}}\n"
    )
}

fn data(number: usize) -> String {
    let mut data =
        format!("service::s{number}::port: {}\nservice::s{number}::settings:\n", 8000 + number);
    for key in 0..12 {
        let _ = writeln!(data, "  key{key}: value {key} of {number}");
    }
    data
}

fn accounts() -> String {
    let mut text = String::from("accounts:\n");
    for number in 0..ACCOUNTS {
        let group = ["ops", "web", "data", "none"][number % 4];
        let _ = writeln!(
            text,
            "  user{number}:\n    uid: {}\n    group: {group}\n    keys:\n      - ssh-ed25519 AAAA{number:08}\n      - ssh-rsa BBBB{number:08}",
            2000 + number
        );
    }
    text
}

fn labels() -> String {
    let mut text = String::new();
    for number in 0..LABELS {
        let _ = writeln!(
            text,
            "label{number}:\n  __match: '^(db|cache){number}[0-9]+\\.example\\.com$'\n  service::s{number}::label: l{number}"
        );
    }
    text
}

const HIERA: &str = "\
version: 5
defaults: { datadir: data }
hierarchy:
  - { name: labels, lookup_key: 'backend::by_label', path: labels.yaml, options: { node: '%{facts.networking.fqdn}' } }
  - { name: common, lookup_key: 'backend::by_namespace', path: common }
";

const BY_NAMESPACE: &str = r#"
require 'yaml'
Puppet::Functions.create_function(:'backend::by_namespace') do
  dispatch :find do
    param 'String[1]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end

  def find(key, options, context)
    return context.cached_value(key) if context.cache_has_key(key)
    *namespace, _leaf = key.split('::')
    file = File.join(options['path'], *namespace) + '.yaml'
    data = File.exist?(file) ? read(file, context) : {}
    context.not_found unless data.include?(key)
    context.cache(key, context.interpolate(data[key]))
  end

  def read(file, context)
    context.cached_file_data(file) { |text| YAML.safe_load(text, aliases: true) || {} }
  end
end
"#;

const BY_LABEL: &str = r#"
require 'yaml'
Puppet::Functions.create_function(:'backend::by_label') do
  dispatch :find do
    param 'String[1]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end

  def find(key, options, context)
    labels = context.cached_file_data(options['path']) { |text| YAML.safe_load(text) }
    labels.each do |_label, data|
      next unless Regexp.new(data['__match']).match(options['node'])
      return data[key] if data.include?(key)
    end
    context.not_found
  end
end
"#;

const PATCH: &str = r#"
require 'ipaddr'
module SitePatch
  def short
    to_s.sub(/\A0+/, '')
  end
end
Puppet::Functions.create_function(:'patch::apply') do
  def apply
    IPAddr.include(SitePatch)
    nil
  end
end
"#;

const WANTED: &str = r#"
require 'yaml'
Puppet::Functions.create_function(:'accounts::wanted') do
  dispatch :wanted do
    param 'Array[String]', :groups
  end

  def wanted(groups)
    root = closure_scope.lookupvar('settings::environmentpath')
    file = File.join(root, closure_scope.lookupvar('environment').to_s, 'data', 'accounts.yaml')
    all = YAML.safe_load(File.read(file))['accounts']
    all.select { |_, account| groups.include?(account['group']) }.sort_by { |name, _| name }.to_h
  end
end
"#;

const ACCOUNT: &str = r#"
define accounts::account (Integer $uid, String $group, Array[String] $keys = []) {
  user { $name: uid => $uid, gid => $group }
  $keys.each |$index, $key| {
    file { "/home/${name}/.ssh/${index}": owner => $name, mode => '0600', content => "${key}\n" }
  }
}
"#;

const TEMPLATE: &str = "\
# <%= @title %> for <%= @owner %>
port = <%= @port %>
<% @settings.sort.each do |key, value| -%>
<%= key.ljust(12) %>= <%= value.to_s.gsub(/\\s+/, '_') %>
<% end -%>
<% if @label -%>
label = <%= @label %>
<% end -%>
";
