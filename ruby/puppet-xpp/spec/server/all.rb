# frozen_string_literal: true

# A real Puppet Server serves the same catalog with the plugin as without: `KUKLA=path/to/kukla ruby spec/server/all.rb`.
#
# Needs Debian's packages puppetserver and puppet-module-{apache,ntp,postgresql}, root (or the right to read what
# the server reads) and a few minutes. The plugin is installed in both ways of the guide: as a gem and as a module.
$LOAD_PATH.unshift(__dir__, File.expand_path('../support', __dir__))
require 'open3'
require 'agent'
require 'catalogs'
require 'machine'

# The steps, in order.
module Server
  KUKLA = ENV.fetch('KUKLA', 'kukla')
  PLUGIN = File.expand_path('../..', __dir__)
  MODULES = ENV.fetch('PUPPET_MODULES', '/usr/share/puppet/modules')
  ROUTES = "server:\n  catalog:\n    terminus: xpp_compiler\n"
  LOADED = /XPP: loaded/.freeze

  def self.run
    abort "no #{Machine::JAR}; Debian's package is puppetserver" unless File.exist?(Machine::JAR)
    machine = Machine.new
    agent = Agent.new(Catalogs::NAME, machine.port)
    prepare(machine)
    expected = round(machine, agent, 'without the plugin', 0)
    switch_on(machine)
    install_gem(machine)
    compare(expected, round(machine, agent, 'with the plugin as a gem', 30))
    FileUtils.rm_rf(Dir["#{machine.root}/gems/*"])
    FileUtils.cp_r(PLUGIN, "#{machine.environment}/modules/xpp")
    compare(expected, round(machine, agent, 'with the plugin as a module', 30))
  ensure
    machine&.remove
  end

  def self.prepare(machine)
    machine.write('conf/puppet.conf', settings(machine))
    machine.write('code/environments/production/manifests/site.pp', Catalogs::SITE)
    machine.write('code/environments/production/environment.conf', "modulepath = modules\nconfig_version = /bin/echo 1\n")
    FileUtils.mkdir_p("#{machine.environment}/modules")
    Catalogs::MODULES.each { |name| FileUtils.ln_s("#{MODULES}/#{name}", "#{machine.environment}/modules/#{name}") }
    run_or_abort(KUKLA, 'xpp', 'build', machine.environment)
  end

  # An authority of its own, and no environment that stays in memory.
  def self.settings(machine)
    "[main]\ncertname = server.example.com\nautosign = true\nenvironment_timeout = 0\n" \
      "ssldir = #{machine.root}/ssl\n[server]\ncadir = #{machine.root}/ca\n[main]\n"
  end

  def self.switch_on(machine)
    machine.write('conf/puppet.conf', "#{settings(machine)}xpp = true\n")
    machine.write('conf/routes.yaml', ROUTES)
  end

  def self.install_gem(machine)
    Dir.chdir(PLUGIN) { run_or_abort('gem', 'build', 'puppet-xpp.gemspec', '--output', "#{machine.root}/puppet-xpp.gem") }
    run_or_abort('gem', 'install', '--local', '--no-document', '--install-dir', "#{machine.root}/gems", "#{machine.root}/puppet-xpp.gem")
  end

  # Starts the server, asks for the catalog twice, and checks how many manifests came from files.
  def self.round(machine, agent, name, least)
    catalogs = []
    seconds = []
    log = machine.running do
      2.times { seconds << clock { catalogs << normal(agent.catalog(Facts::VALUES)) }.round(2) }
    end
    count = log.scan(LOADED).size
    puts "#{name}: #{count} files loaded; catalogs in #{seconds.join(', ')} s"
    puts log.lines.grep(/XPP/).grep_v(LOADED)
    abort 'that is the wrong number of files' if least.zero? ? count.positive? : count < least
    catalogs
  end

  # Without its random name.
  def self.normal(catalog)
    catalog.sub(/"catalog_uuid":"[^"]*",?/, '')
  end

  def self.compare(expected, found)
    expected.zip(found) { |one, two| abort "catalogs differ:\n#{one}\n#{two}" unless one == two }
    puts "the same catalog: #{found[0].bytesize} bytes, #{JSON.parse(found[0])['resources'].size} resources"
  end

  def self.clock
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  end

  def self.run_or_abort(*command)
    output, status = Open3.capture2e(*command)
    abort output unless status.success?
  end
end

# What was found is shown at once, also in a file.
$stdout.sync = true
Server.run
