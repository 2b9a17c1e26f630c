# Web servers.
node 'web1.example.com' {
  include base
  class { 'apache': default_vhost => false, mpm_module => 'prefork' }
  apache::vhost { 'www.example.com':
    port    => 80,
    docroot => '/var/www/example',
  }
}
node 'web2.example.com' {
  class { 'apache': default_vhost => false, mpm_module => 'event', purge_configs => false }
  include apache::mod::ssl
  include apache::mod::rewrite
  include apache::mod::headers
  range(1, 25).each |$n| {
    apache::vhost { "site${n}.example.com":
      port          => 443,
      ssl           => true,
      docroot       => "/var/www/site${n}",
      serveraliases => ["www.site${n}.example.com"],
      headers       => ['set X-Frame-Options DENY'],
      rewrites      => [{ 'rewrite_rule' => ["^/old${n}$ /new${n} [R=301]"] }],
      directories   => [{ 'path' => "/var/www/site${n}", 'options' => ['FollowSymLinks'], 'require' => 'all granted' }],
    }
  }
}
node 'web3.example.com' {
  class { 'apache': }
  class { 'apache::mod::proxy': }
  include apache::mod::proxy_http
  apache::vhost { 'api.example.com':
    port       => 80,
    docroot    => false,
    proxy_pass => [{ 'path' => '/', 'url' => 'http://127.0.0.1:8080/' }],
  }
  apache::balancer { 'pool': }
  apache::balancermember { 'one': balancer_cluster => 'pool', url => 'http://192.0.2.5:80' }
  apache::custom_config { 'hello': content => "# hello\n" }
}
node 'web4.example.com' {
  class { 'apache': default_mods => false, default_confd_files => false }
  apache::listen { '8080': }
  apache::mod { 'usertrack': }
}
node 'web5.example.com' { apache::vhost { 'lonely': port => 80, docroot => '/x' } }
node 'web6.example.com' {
  include apache
  apache::vhost { 'wrong': port => 'eighty', docroot => '/x', ssl => 'maybe' }
}
node 'web7.example.com' {
  class { 'apache': default_vhost => false }
  $sites = range(1, 40).reduce({}) |$all, $n| {
    $all + { "v${n}.example.com" => { 'port' => 8000 + $n, 'docroot' => "/srv/v${n}", 'access_log' => false } }
  }
  create_resources('apache::vhost', $sites, { 'ip' => '192.0.2.9', 'add_listen' => false })
}
node 'web8.example.com' {
  class { 'apache': default_vhost => false, service_ensure => 'stopped', keepalive => 'On', log_level => 'info' }
  include apache::mod::status
  include apache::mod::info
  include apache::mod::expires
  include apache::mod::deflate
  include apache::mod::wsgi
  include apache::mod::userdir
  include apache::mod::dav_fs
  include apache::mod::ldap
}
node 'memcached1.example.com' { class { 'memcached': max_memory => 512, listen_ip => '192.0.2.3' } }
node 'memcached2.example.com' { class { 'memcached': max_memory => '50%', tcp_port => 'none' } }
