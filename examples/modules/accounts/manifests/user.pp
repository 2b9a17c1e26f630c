# A person on this machine.
#
# @param uid The number.
# @param comment The full name.
# @param groups More groups than their own.
# @param shell What they get when they log in.
# @param keys Public keys by name.
# @param password The hash of the password; none means that there is no password that works.
# @param home The home directory.
define accounts::user (
  Integer[1000]                  $uid,
  String                         $comment  = $title,
  Array[String[1]]               $groups   = [],
  Accounts::Shell                $shell    = '/bin/bash',
  Hash[String[1], Accounts::Key] $keys     = {},
  Optional[Sensitive[String[1]]] $password = undef,
  String[1]                      $home     = "/home/${title}",
) {
  $groups.each |$group| { realize(Group[$group]) }

  user { $title:
    ensure     => present,
    uid        => $uid,
    comment    => $comment,
    groups     => $groups,
    membership => inclusive,
    shell      => $shell,
    home       => $home,
    managehome => true,
    password   => $password.lest || { Sensitive('!') },
  }

  file {
    default:
      owner   => $title,
      group   => $title,
      require => User[$title],
    ;
    "${home}/.ssh":
      ensure => directory,
      mode   => '0700',
    ;
    "${home}/.ssh/authorized_keys":
      ensure  => file,
      mode    => '0600',
      content => $keys.reduce("# Managed by Puppet.\n") |$text, $entry| {
        [$name, $key] = $entry
        "${text}${key} ${name}\n"
      },
  }
}
