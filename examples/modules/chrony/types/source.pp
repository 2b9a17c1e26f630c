# A place to take the time from.
type Chrony::Source = Struct[{
  host              => String[1],
  Optional[kind]    => Enum['server', 'pool', 'peer'],
  Optional[prefer]  => Boolean,
  Optional[minpoll] => Integer[-6, 24],
  Optional[maxpoll] => Integer[-6, 24],
}]
