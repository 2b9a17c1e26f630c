define profile::account (Integer $uid, Stdlib::Absolutepath $shell = '/bin/sh') {
  user { $title: uid => $uid, shell => $shell }
}
