# A port that must be open.
#
# @param host The machine.
# @param port The port.
# @param severity How loudly to complain.
define monitoring::check (
  String[1]                        $host,
  Integer[1, 65535]                $port,
  Enum['info', 'warning', 'alarm'] $severity = $port ? { 22 => 'alarm', default => 'warning' },
) {
  $file_name = regsubst($title, /[^\w.-]+/, '_', 'G').downcase
  $text = @("CHECK")
    {"host": "${host}", "port": ${port}, "severity": "${severity}", "interval": ${monitoring::interval}}
    | CHECK

  file { "${monitoring::config_dir}/checks/${file_name}.json":
    content => $text,
    mode    => '0644',
  }
}
