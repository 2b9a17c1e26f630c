# frozen_string_literal: true

# The facts of an invented Debian machine.
module Facts
  OS = {
    'family' => 'Debian', 'name' => 'Debian', 'architecture' => 'amd64', 'hardware' => 'x86_64', 'selinux' => { 'enabled' => false },
    'release' => { 'full' => '12.5', 'major' => '12', 'minor' => '5' },
    'distro' => { 'id' => 'Debian', 'codename' => 'bookworm', 'release' => { 'full' => '12.5', 'major' => '12', 'minor' => '5' } }
  }.freeze

  VALUES = {
    'os' => OS, 'osfamily' => 'Debian', 'operatingsystem' => 'Debian', 'operatingsystemrelease' => '12.5', 'operatingsystemmajrelease' => '12',
    'lsbdistcodename' => 'bookworm', 'lsbdistid' => 'Debian', 'architecture' => 'amd64', 'hardwaremodel' => 'x86_64', 'kernel' => 'Linux',
    'kernelrelease' => '6.1.0', 'kernelmajversion' => '6.1', 'kernelversion' => '6.1.0', 'fqdn' => 'web.example.com', 'hostname' => 'web',
    'domain' => 'example.com', 'ipaddress' => '192.0.2.7', 'is_pe' => false, 'is_virtual' => false, 'virtual' => 'physical', 'selinux' => false,
    'path' => '/usr/bin:/bin', 'id' => 'root', 'uniqueid' => '0', 'processorcount' => 2, 'memorysize_mb' => 4096.0, 'puppetversion' => '7.23.0', 'clientversion' => '7.23.0',
    'networking' => { 'fqdn' => 'web.example.com', 'hostname' => 'web', 'domain' => 'example.com', 'ip' => '192.0.2.7' },
    'service_provider' => 'systemd', 'systemd' => true, 'systemd_version' => '252', 'root_home' => '/root', 'concat_basedir' => '/var/lib/concat',
    'timezone' => 'UTC', 'identity' => { 'user' => 'root', 'privileged' => true }, 'processors' => { 'count' => 2 },
    'memory' => { 'system' => { 'total' => '4 GiB', 'total_bytes' => 4_294_967_296 } }
  }.freeze
end
