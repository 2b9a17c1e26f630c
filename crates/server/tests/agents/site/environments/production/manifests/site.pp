node 'fail.example' {
  fail('boom')
}
node 'rich.example' {
  notify { 'binary': message => Binary('AAEC/w==') }
  notify { 'secret': message => Sensitive('s3cret') }
  notify { 'deferred': message => Deferred('sprintf', ['%s', 'x']) }
  notify { 'pattern': message => String(/a.b/) }
  notify { 'time': message => Timestamp('2020-01-02T03:04:05 UTC') }
}
node 'trusted.example' {
  notify { 'trusted': message => String($trusted['certname']) }
  notify { 'extensions': message => $trusted['extensions'].map |$name, $value| { "${name}=${value}" }.join(',') }
  notify { 'authenticated': message => $trusted['authenticated'] }
  notify { 'names': message => "${trusted['hostname']} ${trusted['domain']}" }
}
node 'facts.example' {
  notify { 'colour': message => "colour is ${facts['colour']}" }
  notify { 'nested': message => "nested is ${facts['deep']['a']['b']}" }
  notify { 'text': message => "text is ${facts['text']}" }
}
node 'server.example' {
  notify { 'version': message => $server_facts['serverversion'] }
  notify { 'environment': message => $server_facts['environment'] }
}
node 'unknownclass.example' {
  include nosuchclass
}
node 'warn.example' {
  warning('careful')
  notify { 'warned': }
}
node 'enc.example' {
  notify { 'parameter': message => "flavour is ${flavour}" }
}
node default {
  include demo
}
