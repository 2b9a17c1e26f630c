# frozen_string_literal: true

require 'open3'

# r10k deploys a control repository and has its environments built.
#
# The commands are those of `R10K` and `KUKLA`, or those on the path.
class R10kTest < Minitest::Test
  R10K = ENV.fetch('R10K', 'r10k')
  KUKLA = ENV.fetch('KUKLA', 'kukla')
  HOOK = File.expand_path('../bin/xpp-postrun', __dir__)
  CLASS = 'site/role/manifests/init.pp'
  BUILT = '.xpp/modules/role/manifests/init.xpp'

  def setup
    [[R10K, 'version'], [KUKLA, '--version'], %w[git --version]].each do |command|
      skip "no #{command[0]}" unless system(*command, out: File::NULL, err: File::NULL)
    end
    @home = Dir.mktmpdir('r10k', World::ROOT)
    configure
    write_control
    commit 'production'
  end

  def test_every_deployment_is_built
    commit 'staging', CLASS => "class role {\n"
    deploy
    assert_equal 'flat', encoding('production')
    refute File.exist?("#{@home}/code/staging/#{BUILT}"), 'it has an error'
    assert File.exist?("#{@home}/code/staging/.xpp/modules/environment/manifests/site.xpp")
    assert_loads 'production', 'one'
  end

  def test_what_r10k_purges
    deploy
    before = File.stat("#{@home}/code/production/.xpp/modules/environment/manifests/site.xpp").ino
    commit 'production', CLASS => "class role { notify { 'two': } }\n"
    File.write("#{@home}/code/production/stray", '')
    deploy
    refute File.exist?("#{@home}/code/production/stray")
    assert_equal before, File.stat("#{@home}/code/production/.xpp/modules/environment/manifests/site.xpp").ino, 'it did not change'
    assert_loads 'production', 'two'
  end

  private

  def configure
    World.write("#{@home}/r10k.yaml", <<-YAML)
cachedir: #{@home}/cache
sources:
  main:
    remote: file://#{@home}/control
    basedir: #{@home}/code
postrun: ['#{HOOK}', '$modifiedenvs']
deploy:
  purge_levels: ['deployment', 'environment', 'puppetfile']
  purge_allowlist: ['.xpp', '.xpp/**/*']
    YAML
  end

  def write_control
    git 'init', '--quiet', '--initial-branch=production', "#{@home}/control", in_control: false
    World.write("#{@home}/control/environment.conf", "modulepath = site\n")
    World.write("#{@home}/control/manifests/site.pp", "include role\n")
    World.write("#{@home}/control/#{CLASS}", "class role { notify { 'one': } }\n")
  end

  def commit(branch, files = {})
    git 'checkout', '--quiet', '-B', branch
    files.each { |path, content| World.write("#{@home}/control/#{path}", content) }
    git 'add', '--all'
    git '-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--quiet', '--message', 'x'
  end

  def git(*arguments, in_control: true)
    output, status = Open3.capture2e('git', *(in_control ? ['-C', "#{@home}/control"] : []), *arguments)
    assert status.success?, output
  end

  def deploy
    variables = { 'ENVIRONMENTS' => "#{@home}/code", 'KUKLA' => KUKLA }
    output, status = Open3.capture2e(variables, R10K, 'deploy', 'environment', '--config', "#{@home}/r10k.yaml", '--verbose')
    assert status.success?, output
  end

  def encoding(environment)
    File.binread("#{@home}/code/#{environment}/#{BUILT}")[/pcore\+(\w+)/n, 1]
  end

  # The plugin takes the class from its file, and it is the one that was deployed.
  def assert_loads(environment, title)
    Puppet[:xpp] = true
    directory = "#{@home}/code/#{environment}"
    program = World.inside(directory) { Puppet::Pops::Parser::EvaluatingParser.new.parse_file("#{directory}/#{CLASS}") }
    refute program.instance_variable_defined?(:@hash), 'it was parsed'
    assert_equal title, program.body.body.statements[0].bodies[0].title.value
  ensure
    Puppet[:xpp] = false
  end
end
