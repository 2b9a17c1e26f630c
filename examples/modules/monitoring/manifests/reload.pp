# Tells the monitor that its checks changed.
#
# @api private
class monitoring::reload {
  exec { 'monitor reload':
    command     => ['/usr/bin/monitor', 'reload'],
    refreshonly => true,
  }
}
