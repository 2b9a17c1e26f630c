class profile::files inherits profile::params {
  File { mode => '0644' }
  file { '/etc/profile.epp': content => epp('profile/a.epp', { 'port' => $profile::port }) }
  file { '/etc/profile.erb': content => template('profile/b.erb') }
  file { '/etc/profile.txt': content => file('profile/c.txt') }
  file { '/etc/profile.either': content => file('/nowhere/missing.txt', 'profile/missing.txt', 'profile/c.txt') }
  file { '/etc/profile.inline': content => inline_template('<%= @hostname %> <%= scope.lookupvar("profile::port") %>') }
  if find_file('profile/optional.txt') { file { '/etc/optional': content => 'x' } }
  file { '/etc/profile.version': content => load_module_metadata('profile')['version'] }
}
