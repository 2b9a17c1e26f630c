//! ERB templates: the cost of `template`, compared with real Puppet in the same catalog.

use anyhow::Result;
use kukla_tests::Oracle;
use kukla_tests::catalog::environment::{self, Environments};
use kukla_tests::catalog::{Kukla, ORACLE};
use serde_json::{Value, json};

use crate::Options;
use crate::table::Table;

/// Number of calls of `template` in one catalog.
const CALLS: usize = 200;
const ROUNDS: u64 = 20;
const PUPPET_ROUNDS: u64 = 5;

/// A list of settings.
const SETTINGS: &str = "\
# <%= @title %>
<% @settings.sort.each do |name, value| -%>
<%   if value.is_a?(Array) -%>
<%=    name %> = <%= value.join(', ') %>
<%   elsif value == true || value == false -%>
<%=    name %> = <%= value ? 'yes' : 'no' %>
<%   else -%>
<%=    name.ljust(12) %> = <%= value %>
<%   end -%>
<% end -%>
";

/// A virtual host of a web server.
const VHOST: &str = "\
<VirtualHost *:<%= @port %>>
  ServerName <%= @title.downcase %>
<% [@aliases].flatten.compact.each do |name| -%>
  ServerAlias <%= name %>
<% end -%>
<% if @settings['timeout'] and @settings['timeout'] != 'off' -%>
  Timeout <%= @settings['timeout'].to_i * 2 %>
<% end -%>
<% if scope['port'] -%>
  DocumentRoot \"<%= @root.gsub(%r{/+$}, '') %>\"
<% end -%>
</VirtualHost>
";

/// One value in one line, where nearly all is the cost of the call.
const LINE: &str = "<%= @title %>\n";

/// Measures the time of a rendering, Kukla's and Puppet's.
pub(crate) fn templates(options: &Options, table: &mut Table) -> Result<()> {
    let environments = Environments::write([
        ("environment.conf", "modulepath = modules\n"),
        ("modules/t/templates/settings.erb", SETTINGS),
        ("modules/t/templates/vhost.erb", VHOST),
        ("modules/t/templates/line.erb", LINE),
    ])?;
    let mut kukla = Kukla::start()?;
    let mut puppet = if options.no_puppet { None } else { Oracle::start_script(ORACLE).ok() };
    let mut ask = |call: &str| -> Result<(Option<f64>, Option<f64>)> {
        let mut question = question(&environments, call);
        question["rounds"] = json!(ROUNDS);
        let ours = kukla.ask(&question)?["warm_cpu_ms"].as_f64();
        question["rounds"] = json!(PUPPET_ROUNDS);
        let theirs = puppet.as_mut().map(|puppet| puppet.ask_json(&question)).transpose()?;
        Ok((ours, theirs.and_then(|theirs| theirs["warm_cpu_ms"].as_f64())))
    };
    let (base, puppets_base) = ask("$title")?;
    for name in ["settings", "vhost", "line"] {
        let (ours, theirs) = ask(&format!("template('t/{name}.erb')"))?;
        let each = |whole: Option<f64>, base: Option<f64>| {
            Some((whole? - base?).max(0.0) * 1000.0 / CALLS as f64)
        };
        let row = format!("ERB template `{name}`");
        match (each(ours, base), each(theirs, puppets_base)) {
            (Some(ours), Some(theirs)) => {
                let ratio = theirs / ours;
                table.row(&row, &format!("{ours:.2} µs, Puppet {theirs:.1} µs: {ratio:.0} ×"));
            }
            (Some(ours), None) => table.row(&row, &format!("{ours:.2} µs")),
            (None, _) => table.row(&row, "none"),
        }
    }
    Ok(())
}

fn question(environments: &Environments, call: &str) -> Value {
    let code = format!(
        "class t($settings, $aliases, $root, $port) {{\n  Integer[1, {CALLS}].each |$n| {{ $text = {call} }}\n}}\n\
         class {{ 't': settings => {{ 'timeout' => '30', 'listen' => ['a', 'b'], 'debug' => true, 'user' => 'www' }},\n  \
         aliases => ['www.example.com', 'web.example.com'], root => '/srv/www/', port => 80 }}\n"
    );
    json!({
        "id": call,
        "environmentpath": environments.path(),
        "environment": environment::NAME,
        "node": "node.example.com",
        "facts": {},
        "code": code,
    })
}
