# Runs Debian's Puppet Server on a directory until its standard input ends; prints `ready` when it answers.
#
#   ruby tests/oracle/agents/puppetserver.rb ROOT PORT
#
# ROOT has `conf` with puppet.conf, `code`, and `server/conf.d` with the files of Puppet Server that differ from Debian's.
# As root, the server runs as the user `puppet`, who then owns the directory.

require 'fileutils'
require 'net/http'
require 'openssl'

JAR = '/usr/share/puppetserver/puppetserver.jar'
VENDORED = '/usr/lib/puppetserver'
# The quick compiler is enough for some hundred requests, and halves the time of the start.
OPTIONS = %w[-Xms512m -Xmx1g -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djruby.lib=/usr/share/jruby/lib -Djruby.logger.class=com.puppetlabs.jruby_utils.jruby.Slf4jLogger].freeze
# A cold start on a busy machine.
PATIENCE = 900

root, port = ARGV
abort "no #{JAR}; Debian's package is puppetserver" unless File.exist?(JAR)
%w[conf code var run log gems].each { |name| FileUtils.mkdir_p("#{root}/#{name}") }
# Writes a file unless it is there.
offer = lambda do |name, text|
  path = "#{root}/server/#{name}"
  FileUtils.mkdir_p(File.dirname(path))
  File.write(path, text) unless File.exist?(path)
end
Dir.glob('/etc/puppet/puppetserver/{conf.d,services.d}/*').each do |path|
  next if path.end_with?('puppetserver.conf', 'webserver.conf', 'global.conf')

  offer.call(path.delete_prefix('/etc/puppet/puppetserver/'), File.read(path))
end
offer.call('conf.d/puppetserver.conf', <<~HOCON)
  jruby-puppet: {
    ruby-load-path: [#{VENDORED}/ruby/vendor_ruby]
    gem-home: #{root}/gems
    gem-path: [#{root}/gems, #{VENDORED}/vendored-jruby-gems]
    server-conf-dir: #{root}/conf
    server-code-dir: #{root}/code
    server-var-dir: #{root}/var
    server-run-dir: #{root}/run
    server-log-dir: #{root}/log
    max-active-instances: 1
  }
HOCON
offer.call('conf.d/webserver.conf', "webserver: { client-auth: want, ssl-host: 127.0.0.1, ssl-port: #{port} }\n")
offer.call('conf.d/global.conf', "global: { logging-config: #{root}/server/logback.xml }\n")
offer.call('logback.xml', <<~XML)
  <configuration>
    <appender name="FILE" class="ch.qos.logback.core.FileAppender">
      <file>#{root}/log/puppetserver.log</file>
      <encoder><pattern>%-5p %m%n</pattern></encoder>
    </appender>
    <root level="info"><appender-ref ref="FILE"/></root>
  </configuration>
XML
command = ['java', *OPTIONS, '-jar', JAR, '--config', "#{root}/server/conf.d",
           '--bootstrap-config', "#{root}/server/services.d", '--restart-file', "#{root}/run/restart"]
if Process.uid.zero?
  FileUtils.chown_R('puppet', 'puppet', root)
  command = %w[setpriv --reuid=puppet --regid=puppet --clear-groups] + command
end
pid = Process.spawn({ 'HOME' => root }, *command, in: '/dev/null', out: "#{root}/output", err: %i[child out], chdir: root)
at_exit do
  Process.kill('TERM', pid)
  Process.wait(pid)
rescue Errno::ESRCH, Errno::ECHILD
  nil
end

up = lambda do
  https = Net::HTTP.new('127.0.0.1', port.to_i)
  https.use_ssl = true
  https.verify_mode = OpenSSL::SSL::VERIFY_NONE
  https.get('/status/v1/simple').body == 'running'
rescue SystemCallError, OpenSSL::SSL::SSLError, IOError, Timeout::Error
  false
end
deadline = Time.now + PATIENCE
sleep 1 until up.call || Process.wait(pid, Process::WNOHANG) || Time.now > deadline
abort "Puppet Server does not start:\n#{File.read("#{root}/output")}" unless up.call
puts 'ready'
$stdout.flush
$stdin.read
