# A web server.
#
# @param user The user that the workers run as.
# @param worker_connections How many connections one worker may hold.
# @param config_dir Where the configuration lives.
# @param is_purged Whether files that Puppet does not know are removed from the sites.
class nginx (
  String[1]              $user,
  Integer[1]             $worker_connections,
  Pattern[/\A\/.*[^\/]\z/] $config_dir = '/etc/nginx',
  Boolean                $is_purged    = true,
) {
  $main = @("NGINX"/$)
    # Managed by Puppet.
    user ${user};
    worker_processes auto;
    events { worker_connections ${worker_connections}; }
    http {
      log_format timed '\$remote_addr "\$request" \$status \$request_time';
      include ${config_dir}/sites/*.conf;
    }
    | NGINX

  package { 'nginx':
    ensure => installed,
  }

  -> file {
    default:
      mode   => '0644',
      notify => Service['nginx'],
    ;
    "${config_dir}/nginx.conf":
      content => $main,
    ;
    "${config_dir}/sites":
      ensure  => directory,
      mode    => '0755',
      purge   => $is_purged,
      recurse => $is_purged,
  }

  service { 'nginx':
    ensure  => running,
    enable  => true,
    restart => '/usr/sbin/nginx -t && /usr/sbin/nginx -s reload',
  }

  # Sites are declared elsewhere; all of them come after the directory and tell the service.
  File["${config_dir}/sites"] -> Nginx::Site <| |> ~> Service['nginx']
}
