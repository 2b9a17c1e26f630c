# What every machine of the imaginary company has; no module is needed for it.

# An account with its home.
define base::account (
  Integer[1000] $uid,
  Array[String[1]] $groups = [],
  String[1] $shell = '/bin/bash',
  Optional[Sensitive[String]] $password = undef,
) {
  group { $title:
    ensure => present,
    gid    => $uid,
  }
  user { $title:
    ensure     => present,
    uid        => $uid,
    gid        => $uid,
    groups     => $groups,
    shell      => $shell,
    home       => "/home/${title}",
    managehome => true,
    password   => $password,
  }
  file {
    default:
      ensure => directory,
      owner  => $title,
      group  => $title,
      mode   => '0700';
    "/home/${title}":
      ;
    "/home/${title}/.ssh":
      ;
  }
  file { "/home/${title}/.profile":
    ensure  => file,
    owner   => $title,
    group   => $title,
    content => "# of ${title}\numask 027\n",
  }
}

# An application with a unit, settings and a place for data.
define base::app (
  Stdlib::Port $port,
  Enum['running', 'stopped'] $state = 'running',
  Hash[String, Variant[String, Integer, Boolean]] $settings = {},
) {
  $all = { 'port' => $port, 'name' => $title } + $settings
  file { ["/srv/${title}", "/srv/${title}/data", "/srv/${title}/log"]:
    ensure => directory,
    owner  => 'root',
    mode   => '0755',
  }
  $all.each |$key, $value| {
    file { "/srv/${title}/${key}.conf":
      ensure  => file,
      content => "${key} = ${value}\n",
      notify  => Service[$title],
    }
  }
  service { $title:
    ensure => $state,
    enable => $state == 'running',
  }
  File["/srv/${title}"] -> Service[$title]
  @host { "${title}.internal":
    ip  => '192.0.2.77',
    tag => ['internal', $title],
  }
}

class base (
  Array[String[1]] $packages = ['vim', 'curl', 'rsync', 'less', 'tmux'],
  Hash[String, Integer] $accounts = { 'anna' => 2001, 'berta' => 2002, 'cleo' => 2003 },
) {
  package { $packages: ensure => installed }
  $accounts.each |$name, $uid| {
    base::account { $name: uid => $uid, groups => ['adm'] }
  }
  file { '/etc/motd':
    content => "${facts['networking']['fqdn']} runs ${facts['os']['name']} ${facts['os']['release']['full']}\n",
  }
  $service = $facts['os']['family'] ? {
    'RedHat' => 'crond',
    default  => 'cron',
  }
  service { $service:
    ensure => running,
    enable => true,
  }
  contain base::time
}

class base::time {
  case $facts['os']['family'] {
    'Debian': { $package = 'systemd-timesyncd' }
    'RedHat': { $package = 'chrony' }
    default:  { fail("no time on ${facts['os']['family']}") }
  }
  package { $package: ensure => latest }
  -> file { '/etc/timezone': content => "${facts['timezone']}\n" }
}

class base::quiet inherits base {
  File['/etc/motd'] { content => '', mode => '0600' }
}

node 'plain1.example.com' { include base }
node 'plain2.example.com' { class { 'base': packages => ['vim'], accounts => {} } }
node 'plain3.example.com' { include base::quiet }
node 'plain4.example.com' { class { 'base': accounts => { 'dora' => 12 } } }
node 'apps1.example.com' {
  include base
  range(1, 12).each |$n| {
    base::app { "app${n}": port => 8000 + $n, settings => { 'debug' => $n % 2 == 0, 'workers' => $n } }
  }
  Host <| tag == 'app3' |>
}
node 'apps2.example.com' {
  Service { provider => 'systemd' }
  File { owner => 'deploy', mode => '0640' }
  range(1, 30).each |$n| {
    base::app { "svc${n}": port => 9000 + $n, state => if $n < 20 { 'running' } else { 'stopped' } }
  }
  realize Host['svc1.internal'], Host['svc2.internal']
  Service <| title == 'svc5' |> { restart => '/bin/true' }
  Base::App['svc1'] -> Base::App['svc2'] ~> Base::App['svc3']
}
node 'apps3.example.com' { base::app { 'bad': port => 70000 } }
node 'apps4.example.com' { base::app { 'odd': port => 80, settings => { 'list' => [1] } } }
node 'apps5.example.com' { base::app { ['x', 'y']: port => 80 } base::app { 'x': port => 81 } }
node 'apps6.example.com' {
  base::app { 'one': port => 80, require => Package['nowhere'] }
}
node 'apps7.example.com' {
  $apps = { 'left' => { 'port' => 81 }, 'right' => { 'port' => 82, 'state' => 'stopped' } }
  create_resources('base::app', $apps, { 'settings' => { 'shared' => true } })
  Base::App <| |> { tag => 'all-apps' }
  Host <| tag == 'internal' |>
}
node 'accounts1.example.com' {
  range(1, 60).each |$n| {
    base::account { "user${n}": uid => 3000 + $n, password => Sensitive("hash${n}") }
  }
}
node 'accounts2.example.com' {
  stage { 'first': before => Stage['main'] }
  class { 'base::time': stage => 'first' }
  range(1, 15).each |$n| { @base::account { "v${n}": uid => 4000 + $n, tag => "team${$n % 3}" } }
  Base::Account <| tag == 'team1' or title == 'v3' |> { shell => '/bin/sh' }
}
node 'accounts3.example.com' { base::account { 'anna': uid => 4001, groups => ["g${n % 3}"] } }
node 'cron1.example.com' {
  range(0, 39).each |$n| {
    cron { "job${n}": command => "/usr/local/bin/job ${n}", user => 'root', minute => $n, hour => [1, 13] }
  }
  range(1, 20).each |$n| { host { "h${n}.example.com": ip => "198.51.100.${n}", host_aliases => ["h${n}"] } }
  mount { '/data': ensure => mounted, device => '/dev/vdb1', fstype => 'ext4', options => 'noatime' }
  ssh_authorized_key { 'anna@laptop': user => 'anna', type => 'ssh-ed25519', key => 'AAAAC3Nz' }
  sshkey { 'git.example.com': type => 'ssh-rsa', key => 'AAAAB3Nz' }
  augeas { 'grub': context => '/files/etc/default/grub', changes => ['set GRUB_TIMEOUT 1'] }
  mailalias { 'root': recipient => 'ops@example.com' }
  selboolean { 'httpd_can_network_connect': value => on, persistent => true }
}
