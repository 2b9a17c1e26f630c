# frozen_string_literal: true

require 'facts'

# Catalogs of one machine, compiled by Puppet.
module Catalogs
  NAME = 'web.example.com'
  # A node with three well-known modules, and the modules that these need.
  MODULES = %w[apache ntp postgresql apt concat stdlib systemd].freeze
  SITE = <<-PUPPET
    node default {
      class { 'apache': default_vhost => false }
      apache::vhost { 'a.example.com': port => 80, docroot => '/srv/a' }
      include ntp
      class { 'postgresql::globals': version => '15' }
      include postgresql::server
      postgresql::server::db { 'd': user => 'u', password => 'p' }
    }
  PUPPET

  def self.real?
    MODULES.all? { |name| File.exist?(File.join(World::MODULES, name)) }
  end

  # An environment with that node. Its modules are links, so that no others are built.
  def self.real
    directory = World.environment('manifests/site.pp' => SITE, 'environment.conf' => "modulepath = modules\n")
    FileUtils.mkdir_p("#{directory}/modules")
    MODULES.each { |name| FileUtils.ln_s(File.join(World::MODULES, name), "#{directory}/modules/#{name}") }
    directory
  end

  # The catalog as JSON without its random name, with an environment that has nothing in memory.
  def self.compile(directory, xpp)
    before = Puppet[:strict]
    # Puppet 8 finds a mistake in Debian's apache and would stop there.
    Puppet[:strict] = :warning
    Puppet[:xpp] = xpp
    World.inside(directory) do |environment|
      node = Puppet::Node.new(NAME, facts: Puppet::Node::Facts.new(NAME, Facts::VALUES), environment: environment)
      node.merge(Facts::VALUES)
      catalog = Puppet::Parser::Compiler.compile(node, 'id').to_resource
      catalog.version = 1
      catalog.to_json.sub(/"catalog_uuid":"[^"]*",/, '')
    end
  ensure
    Puppet[:xpp] = false
    Puppet[:strict] = before
  end
end
