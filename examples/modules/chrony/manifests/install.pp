# The package.
#
# @api private
class chrony::install {
  package { $chrony::package:
    ensure => $chrony::ensure ? { 'present' => installed, default => purged },
  }
}
