# Collects the checks that all other machines export.
class profile::monitor {
  include monitoring

  Monitoring::Check <<| tag == $environment |>> ~> Class['monitoring::reload']
}
