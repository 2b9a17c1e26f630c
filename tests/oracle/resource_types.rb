#!/usr/bin/env ruby
# What real Puppet knows of resource types, from one warm process.
#   ruby resource_types.rb MODULEPATH [LIB…] < NAMES
# Reads names of types, one a line; `*` stands for all that are on the module path and in Puppet itself.
# Prints one JSON object a line: the names of a type's attributes and keys, and what becomes of some titles.
# LIB are directories for Ruby's own search path, such as that of the Resource API.
require 'json'
require 'tmpdir'
modulepath, *libs = ARGV
$LOAD_PATH.unshift(*libs)
require 'puppet'

work = Dir.mktmpdir('oracle')
at_exit { FileUtils.remove_entry(work) }
Puppet.initialize_settings(%w[confdir vardir codedir rundir logdir publicdir].flat_map { |d| ["--#{d}", "#{work}/#{d}"] } +
                           ['--certname', 'puppet.example.com'], true, false)
Puppet::Util::Log.level = :crit
Puppet::Util::Log.newdestination(:console)
MODULES = modulepath.to_s.split(':')
ENVIRONMENT = Puppet::Node::Environment.create(:production, MODULES)
# Puppet's commands do the same, so that a plugin can require another one.
ENVIRONMENT.each_plugin_directory { |dir| $LOAD_PATH << dir }
# Titles with whatever title patterns look for.
TITLES = JSON.parse(File.read("#{__dir__}/titles.json")).freeze

# A resource of `component` or `whit` is made of a reference, so that its title is not what was given.
INTERNAL = %i[component whit].freeze

def title(type, text)
  resource = Puppet::Resource.new(type, text, environment: ENVIRONMENT)
  { parts: resource.to_hash.transform_keys(&:to_s), key: resource.uniqueness_key }
rescue StandardError => e
  { error: e.message }
end

def titles(type)
  INTERNAL.include?(type.name) ? {} : TITLES.to_h { |text| [text, title(type, text)] }
end

def facts(name)
  type = Puppet::Type.type(name)
  return { name: name, missing: true } unless type

  { name: type.name, properties: type.properties.map(&:name), parameters: type.parameters, keys: type.key_attributes,
    isomorphic: type.isomorphic? ? true : false, apply_to: type.apply_to, patterns: patterns(type), titles: titles(type) }
rescue Exception => e # rubocop:disable Lint/RescueException
  { name: name, error: e.message.lines.first.chomp }
end

def patterns(type)
  type.title_patterns.map { |regex, parts| [regex.inspect, parts.map { |part| [part[0].to_s, part.length > 1 && !part[1].nil?] }] }
rescue StandardError => e
  e.message
end

# Puppet's own come first: some plugins load parts of them in another order.
def all
  own = File.dirname($LOADED_FEATURES.grep(%r{/puppet\.rb\z}).first)
  dirs = [own] + MODULES.flat_map { |dir| Dir.glob("#{dir}/*/lib") }
  dirs.flat_map { |dir| Dir.glob("#{dir}/puppet/type/*.rb") }.map { |file| File.basename(file, '.rb') }.uniq
end

Puppet.override(current_environment: ENVIRONMENT, environments: Puppet::Environments::Static.new(ENVIRONMENT)) do
  $stdin.each_line(chomp: true) do |line|
    (line == '*' ? all : [line]).each { |name| puts JSON.generate(facts(name)) }
    $stdout.flush
  end
end
