# A comma is missing.
define web::vhost (
  String           $docroot,
  Integer[1,65535] $port = 80
  Boolean          $enable = true,
) {
  file { "/etc/nginx/sites/${title}.conf":
    ensure  => file,
    content => epp('web/vhost.conf.epp', { 'port' => $port }),
  }
}
