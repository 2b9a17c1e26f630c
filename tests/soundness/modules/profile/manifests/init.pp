# Asks for something of every kind.
class profile (
  Integer $port,
  Hash[String, Profile::User] $users,
  Array[String] $list,
  String $greeting,
  String $from_json = 'none',
  String $from_hocon = 'none',
  String $from_module = 'none',
  String $zone = 'none',
  String $secret = 'none',
  String $computed = 'none',
  Size $size = 'small',
  Optional[String] $role = undef,
) {
  include profile::params
  contain profile::files
  $users.each |$name, $user| { profile::account { $name: * => $user } }
  notify { 'values':
    message => "${port} ${list} ${greeting} ${from_json} ${from_hocon} ${from_module} ${zone} ${secret} ${computed} ${role}",
  }
  notify { "functions ${profile::twice($port)} ${profile::shout('x')} ${old_style('y')}": }
  notify { "scope ${settings::environment} ${trusted['certname']} ${facts['mountpoints'] =~ Hash}": }
  notify { "paths ${facts['networking']['ip']} ${facts['processors']['models'][-1]} ${facts['os']['distro']['codename']}": }
  notify { "legacy ${osfamily} ${::hostname}": }
  if defined('profile::optional') { include profile::optional }
  if $facts['virtual'] == 'nowhere' { include profile::never }
  profile_thing { 'one': ensure => present, level => 3 }
  @@profile::check { "check of ${trusted['certname']}": port => $port, tag => 'checks' }
  Profile::Check <<| tag == 'checks' |>>
  Profile::Check <<| port == 9999 |>> { port => 1 }
  $options = lookup('profile::options', Hash, 'deep', { 'none' => true })
  notify { "options ${options}": }
  @notify { 'virtual': tag => 'late' }
  Notify <| tag == 'late' |> { message => 'realized' }
  create_resources('notify', { 'created' => { 'message' => $profile::params::text } })
  ensure_packages(['curl'], { 'ensure' => 'present' })
}
