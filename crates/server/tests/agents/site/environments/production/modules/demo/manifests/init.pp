# The class of every node.
class demo (String $greeting = 'hello', Optional[Integer] $number = undef) {
  notify { 'demo': message => $greeting }
  file { '/tmp/kukla-demo':
    ensure => file,
    source => 'puppet:///modules/demo/hello.txt',
    mode   => '0644',
  }
}
