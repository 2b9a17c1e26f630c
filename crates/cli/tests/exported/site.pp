# A fleet whose nodes export to each other, as control repositories do it: entries of /etc/hosts, keys of SSH, backends of
# balancers, fragments of files that are put together, checks of a monitor, accounts of a database, grants of a backup.

define fleet::host(String $ip, Array[String] $aliases = [], Optional[String] $comment = undef) {
  file { "/etc/hosts.d/${title}": ensure => file, content => "${ip}\t${title} ${aliases.join(' ')} # ${comment}\n" }
}
define fleet::backend(
  Integer $port, Hash $options = {}, Boolean $backup = false, Optional[Integer] $weight = undef, Array $lists = [], String $listen = 'main',
) {
  $words = $options.map |$key, $value| { "${key}=${value}" }.join(' ')
  $fallback = $backup ? { true => ' backup', default => '' }
  notify { "server ${title} ${port} ${words}${fallback} ${weight} ${lists}": tag => $listen }
}
define fleet::concat() {
  file { $title: ensure => file, mode => '0640' }
}
define fleet::fragment(String $target, String $content, Variant[String, Integer] $order = 10) {
  file { "${target}.d/${order}-${title.regsubst('[^a-z0-9.]', '_', 'G')}": content => $content, require => Fleet::Concat[$target] }
}
define fleet::service(String $check, Array[String] $groups = [], Optional[Hash] $thresholds = undef, Boolean $volatile = false) {
  file { "/etc/monitor/${title}.cfg":
    content => "${check} ${groups.sort} ${thresholds} ${volatile}\n", notify => Exec['reload monitor'], tag => $groups,
  }
}
define fleet::grant(String $user, Optional $password = undef, String $schema = '*') {
  exec { "grant ${user} on ${schema} for ${title}": command => "/usr/bin/grant ${user}", unless => "/usr/bin/granted ${user}" }
}

class fleet::hosts {
  $own = $trusted['certname']
  @@fleet::host { $own:
    ip => $facts['networking']['ip'], aliases => [$facts['short'], "${facts['short']}.internal"],
    tag => ['hosts', "site${facts['site']}", "Role::${facts['role']}"],
  }
  Fleet::Host <<| tag == "site${facts['site']}" |>> { comment => 'collected' }
}

class fleet::keys {
  $own = $trusted['certname']
  @@file { "/etc/ssh/known/${own}":
    ensure => file, content => "${own} ssh-ed25519 ${sha256($own)[0, 20]}\n", mode => '0644', tag => 'known_hosts',
    require => File['/etc/ssh/known'], before => [Exec['refresh keys'], Exec['audit keys']],
  }
  file { '/etc/ssh/known': ensure => directory, purge => true, recurse => true, force => undef }
  exec { 'refresh keys': command => '/bin/true', refreshonly => true }
  exec { ['audit keys']: command => '/bin/true' }
  # Names beside their titles.
  package { 'editor': ensure => present, name => 'vim', alias => 'ed' }
  file { '/srv/data/': ensure => directory }
  @@file { "motd of ${own}":
    path => "/etc/motd.d/${own}", content => "${own}\n", tag => 'motd', alias => ["second ${own}", "another ${own}"], require => Package['ed'],
  }
  File <<| tag == 'motd' and title == "motd of ${facts['neighbour']}" |>>
  # Its own resource and those of the same row.
  File <<| tag == 'known_hosts' and (title == "/etc/ssh/known/${own}" or title == "/etc/ssh/known/${facts['neighbour']}") |>> ~> Exec['refresh keys']
}

class fleet::web {
  $n = $facts['number']
  $own = $trusted['certname']
  @@fleet::backend { $own:
    port => 8000 + $n % 50, options => { 'check' => true, 'inter' => $n % 7, 'name' => "n\u00e4m\u20ac ${n}" }, backup => $n % 6 == 0,
    weight => $n % 9 ? { 0 => undef, default => $n % 9 }, lists => [[1, 'two'], { 'three' => [3.5, undef, true] }],
    listen => "pool${facts['pool']}", tag => ["pool${facts['pool']}", 'UPPER', $facts['site']],
  }
  @@fleet::fragment { "vhost ${own}/${n}":
    target => '/etc/proxy.conf', content => "server ${own}\n\tport \"${n}\" \\ 'x' \$\n", order => $n % 3 ? { 0 => 5, 1 => '15', default => 25 },
    tag => "proxy${facts['pool']}",
  }
  @@fleet::grant { "app@${own}": user => "app${n}", password => Sensitive("secret of ${own}"), schema => "db${facts['pool']}" }
}

class fleet::balancer {
  $pool = $facts['pool']
  fleet::concat { '/etc/proxy.conf': }
  Fleet::Backend <<| listen == "pool${pool}" and backup == false |>>
  Fleet::Backend <<| tag == "pool${pool}" and port == 8006 |>> { tag => 'again', noop => true }
  Fleet::Fragment <<| tag == "proxy${pool}" and order != 25 |>>
  # A later balancer stands in for those of the pool before.
  Fleet::Backend <<| tag == 'upper' and weight == 3 and listen == "pool${($pool + 1) % 10}" |>> { weight => 1 }
}

class fleet::checked {
  $own = $trusted['certname']
  $n = $facts['number']
  @@fleet::service { "${own} load":
    check => "check_load!${n}", groups => ["role-${facts['role']}", "site-${facts['site']}"], thresholds => { 'warn' => $n % 5, 'crit' => [5, 4, 3] },
  }
  @@fleet::service { "${own} disk": check => 'check_disk', groups => ['disk'], volatile => $n % 2 == 0 }
  unless $n % 4 == 3 {
    @@notify { "probe ${own}": message => "probe of ${own}", withpath => true, loglevel => 'info', alias => "p${n}", schedule => 'hourly' }
  }
  # Virtual, and not exported.
  @user { "u${n}": uid => 5000 + $n, groups => ['wheel', 'adm'], tag => 'staff' }
  @user { "v${n}": uid => 7000 + $n }
  User <| tag == 'staff' |>
}

class fleet::monitor {
  exec { 'reload monitor': command => '/bin/true', refreshonly => true }
  Fleet::Service <<| |>>
  Fleet::Host <<| tag == 'hosts' and title != "web042.fleet.test" |>>
  Notify <<| loglevel == 'info' |>> { noop => false }
}

class fleet::site_monitor {
  exec { 'reload monitor': command => '/bin/true', refreshonly => true }
  Fleet::Service <<| tag == "site-${facts['site']}" or groups == "site-${facts['site']}" or title == 'web000.fleet.test disk' |>>
}

class fleet::database {
  Fleet::Grant <<| schema == "db${facts['pool']}" |>>
}

node default {
  include fleet::hosts, fleet::keys, fleet::checked
  case $facts['role'] {
    'web': { include fleet::web }
    'balancer': { include fleet::balancer }
    'database': { include fleet::database }
    'site_monitor': { include fleet::site_monitor }
    'monitor': { include fleet::monitor }
    default: {}
  }
  if $facts['asks'] {
    $rows = puppetdb_query("resources[certname, title] { type = 'Fleet::Backend' and exported = true and parameters.port = 8006 order by certname }")
    notify { 'asked': message => $rows.map |$row| { "${row['certname']} ${row['title']}" }.join(',') }
  }
}
