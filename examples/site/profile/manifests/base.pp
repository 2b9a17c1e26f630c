# What every machine has.
#
# @param packages Packages that are always installed.
# @param banner What users see before they log in.
class profile::base (
  Array[String[1]]    $packages = [],
  Optional[String[1]] $banner   = undef,
) {
  include accounts
  include chrony

  package { $packages:
    ensure => installed,
  }

  $motd = @("MOTD"/L)
    ${facts['networking']['hostname']} runs ${facts['os']['name']} \
    ${facts['os']['release']['full']} and is managed by Puppet.
    ${banner.lest || { 'Be kind.' }}
    | MOTD

  file {
    default:
      ensure => file,
      mode   => '0644',
    ;
    '/etc/motd':
      content => $motd,
    ;
    ['/etc/issue', '/etc/issue.net']:
      content => "${banner}\n",
  }

  # Operators may log in everywhere, other people only where a profile realizes them.
  Accounts::User <| tag == 'operators' |> {
    tag +> 'login',
  }

  @@monitoring::check { "ssh ${trusted['certname']}":
    host => $facts['networking']['fqdn'],
    port => 22,
    tag  => ['ssh', $environment],
  }
}
