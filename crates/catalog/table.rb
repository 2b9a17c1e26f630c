#!/usr/bin/env ruby
# Writes src/types/builtin.txt: what real Puppet says of its own types and of those in the modules that its agent's packages bring along.
#   ruby tests/oracle/resource_types.rb MODULEPATH <<< '*' | ruby crates/catalog/table.rb MODULEPATH > crates/catalog/src/types/builtin.txt
require 'json'

MODULES = %w[augeas_core cron_core host_core mailalias mount_core nagios_core scheduled_task selinux_core sshkeys_core yumrepo_core zfs_core
             zone_core].freeze
homes = ARGV.fetch(0).split(':').flat_map { |dir| Dir.glob("#{dir}/*/lib/puppet/type/*.rb") }
            .to_h { |file| [File.basename(file, '.rb'), file.split('/')[-5]] }
types = $stdin.map { |line| JSON.parse(line) }.select { |type| homes[type['name']].nil? || MODULES.include?(homes[type['name']]) }

types.sort_by { |type| type['name'] }.each do |type|
  name, keys = type.values_at('name', 'keys')
  puts "type #{name} #{homes[name]}".rstrip
  puts "  keys #{keys.join(' ')}" unless keys == ['name']
  puts "  properties #{type['properties'].join(' ')}" unless type['properties'].empty?
  puts "  parameters #{type['parameters'].join(' ')}"
  patterns = type['patterns']
  patterns.each { |regex, parts| puts "  pattern #{parts.map(&:first).join(' ')} #{regex}" } unless patterns == [['/(.*)/m', [[keys[0], false]]]] && keys.one?
  puts '  not isomorphic' unless type['isomorphic']
  puts "  applies to #{type['apply_to']}" unless type['apply_to'] == 'host'
end
