# A web server with the sites that the data lists.
#
# @param sites Sites by name, as the parameters of `nginx::site`.
# @param enable_status Whether the server tells its state to the monitor.
class profile::web (
  Hash[String[1], Hash[String[1], Data]] $sites         = {},
  Boolean                                $enable_status = true,
) {
  include nginx

  $sites.each |$name, $parameters| {
    nginx::site { $name:
      * => $parameters,
    }
  }

  $checks = $sites.map |$name, $site| {
    $port = $site['port'].lest || { if 'tls' in $site { 443 } else { 80 } }
    [$name, $port]
  }

  if $enable_status {
    $checks.each |$check| {
      [$name, $port] = $check
      @@monitoring::check { "${name} ${trusted['certname']}":
        host => $facts['networking']['fqdn'],
        port => $port,
        tag  => ['http', $environment],
      }
    }
  }

  # Developers deploy the sites.
  realize(Group['developers'])
  Accounts::User <| tag == 'developers' |> -> Class['nginx']
}
