# The metadata that Puppet puts into the static catalog of the environment `production` of a tree.
#
#   ruby tests/oracle/agents/static.rb TREE.txt > METADATA.json

require 'tmpdir'
source = File.read(File.join(__dir__, 'agents.rb'))
%w[json pathname fileutils puppet puppet/indirector/catalog/compiler puppet/file_serving/metadata puppet/file_serving/configuration].each { |name| require name }
# The parts of the recorder that make the tree and sort directories.
eval(source[/^class Dir.*?^module Tree.*?^end\n/m])

root = File.realpath(Dir.mktmpdir)
at_exit { FileUtils.rm_rf(root) }
File.umask(0022)
Tree.make(ARGV[0], root)
Puppet.settings.preferred_run_mode = :server
Puppet.initialize_settings(
  ['--confdir', root, '--vardir', "#{root}/var", '--codedir', "#{root}/code", '--environmentpath', "#{root}/code/environments",
   '--basemodulepath', "#{root}/code/modules", '--node_terminus', 'plain'], true, true
)
Puppet::Util::Log.newdestination("#{root}/log")
Puppet::FileServing::Metadata.indirection.terminus_class = :file_server
Puppet.override(Puppet.base_context(Puppet.settings), 'static') do
  environment = Puppet.lookup(:environments).get!('production')
  node = Puppet::Node.new('agent.example', environment: environment)
  compiler = Puppet::Resource::Catalog::Compiler.new
  catalog = compiler.send(:compile, node, { static_catalog: true, code_id: 'abc', checksum_type: 'sha999.sha256.md5' })
  data = catalog.to_data_hash.slice('code_id', 'metadata', 'recursive_metadata')
  text = JSON.generate(data).gsub(root, '/ROOT').gsub(/\{ctime\}[^"]*/, '{ctime}TIME')
  puts text.gsub(/"owner":#{Process.euid},"group":#{Process.egid}/, '"owner":"UID","group":"GID"')
end
