# Load balancers, firewalls, names and mail.
node 'lb1.example.com' {
  class { 'haproxy': merge_options => true, global_options => { 'maxconn' => '8000' } }
  haproxy::listen { 'web': ipaddress => '192.0.2.80', ports => '80', mode => 'http', options => { 'balance' => 'roundrobin' } }
  haproxy::balancermember { 'web1': listening_service => 'web', server_names => 'web1', ipaddresses => '192.0.2.81', ports => '80', options => 'check' }
  haproxy::balancermember { 'web2': listening_service => 'web', server_names => ['web2', 'web3'], ipaddresses => ['192.0.2.82', '192.0.2.83'], ports => '80' }
}
node 'lb2.example.com' {
  include haproxy
  range(1, 40).each |$n| {
    haproxy::frontend { "front${n}": bind => { "192.0.2.80:${8000 + $n}" => [] }, options => { 'default_backend' => "back${n}" } }
    haproxy::backend { "back${n}": options => { 'option' => ['httpchk', 'forwardfor'], 'balance' => 'source' } }
    range(1, 4).each |$m| {
      haproxy::balancermember { "b${n}-${m}": listening_service => "back${n}", server_names => "s${m}", ipaddresses => "198.51.100.${m}", ports => "${8000 + $n}" }
    }
  }
  haproxy::userlist { 'admins': users => ['a insecure-password b'], groups => ['g users a'] }
  haproxy::peers { 'ring': }
  haproxy::peer { 'p1': peers_name => 'ring', port => 1024, server_names => 'p1', ipaddresses => '192.0.2.90' }
}
node 'lb3.example.com' {
  class { 'haproxy': }
  @@haproxy::balancermember { 'me': listening_service => 'ex', server_names => 'me', ipaddresses => '192.0.2.7', ports => ['80', '443'] }
  haproxy::listen { 'ex': ports => ['80', '443'], ipaddress => '*' }
  Haproxy::Balancermember <<| listening_service == 'ex' |>>
}
node 'lb4.example.com' { include haproxy haproxy::listen { 'both': ports => '80', bind => { '*:80' => [] } } }
node 'lb5.example.com' { include haproxy haproxy::balancermember { 'x': ports => '80' } }
node 'fw1.example.com' {
  include firewall
  firewall { '000 accept all icmp': proto => 'icmp', action => 'accept' }
  -> firewall { '001 accept all to lo': proto => 'all', iniface => 'lo', action => 'accept' }
  -> firewall { '002 accept related': proto => 'all', state => ['RELATED', 'ESTABLISHED'], action => 'accept' }
  range(1, 80).each |$n| {
    firewall { "1${sprintf('%02d', $n)} allow ${8000 + $n}": dport => 8000 + $n, proto => 'tcp', source => "192.0.2.${n}/32", action => 'accept' }
  }
  firewallchain { 'INPUT:filter:IPv4': ensure => present, policy => drop }
  resources { 'firewall': purge => true }
}
node 'fw2.example.com' { firewall { 'bad name': proto => 'tcp', nonsense => 1 } }
node 'sys1.example.com' {
  include systemd
  range(1, 30).each |$n| {
    systemd::unit_file { "job${n}.service": content => "[Service]\nExecStart=/bin/job ${n}\n", enable => true, active => true }
    systemd::dropin_file { "limits${n}.conf": unit => "job${n}.service", content => "[Service]\nNice=${n}\n" }
  }
  systemd::timer { 'nightly.timer': timer_content => "[Timer]\nOnCalendar=daily\n", service_content => "[Service]\nExecStart=/bin/x\n", enable => true, active => true }
  systemd::tmpfile { 'a.conf': content => 'd /run/a 0755 root root -' }
  systemd::service_limits { 'job1.service': limits => { 'LimitNOFILE' => 8192 } }
  systemd::network { 'eth0.network': content => "[Match]\nName=eth0\n" }
  systemd::udev::rule { '99-x.rules': rules => ['ACTION=="add"'] }
}
node 'sys2.example.com' { include systemd systemd::unit_file { 'nonsense': content => 'x' } }
node 'sys3.example.com' {
  class { 'systemd': manage_resolved => true, manage_networkd => true, manage_timesyncd => true, manage_journald => true, journald_settings => { 'Storage' => 'persistent' } }
}
node 'sysctl1.example.com' {
  range(1, 60).each |$n| { sysctl::value { "net.test.k${n}": value => "${n}" } }
  kmod::load { ['loop', 'br_netfilter']: }
  kmod::option { 'bond0': module => 'bonding', option => 'mode', value => '1' }
  kmod::blacklist { 'pcspkr': }
}
node 'files1.example.com' {
  concat { '/etc/app.conf': owner => 'root', mode => '0644', order => 'numeric' }
  range(1, 70).each |$n| {
    concat::fragment { "part ${n}": target => '/etc/app.conf', content => "line ${n}\n", order => $n }
  }
  ini_setting { 'a b': path => '/etc/a.ini', section => 's', setting => 'b', value => 'c' }
  ini_subsetting { 'java': path => '/etc/j', section => '', setting => 'ARGS', subsetting => '-Xmx', value => '1g' }
  file_line { 'bash': path => '/etc/shells', line => '/bin/bash', match => '^/bin/bash$' }
  vcsrepo { '/srv/git': ensure => present, provider => git, source => 'https://example.com/r.git' }
}
node 'files2.example.com' { concat::fragment { 'x': target => '/nowhere', content => 'x' } }
node 'files3.example.com' { concat { '/a': } concat { '/b': path => '/a' } }
node 'files4.example.com' { concat { 'relative': } concat::fragment { 'f': target => 'relative' } }
node 'rotate1.example.com' {
  include logrotate::base
  range(1, 25).each |$n| {
    logrotate::rule { "app${n}": path => "/var/log/app${n}.log", rotate => $n, rotate_every => 'day', compress => true }
  }
}
node 'rsync1.example.com' {
  include rsync::server
  range(1, 20).each |$n| { rsync::server::module { "m${n}": path => "/srv/m${n}", comment => "module ${n}" } }
}
node 'mail1.example.com' {
  class { 'postfix': root_mail_recipient => 'ops@example.com', mynetworks => '192.0.2.0/24' }
  postfix::config { 'relayhost': value => 'mail.example.com' }
  range(1, 30).each |$n| {
    postfix::virtual { "u${n}@example.com": destination => "u${n}" }
    postfix::transport { "d${n}.example.com": destination => 'smtp', nexthop => "mx${n}.example.com" }
  }
  postfix::hash { '/etc/postfix/virtual': ensure => present }
  postfix::hash { '/etc/postfix/transport': ensure => present }
}
node 'dns1.example.com' { include dns dns::zone { 'example.com': reverse => false } }
node 'dns2.example.com' { include dns range(1, 15).each |$n| { dns::zone { "z${n}.example.com": } } }
node 'apt1.example.com' {
  include apt
  range(1, 25).each |$n| {
    apt::source { "repo${n}": location => "https://deb${n}.example.com/debian", repos => 'main contrib', release => 'stable' }
    apt::pin { "pin${n}": packages => "p${n}", priority => 900, version => '1.*' }
    apt::conf { "conf${n}": content => "Acquire::x${n} \"1\";" }
  }
}
node 'apt2.example.com' { apt::source { 'early': location => 'https://x.example.com' } }
node 'ssh1.example.com' {
  class { 'ssh': storeconfigs_enabled => false, server_options => { 'Port' => [22, 2222], 'PermitRootLogin' => 'no' }, client_options => { 'Host *' => { 'SendEnv' => 'LANG' } } }
}
node 'sssd1.example.com' { class { 'sssd': config => { 'sssd' => { 'domains' => 'a' }, 'domain/a' => { 'id_provider' => 'ldap' } } } }
node 'ntp1.example.com' { class { 'ntp': servers => ['t1.example.com', 't2.example.com'], restrict => ['127.0.0.1'], iburst_enable => false } }
node 'ntp2.example.com' { class { 'ntp': servers => 't1.example.com' } }
node 'chrony1.example.com' { class { 'chrony': servers => ['t1.example.com'] } }
node 'xinetd1.example.com' { include xinetd xinetd::service { 'tftp': port => '69', server => '/usr/sbin/in.tftpd', protocol => 'udp' } }
node 'corosync1.example.com' { class { 'corosync': enable_secauth => false, bind_address => '192.0.2.1', multicast_address => '239.1.1.2' } }
node 'rabbit1.example.com' {
  class { 'rabbitmq': port => 5672, delete_guest_user => true, repos_ensure => false }
  rabbitmq_user { 'app': admin => true, password => 'x' }
  rabbitmq_vhost { '/app': ensure => present }
  rabbitmq_user_permissions { 'app@/app': configure_permission => '.*', read_permission => '.*', write_permission => '.*' }
}
node 'quagga1.example.com' { include quagga }
node 'alt1.example.com' { alternatives { 'editor': path => '/usr/bin/vim' } alternative_entry { '/usr/bin/gcc-4.4': ensure => present, altlink => '/usr/bin/gcc', altname => 'gcc', priority => 10 } }
node 'openssl1.example.com' { include openssl openssl::certificate::x509 { 'web': country => 'CH', organization => 'Example', commonname => 'web.example.com' } }
node 'collectd1.example.com' {
  include collectd
  include collectd::plugin::cpu
  include collectd::plugin::memory
  include collectd::plugin::load
  include collectd::plugin::interface
  collectd::plugin::tail::file { 'auth': filename => '/var/log/auth.log', instance => 'auth', matches => [{ 'regex' => 'x', 'dstype' => 'CounterInc', 'type' => 'counter' }] }
}
