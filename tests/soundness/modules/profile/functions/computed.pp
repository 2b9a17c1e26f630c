function profile::computed(String $key, Hash $options, Puppet::LookupContext $context) {
  case $key {
    'profile::computed': { "computed ${facts['kernel']}" }
    default: { $context.not_found }
  }
}
