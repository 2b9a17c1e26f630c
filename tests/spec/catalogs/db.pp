# Databases.
node 'pg1.example.com' {
  class { 'postgresql::globals': version => '14', encoding => 'UTF-8', locale => 'en_US.UTF-8' }
  -> class { 'postgresql::server': listen_addresses => '*' }
  postgresql::server::db { 'shop': user => 'shop', password => postgresql::postgresql_password('shop', 'secret') }
}
node 'pg2.example.com' {
  class { 'postgresql::globals': version => '13', manage_package_repo => false }
  class { 'postgresql::server': listen_addresses => '*' }
  range(1, 20).each |$n| {
    postgresql::server::db { "db${n}": user => "u${n}", password => "p${n}", grant => 'CONNECT' }
    postgresql::server::pg_hba_rule { "allow u${n}":
      type => 'host', database => "db${n}", user => "u${n}", address => '192.0.2.0/24', auth_method => 'md5',
    }
    postgresql::server::config_entry { "custom.k${n}": value => "v${n}" }
  }
}
node 'pg3.example.com' {
  class { 'postgresql::globals': version => '12' }
  include postgresql::server
  postgresql::server::role { 'app': password_hash => 'md5abc', superuser => true }
  postgresql::server::database { 'app': owner => 'app' }
  postgresql::server::database_grant { 'app': privilege => 'ALL', db => 'app', role => 'app' }
  postgresql::server::extension { 'hstore': database => 'app' }
  postgresql::server::schema { 'app': db => 'app', owner => 'app' }
  postgresql::server::table_grant { 't': privilege => 'SELECT', table => 't', db => 'app', role => 'app' }
  postgresql::server::tablespace { 'fast': location => '/mnt/fast' }
  postgresql::server::config_entry { 'max_connections': value => 300 }
  include postgresql::client
  include postgresql::lib::devel
  include postgresql::server::contrib
}
node 'pg5.example.com' { include postgresql::server }
node 'pg4.example.com' { postgresql::server::db { 'x': user => 'x', password => 'y' } }
node 'my1.example.com' {
  class { 'mysql::server': root_password => 'secret', remove_default_accounts => true }
  mysql::db { 'shop': user => 'shop', password => 'pw', host => 'localhost', grant => ['SELECT', 'UPDATE'] }
}
node 'my2.example.com' {
  class { 'mysql::server':
    root_password    => 'secret',
    override_options => { 'mysqld' => { 'max_connections' => 1024, 'bind-address' => '0.0.0.0' } },
    users            => { 'mon@localhost' => { 'ensure' => 'present', 'max_user_connections' => 5 } },
    grants           => { 'mon@localhost/*.*' => { 'user' => 'mon@localhost', 'table' => '*.*', 'privileges' => ['PROCESS'] } },
    databases        => { 'given' => { 'charset' => 'utf8mb4' } },
  }
  range(1, 40).each |$n| {
    mysql::db { "db${n}": user => "u${n}", password => "pw${n}", charset => 'utf8mb4', collate => 'utf8mb4_general_ci' }
  }
  class { 'mysql::client': }
  class { 'mysql::server::backup': backupuser => 'b', backuppassword => 'c', backupdir => '/backup' }
  class { 'mysql::bindings': python_enable => true }
}
node 'my5.example.com' { class { 'mysql::server': root_password => Sensitive('secret') } mysql::db { 'a': user => 'a', password => Sensitive('b') } }
node 'my3.example.com' { include mysql::server mysql::db { 'x': user => 'x' } }
node 'my4.example.com' { class { 'mysql::server': root_password => 'x', service_enabled => 'never' } }
node 'redis1.example.com' { class { 'redis': bind => '192.0.2.4', masterauth => 'x' } }
node 'mongo1.example.com' {
  class { 'mongodb::server': auth => true }
  mongodb::db { 'app': user => 'app', password_hash => 'abc' }
}
node 'galera1.example.com' {
  class { 'galera':
    galera_servers => ['192.0.2.1', '192.0.2.2'], galera_master => 'galera1.example.com', root_password => 'x',
  }
}
node 'zoo1.example.com' { class { 'zookeeper': id => '1', servers => { '1' => '192.0.2.1', '2' => '192.0.2.2' } } }
node 'etcd1.example.com' { class { 'etcd': etcd_name => 'e1', initial_cluster => ['e1=http://192.0.2.1:2380'] } }
