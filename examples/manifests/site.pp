# Every node gets its role from its certificate; names are for nodes that have no role there yet.

File {
  owner  => 'root',
  group  => 'root',
  backup => false,
}

$role = $trusted.dig('extensions', 'pp_role')

node /^web\d+\.example\.com$/ {
  include role::web
}

node 'monitor.example.com' {
  include role::monitor
}

node default {
  if $role and $role =~ /\A[a-z]\w*\z/ {
    include "role::${role}"
  } else {
    include role::base
  }
}
