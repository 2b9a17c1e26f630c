# A thing.
define demo::thing (String $what) {
  notify { "thing ${title}": message => $what }
}
