# Keeps the clock right.
#
# @param sources Where the time comes from.
# @param package The name of the package.
# @param service The name of the service.
# @param config_file The path of the configuration.
# @param ensure Whether there is such a service at all.
# @param makestep Jump rather than creep when the clock is off by more than this, in seconds.
class chrony (
  Array[Chrony::Source, 1]  $sources,
  String[1]                 $package,
  String[1]                 $service,
  Pattern[/\A\//]           $config_file,
  Enum['present', 'absent'] $ensure   = 'present',
  Optional[Float[0]]        $makestep = 1.0,
) {
  contain chrony::install
  contain chrony::config
  contain chrony::service

  case $ensure {
    'present': {
      Class['chrony::install'] -> Class['chrony::config'] ~> Class['chrony::service']
    }
    'absent': {
      Class['chrony::service'] -> Class['chrony::config'] -> Class['chrony::install']
    }
    default: {
      fail("chrony: can't be ${ensure}")
    }
  }
}
