# The configuration file.
#
# @api private
class chrony::config {
  $ensure = $chrony::ensure ? {
    'present' => file,
    default   => absent,
  }

  file { $chrony::config_file:
    ensure  => $ensure,
    mode    => '0644',
    content => epp('chrony/chrony.conf.epp', {
      'sources'  => $chrony::sources,
      'makestep' => $chrony::makestep,
    }),
  }
}
