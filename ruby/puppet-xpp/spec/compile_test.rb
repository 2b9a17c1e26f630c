# frozen_string_literal: true

require 'json'
require 'catalogs'

# A catalog has the same bytes with and without the plugin.
class CompileTest < Minitest::Test
  FILES = {
    'manifests/site.pp' => "node default { include app }\n\nnode 'web.example.com' {\n  include app\n  notify { environment::shout('x'): }\n}\n",
    'functions/environment/shout.pp' => "function environment::shout(String $x) >> String { \"${x.upcase}!\" }\n",
    'modules/app/manifests/init.pp' => "# ü\nclass app(App::Port $port = 80, Hash $sites = { 'a' => { 'port' => 81 } }) inherits app::params {\n" \
                                       "  $sites.each |$name, $site| { app::site { $name: * => $site } }\n  File <| tag == 'x' |> { mode => '0600' }\n" \
                                       "  Notify['first'] -> App::Site<| |>\n  notify { 'first': message => \"${root} ${port}\" }\n}\n",
    'modules/app/manifests/params.pp' => "class app::params { $root = $facts['os']['family'] ? { 'Debian' => '/srv', default => '/opt' } }\n",
    'modules/app/manifests/site.pp' => "define app::site(App::Port $port) {\n  file { \"/srv/${name}\": content => app::render($name, $port), tag => 'x' }\n}\n",
    'modules/app/functions/render.pp' => "function app::render($name, $port) {\n  $text = @(\"END\")\n    listen ${port}\n    | END\n  \"${name}: ${text}\"\n}\n",
    'modules/app/types/port.pp' => "type App::Port = Integer[1, 65535]\n"
  }.freeze

  def teardown
    Puppet[:xpp] = false
  end

  Encodings::ALL.each do |encoding|
    define_method("test_small_environment_in_#{encoding}") do
      directory = World.environment(FILES)
      World.build(directory, encoding)
      assert_same_catalog directory, FILES.size
    end
  end

  def test_apache_ntp_and_postgresql
    skip 'no such modules' unless Catalogs.real?
    directory = Catalogs.real
    World.build(directory)
    assert_same_catalog directory, 30
  end

  # A failure names the same place.
  def test_errors_keep_file_line_and_column
    directory = World.environment(
      'manifests/site.pp' => "include m\n",
      'modules/m/manifests/init.pp' => "class m {\n  notice('ü', 1 + 'ö')\n}\n"
    )
    World.build(directory)
    messages = [false, true].map { |xpp| assert_raises(Puppet::Error) { Catalogs.compile(directory, xpp) }.message }
    assert_equal(*messages)
    assert_match(/init\.pp, line: 2, column: \d+\)/, messages.first)
  end

  private

  def assert_same_catalog(directory, least)
    loads = 0
    without = Catalogs.compile(directory, false)
    with = counting(-> { loads += 1 }) { Catalogs.compile(directory, true) }
    assert_equal without, with
    assert_operator loads, :>=, least, 'manifests from .xpp files'
    assert_operator JSON.parse(without)['resources'].size, :>, 3
  end

  def counting(count)
    load = Puppet::Xpp::Document.method(:load)
    Puppet::Xpp::Document.define_singleton_method(:load) { |*arguments| load.call(*arguments).tap { count.call } }
    yield
  ensure
    Puppet::Xpp::Document.define_singleton_method(:load, load)
  end
end
