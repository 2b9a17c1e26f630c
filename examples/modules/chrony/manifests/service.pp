# The daemon.
#
# @api private
class chrony::service {
  $is_wanted = $chrony::ensure == 'present'

  service { $chrony::service:
    ensure => $is_wanted ? { true => running, false => stopped },
    enable => $is_wanted,
  }
}
