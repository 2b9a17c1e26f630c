# frozen_string_literal: true

require 'fileutils'
require 'net/http'
require 'socket'
require 'tmpdir'

# A Puppet Server with directories of its own below one that is removed in the end.
#
# It is started as Debian's unit does it, as the user `puppet` where that is possible.
class Machine
  JAR = '/usr/share/puppetserver/puppetserver.jar'
  CONFIGURATION = '/etc/puppet/puppetserver'
  VENDORED = '/usr/lib/puppetserver'
  # The quick compiler is enough for a few requests, and halves the time of the start.
  OPTIONS = %w[-Xms512m -Xmx1g -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djruby.lib=/usr/share/jruby/lib -Djruby.logger.class=com.puppetlabs.jruby_utils.jruby.Slf4jLogger].freeze
  # A cold start on a busy machine.
  PATIENCE = 900

  attr_reader :root, :port

  def initialize
    @root = Dir.mktmpdir('puppetserver')
    @port = TCPServer.open('127.0.0.1', 0) { |server| server.addr[1] }
    %w[conf code var run log gems].each { |name| FileUtils.mkdir_p("#{@root}/#{name}") }
    FileUtils.cp_r(CONFIGURATION, "#{@root}/server")
    configure
  end

  def environment
    "#{@root}/code/environments/production"
  end

  def write(path, content)
    FileUtils.mkdir_p(File.dirname("#{@root}/#{path}"))
    File.write("#{@root}/#{path}", content)
  end

  # Runs the block with the server up and says what the server logged meanwhile.
  def running
    hand_over
    start
    yield
    File.read(log)
  ensure
    stop
    FileUtils.rm_f(log)
  end

  def remove
    FileUtils.remove_entry(@root)
  end

  private

  def configure
    write('server/conf.d/puppetserver.conf', <<-HOCON)
      jruby-puppet: {
        ruby-load-path: [#{VENDORED}/ruby/vendor_ruby]
        gem-home: #{@root}/gems
        gem-path: [#{@root}/gems, #{VENDORED}/vendored-jruby-gems]
        server-conf-dir: #{@root}/conf
        server-code-dir: #{@root}/code
        server-var-dir: #{@root}/var
        server-run-dir: #{@root}/run
        server-log-dir: #{@root}/log
        max-active-instances: 1
      }
    HOCON
    write('server/conf.d/webserver.conf', "webserver: { client-auth: want, ssl-host: 127.0.0.1, ssl-port: #{@port} }\n")
    write('server/conf.d/global.conf', "global: { logging-config: #{@root}/server/logback.xml }\n")
    write('server/logback.xml', <<-XML)
      <configuration>
        <appender name="FILE" class="ch.qos.logback.core.FileAppender">
          <file>#{log}</file>
          <encoder><pattern>%-5p %m%n</pattern></encoder>
        </appender>
        <logger name="puppetserver" level="debug"/>
        <root level="info"><appender-ref ref="FILE"/></root>
      </configuration>
    XML
  end

  def log
    "#{@root}/log/puppetserver.log"
  end

  def hand_over
    FileUtils.chown_R('puppet', 'puppet', @root) if Process.uid.zero?
  end

  def start
    command = ['java', *OPTIONS, '-jar', JAR, '--config', "#{@root}/server/conf.d",
               '--bootstrap-config', "#{@root}/server/services.d", '--restart-file', "#{@root}/run/restart"]
    command = %w[setpriv --reuid=puppet --regid=puppet --clear-groups] + command if Process.uid.zero?
    @pid = Process.spawn({ 'HOME' => @root }, *command, out: "#{@root}/output", err: %i[child out], chdir: @root)
    wait
  end

  def wait
    deadline = Time.now + PATIENCE
    sleep 1 until up? || Process.wait(@pid, Process::WNOHANG) || Time.now > deadline
    return if up?

    abort "the server does not start:\n#{File.read("#{@root}/output")}\n#{File.exist?(log) && File.readlines(log).last(20).join}"
  end

  def up?
    https = Net::HTTP.new('127.0.0.1', @port)
    https.use_ssl = true
    https.verify_mode = OpenSSL::SSL::VERIFY_NONE
    https.get('/status/v1/simple').body == 'running'
  rescue SystemCallError, OpenSSL::SSL::SSLError, IOError, Timeout::Error
    false
  end

  def stop
    return unless @pid

    Process.kill('TERM', @pid)
    Process.wait(@pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil
  ensure
    @pid = nil
  end
end
