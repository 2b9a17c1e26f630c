# Three mistakes, each of which stops the parser: Puppet shows only the first of them.
class role::web {
  include profile::base,
}

class role::database {
  package { 'postgresql'
    ensure => installed,
  }
}

class role::mail inherits role:: base {
}
