# Five mistakes that parse. Puppet reports all of them, too.
class limits (
  Integer $files     = 1024,
  Integer $processes = 256,
  Integer $files     = 4096,
) {
  $Domain = 'www-data'
  $extra += { 'core' => 0 }

  $values = {
    'nofile' => $files,
    'nproc'  => $processes,
    'nofile' => 65536,
  }

  file { '/etc/security/limits.d/web.conf':
    content => epp('limits/limits.epp', { 'values' => $values }),
    tag     +> 'web',
  }
}
