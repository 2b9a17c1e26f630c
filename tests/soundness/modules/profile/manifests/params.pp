class profile::params {
  $text = $facts['os']['family'] ? {
    'Debian' => 'of Debian',
    default  => 'of others',
  }
}
