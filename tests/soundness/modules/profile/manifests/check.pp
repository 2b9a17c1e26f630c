define profile::check (Integer $port, Optional[String] $host = undef) {
  notify { "check ${title} ${port} ${host}": }
}
