# The monitor.
#
# @param config_dir Where the checks are written.
# @param interval Seconds between two checks.
class monitoring (
  Pattern[/\A\//] $config_dir = '/etc/monitor',
  Integer[10]     $interval   = 60,
) {
  contain monitoring::reload

  $config = @(CONFIG:json)
    {
      "log": { "level": "info" },
      "include": ["checks/*.json"]
    }
    |- CONFIG

  file {
    default:
      mode => '0644',
    ;
    [$config_dir, "${config_dir}/checks"]:
      ensure => directory,
      mode   => '0755',
    ;
    "${config_dir}/monitor.json":
      content => "${config}\n",
  }
  ~> Class['monitoring::reload']
}
