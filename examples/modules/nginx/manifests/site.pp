# A site of the web server.
#
# @param server_names The names that the site answers to.
# @param docroot Where its files are.
# @param port The port to listen on; 443 with a certificate and 80 without, unless told otherwise.
# @param tls The certificate.
# @param headers Headers that are added to every answer.
# @example
#   nginx::site { 'www':
#     server_names => ['www.example.com'],
#     docroot      => '/srv/www',
#   }
define nginx::site (
  Array[String[1], 1]       $server_names,
  Pattern[/\A\//]           $docroot,
  Optional[Nginx::Port]     $port    = undef,
  Optional[Nginx::Tls]      $tls     = undef,
  Hash[String[1], String]   $headers = {},
  Enum['present', 'absent'] $ensure  = 'present',
) {
  unless $title =~ /\A[\w.-]+\z/ {
    fail("nginx::site: '${title}' can't be the name of a file")
  }

  $is_tls = $tls =~ NotUndef
  $real_port = [$port, $is_tls ? { true => 443, default => 80 }].filter |$it| { $it =~ NotUndef }[0]

  file { "${nginx::config_dir}/sites/${title}.conf":
    ensure  => $ensure ? { 'present' => file, 'absent' => absent },
    mode    => '0644',
    content => epp('nginx/site.conf.epp', {
      server_names => $server_names,
      listen       => nginx::listen([$real_port, "[::]:${real_port}"], $is_tls),
      docroot      => $docroot,
      tls          => $tls,
      headers      => { 'X-Served-By' => $facts['networking']['hostname'] } + $headers,
    }),
  }
}
