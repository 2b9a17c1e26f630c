# People and their groups, declared but not yet there.
#
# Everybody is virtual: a profile collects those who may log in, by the names of their groups.
#
# @param users People by name.
# @param groups Groups by name.
# @param passwords Hashes of passwords by name of the user.
class accounts (
  Hash[String[1], Accounts::Person]                 $users     = {},
  Hash[String[1], Struct[{ gid => Integer[1000] }]] $groups    = {},
  Sensitive[Hash[String[1], String[1]]]             $passwords = Sensitive({}),
) {
  $groups.each |$name, $group| {
    @group { $name:
      ensure => present,
      *      => $group,
    }
  }

  $users.each |String $name, Accounts::Person $person| {
    $password = $passwords.unwrap |$all| { $all[$name] }

    @accounts::user { $name:
      password => $password.then |$hash| { Sensitive($hash) },
      tag      => $person['groups'],
      *        => $person,
    }
  }
}
