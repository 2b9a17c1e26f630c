# Services of OpenStack, as a small installation has them.
class stack::logging {
  include keystone::logging
}

node 'os-keystone.example.com' {
  class { 'keystone::db': database_connection => 'mysql+pymysql://keystone:pw@192.0.2.9/keystone' }
  class { 'keystone': public_endpoint => 'https://keystone.example.com:5000', service_name => 'httpd', enabled => true }
  class { 'keystone::bootstrap': password => 'secret', public_url => 'https://keystone.example.com:5000' }
  class { 'keystone::wsgi::apache': servername => 'keystone.example.com', ssl => false }
  include stack::logging
}
node 'os-glance.example.com' {
  class { 'glance::api::authtoken': password => 'pw', auth_url => 'https://keystone.example.com', www_authenticate_uri => 'https://keystone.example.com' }
  class { 'glance::api::db': database_connection => 'mysql+pymysql://glance:pw@192.0.2.9/glance' }
  class { 'glance::api': enabled_backends => ['file:file'], default_backend => 'file' }
  include glance::api::logging
  include glance::policy
  include glance::cron::db_purge
}
node 'os-cinder.example.com' {
  class { 'cinder::db': database_connection => 'mysql+pymysql://cinder:pw@192.0.2.9/cinder' }
  class { 'cinder': default_transport_url => 'rabbit://a:b@192.0.2.9', lock_path => '/run/cinder' }
  class { 'cinder::keystone::authtoken': password => 'pw' }
  class { 'cinder::api': service_workers => 4 }
  class { 'cinder::scheduler': }
  class { 'cinder::volume': }
  class { 'cinder::backends': enabled_backends => ['lvm'] }
  cinder::backend::iscsi { 'lvm': target_ip_address => '192.0.2.10' }
  include cinder::logging
}
node 'os-neutron.example.com' {
  class { 'neutron': default_transport_url => 'rabbit://a:b@192.0.2.9', core_plugin => 'ml2', service_plugins => ['router'] }
  class { 'neutron::db': database_connection => 'mysql+pymysql://neutron:pw@192.0.2.9/neutron' }
  class { 'neutron::keystone::authtoken': password => 'pw' }
  class { 'neutron::server': sync_db => true }
  class { 'neutron::plugins::ml2': type_drivers => ['vxlan', 'flat'], tenant_network_types => ['vxlan'], vni_ranges => ['10:100'] }
  class { 'neutron::agents::dhcp': }
  class { 'neutron::agents::l3': }
  class { 'neutron::agents::metadata': shared_secret => 'x' }
  class { 'neutron::agents::ml2::ovs': local_ip => '192.0.2.11', tunnel_types => ['vxlan'] }
  include neutron::logging
}
node 'os-nova.example.com' {
  class { 'nova::db': database_connection => 'mysql+pymysql://nova:pw@192.0.2.9/nova', api_database_connection => 'mysql+pymysql://nova:pw@192.0.2.9/nova_api' }
  class { 'nova': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'nova::keystone::authtoken': password => 'pw' }
  class { 'nova::keystone': password => 'pw' }
  class { 'nova::placement': password => 'pw' }
  class { 'nova::api': }
  class { 'nova::conductor': }
  class { 'nova::scheduler': }
  class { 'nova::compute': vncserver_proxyclient_address => '192.0.2.12' }
  class { 'nova::compute::libvirt': virt_type => 'qemu' }
  class { 'nova::network::neutron': password => 'pw' }
  include nova::logging
}
node 'os-heat.example.com' {
  class { 'heat::db': database_connection => 'mysql+pymysql://heat:pw@192.0.2.9/heat' }
  class { 'heat::keystone::authtoken': password => 'pw' }
  class { 'heat': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'heat::api': }
  class { 'heat::api_cfn': }
  class { 'heat::engine': auth_encryption_key => '0123456789abcdef0123456789abcdef' }
  include heat::logging
}
node 'os-all.example.com' {
  class { 'keystone::db': database_connection => 'mysql+pymysql://keystone:pw@192.0.2.9/keystone' }
  class { 'keystone': service_name => 'httpd' }
  class { 'keystone::wsgi::apache': servername => 'keystone.example.com' }
  class { 'glance::api::authtoken': password => 'pw' }
  class { 'glance::api': enabled_backends => ['file:file'], default_backend => 'file' }
  class { 'cinder': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'cinder::keystone::authtoken': password => 'pw' }
  class { 'cinder::api': }
  class { 'cinder::scheduler': }
  class { 'neutron': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'neutron::keystone::authtoken': password => 'pw' }
  class { 'neutron::server': }
  class { 'heat::keystone::authtoken': password => 'pw' }
  class { 'heat': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'heat::api': }
  include horizon::params
}
node 'os-settings.example.com' {
  range(1, 150).each |$n| {
    nova_config { "custom/key${n}": value => "v${n}" }
    neutron_config { "custom/key${n}": value => $n, secret => $n % 10 == 0 }
    keystone_config { "custom/key${n}": ensure => absent }
  }
}
node 'os-users.example.com' {
  range(1, 30).each |$n| {
    keystone_user { "u${n}": ensure => present, password => "p${n}", email => "u${n}@example.com" }
    keystone_tenant { "t${n}": ensure => present, enabled => true }
    keystone_user_role { "u${n}@t${n}": ensure => present, roles => ['member'] }
    keystone_service { "s${n}::kind${n}": ensure => present, description => "service ${n}" }
    keystone_endpoint { "RegionOne/s${n}::kind${n}": ensure => present, public_url => "https://s${n}.example.com" }
  }
}
node 'os-swift.example.com' {
  class { 'swift': swift_hash_path_suffix => 'abc' }
  class { 'swift::storage': storage_local_net_ip => '192.0.2.13' }
  class { 'swift::ringbuilder': part_power => 14, replicas => 3, min_part_hours => 1 }
}
node 'os-bad.example.com' { class { 'keystone': catalog_type => 'nonsense' } }
node 'os-horizon.example.com' { class { 'horizon': secret_key => 'x', allowed_hosts => ['*'], keystone_url => 'https://k.example.com' } }
node 'os-placement.example.com' {
  class { 'placement::keystone::authtoken': password => 'pw' }
  class { 'placement::db': database_connection => 'mysql+pymysql://p:pw@192.0.2.9/placement' }
  include placement
  include placement::api
  include placement::logging
}
node 'os-barbican.example.com' {
  class { 'barbican::keystone::authtoken': password => 'pw' }
  class { 'barbican::api': }
  include barbican::db
}
node 'os-designate.example.com' {
  class { 'designate': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'designate::keystone::authtoken': password => 'pw' }
  class { 'designate::api': }
  include designate::central
  include designate::worker
}
node 'os-octavia.example.com' {
  class { 'octavia': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'octavia::keystone::authtoken': password => 'pw' }
  class { 'octavia::api': }
}
node 'os-aodh.example.com' {
  class { 'aodh': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'aodh::keystone::authtoken': password => 'pw' }
  class { 'aodh::api': }
  include aodh::evaluator
  include aodh::notifier
}
node 'os-mistral.example.com' {
  class { 'mistral::keystone::authtoken': password => 'pw' }
  class { 'mistral': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  include mistral::engine
  include mistral::executor
}
node 'os-gnocchi.example.com' {
  class { 'gnocchi::keystone::authtoken': password => 'pw' }
  class { 'gnocchi::api': }
  include gnocchi
  include gnocchi::metricd
}
node 'os-ironic.example.com' {
  class { 'ironic': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'ironic::api::authtoken': password => 'pw' }
  class { 'ironic::api': }
  class { 'ironic::conductor': }
}
node 'os-magnum.example.com' {
  class { 'magnum::keystone::authtoken': password => 'pw' }
  class { 'magnum': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'magnum::api': }
  include magnum::conductor
}
node 'os-manila.example.com' {
  class { 'manila': default_transport_url => 'rabbit://a:b@192.0.2.9' }
  class { 'manila::keystone::authtoken': password => 'pw' }
  class { 'manila::api': }
  include manila::scheduler
}
node 'os-ceilometer.example.com' {
  class { 'ceilometer': telemetry_secret => 'x', default_transport_url => 'rabbit://a:b@192.0.2.9' }
  include ceilometer::agent::notification
  include ceilometer::agent::polling
}
node 'os-tempest.example.com' { class { 'tempest': install_from_source => false, setup_venv => false } }
