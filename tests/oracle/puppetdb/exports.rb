# Real Puppet with the terminus of PuppetDB, from one warm process, as a server has it: facts and catalogs are sent to PuppetDB,
# and collectors ask it.
#
#     ruby -I LIBDIR tests/oracle/puppetdb/exports.rb CONFDIR CERTNAME SSLDIR CODEDIR
#
# Says {"puppet": VERSION}, then reads one JSON object a line: {"node", "facts", "uuid"}, and answers {"node", "catalog" or "error"}.
require 'json'
require 'puppet'
require 'puppet/indirector/catalog/compiler'

confdir, certname, ssldir, codedir = ARGV
Puppet.settings.preferred_run_mode = :server
Puppet.initialize_settings(
  %w[vardir rundir logdir publicdir].flat_map { |dir| ["--#{dir}", "#{confdir}/#{dir}"] } +
    ['--confdir', confdir, '--ssldir', ssldir, '--codedir', codedir, '--certname', certname], true, false
)
Puppet[:environmentpath] = "#{codedir}/environments"
Puppet[:storeconfigs_backend] = 'puppetdb'
Puppet[:storeconfigs] = true
# What `storeconfigs` does in a server.
Puppet::Resource::Catalog.indirection.terminus_class = :compiler
Puppet::Resource::Catalog.indirection.cache_class = :store_configs
Puppet::Node::Facts.indirection.terminus_class = :memory
Puppet::Node::Facts.indirection.cache_class = :store_configs
Puppet::Resource.indirection.terminus_class = :store_configs
Puppet::Util::Log.level = :warning
Puppet::Util::Log.newdestination(:console)
$stdout.sync = true
SERVER_FACTS = { 'serverversion' => Puppet.version.to_s, 'servername' => certname, 'serverip' => '192.0.2.1' }.freeze
LOADER = Puppet::Environments::Cached.new(Puppet::Environments::Directories.new("#{codedir}/environments", ["#{confdir}/modules"]))

def catalog(request)
  name = request['node']
  facts = Puppet::Node::Facts.new(name, request['facts'].merge('clientcert' => name))
  environment = Puppet.lookup(:environments).get!(:production)
  trusted = Puppet::Context::TrustedInformation.new('remote', name, {}, {})
  Puppet.override(current_environment: environment, trusted_information: trusted, rich_data: true) do
    Puppet::Node::Facts.indirection.save(facts, nil, environment: environment)
    node = Puppet::Node.new(name, facts: facts, environment: environment)
    node.merge(facts.values)
    node.add_server_facts(SERVER_FACTS)
    found = Puppet::Resource::Catalog.indirection.find(name, use_node: node, environment: environment, transaction_uuid: request['uuid'], ignore_cache: true)
    found.to_data_hash
  end
end

Puppet.push_context(ssl_context: Puppet::SSL::SSLProvider.new.load_context(certname: certname))
puts JSON.generate(puppet: Puppet.version)
$stdin.each_line do |line|
  request = JSON.parse(line)
  answer = { node: request['node'] }
  begin
    answer[:catalog] = Puppet.override(environments: LOADER) { catalog(request) }
  rescue StandardError => e
    answer[:error] = e.message
    warn e.full_message if ENV['TRACE']
  end
  puts JSON.generate(answer)
end
