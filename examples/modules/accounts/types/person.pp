# A person, as the data describes them.
type Accounts::Person = Struct[{
  uid               => Integer[1000],
  Optional[comment] => String,
  Optional[groups]  => Array[String[1]],
  Optional[shell]   => Accounts::Shell,
  Optional[keys]    => Hash[String[1], Accounts::Key],
}]
