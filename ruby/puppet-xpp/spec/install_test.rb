# frozen_string_literal: true

require 'open3'
require 'rbconfig'

# Every way to get the plugin into a real `puppet` command.
class InstallTest < Minitest::Test
  ROOT = File.expand_path('..', __dir__)
  # Another Puppet than the system's may be in RUBYLIB.
  RUBYOPT = { 'RUBYLIB' => [World::LIB, ENV['RUBYLIB']].compact.join(':'), 'RUBYOPT' => '-rpuppet/xpp' }.freeze
  ROUTES = "apply: {catalog: {terminus: xpp_compiler}}\ncatalog: {catalog: {terminus: xpp_compiler}}\n"
  ON = "[main]\nxpp = true\n"

  def setup
    skip 'no puppet command' unless system('puppet', '--version', out: File::NULL, err: File::NULL)
    @directory = World.environment('manifests/site.pp' => "include m\n", 'modules/m/manifests/init.pp' => "class m { notify { 'hello': } }\n")
    World.build(@directory)
    @confdir = Dir.mktmpdir('conf', World::ROOT)
  end

  def test_rubyopt_with_the_setting
    World.write("#{@confdir}/puppet.conf", ON)
    assert_loads 2, RUBYOPT
    assert_loads 0, RUBYOPT, '--no-xpp'
  end

  def test_rubyopt_with_the_option
    assert_loads 2, RUBYOPT, '--xpp'
    assert_loads 0, RUBYOPT
  end

  def test_rubyopt_leaves_other_programs_alone
    output, = Open3.capture2e(RUBYOPT, RbConfig.ruby, '-e', 'p defined?(Puppet)')
    assert_equal "nil\n", output
  end

  def test_routes_and_a_module
    FileUtils.ln_s(ROOT, "#{@directory}/modules/xpp")
    World.write("#{@confdir}/puppet.conf", ON)
    World.write("#{@confdir}/routes.yaml", ROUTES)
    assert_loads 2, {}
    assert_compile_loads 2, {}
  end

  def test_routes_and_a_gem
    World.write("#{@confdir}/puppet.conf", ON)
    World.write("#{@confdir}/routes.yaml", ROUTES)
    assert_loads 2, 'GEM_PATH' => "#{install_gem}:#{Gem.path.join(':')}"
  end

  # Puppet sees a module only in part where something is missing there.
  def test_metadata_of_the_module
    World.at(@directory) do |environment|
      found = Puppet::Module.new('xpp', ROOT, environment)
      assert found.has_metadata?
      assert_empty found.dependencies
      assert_equal Gem::Specification.load("#{ROOT}/puppet-xpp.gemspec").version.to_s, found.version
    end
  end

  def test_puppet_xpp_is_kukla
    tools = Dir.mktmpdir('tools', World::ROOT)
    File.write("#{tools}/kukla", "#!/bin/sh\necho kukla \"$@\"\n")
    File.chmod(0o755, "#{tools}/kukla")
    output, = Open3.capture2e({ 'KUKLA' => nil, 'PATH' => "#{ROOT}/bin:#{tools}:#{ENV.fetch('PATH')}" }, 'puppet', 'xpp', 'build', '--check')
    assert_equal "kukla xpp build --check\n", output
  end

  private

  def assert_loads(count, variables, *options)
    assert_run count, variables, 'apply', '--noop', *options, "#{@directory}/manifests/site.pp"
  end

  def assert_compile_loads(count, variables)
    assert_run count, variables, 'catalog', 'compile', 'web.example.com', '--facts_terminus', 'facter'
  end

  def assert_run(count, variables, *command)
    # Modules of the system would bring facts that take seconds.
    places = { 'confdir' => @confdir, 'vardir' => "#{@confdir}/var", 'codedir' => "#{@confdir}/code",
               'environmentpath' => File.dirname(@directory), 'basemodulepath' => "#{@confdir}/modules" }
    output, = Open3.capture2e(variables, 'puppet', *command, '--debug', '--color', 'false', *places.flat_map { |name, path| ["--#{name}", path] })
    assert_match(/hello/, output)
    assert_equal count, output.scan('XPP: loaded').size, output
  end

  def install_gem
    home = Dir.mktmpdir('gems', World::ROOT)
    Dir.chdir(ROOT) do
      output, status = Open3.capture2e('gem', 'build', 'puppet-xpp.gemspec', '--output', "#{home}/puppet-xpp.gem")
      assert status.success?, output
    end
    output, status = Open3.capture2e('gem', 'install', '--local', '--no-document', '--install-dir', home, "#{home}/puppet-xpp.gem")
    assert status.success?, output
    home
  end
end
