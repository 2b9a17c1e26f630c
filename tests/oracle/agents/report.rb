# The YAML that Puppet's report processor `store` writes for a report that an agent sends as JSON.
#
#   ruby tests/oracle/agents/report.rb < REPORT.json > REPORT.yaml
#   ruby tests/oracle/agents/report.rb check < REPORT.yaml    # reads a stored report as Puppet does; prints host and status

require 'puppet'
require 'puppet/transaction/report'

Puppet.initialize_settings
text = $stdin.read.force_encoding('UTF-8')
if ARGV[0] == 'check'
  report = YAML.unsafe_load(text)
  puts [report.class, report.host, report.status, report.logs.size, report.metrics.keys.sort.join(','), report.resource_statuses.size].join(' ')
else
  print Puppet::Transaction::Report.convert_from('json', text).to_yaml
end
