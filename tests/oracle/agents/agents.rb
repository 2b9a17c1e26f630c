# Answers of Puppet's own server code to requests of agents, without a web server around it.
#
#   ruby tests/oracle/agents/agents.rb TREE.txt < REQUESTS > ANSWERS
#
# REQUESTS has one request per line: METHOD TARGET [HEADER=VALUE …] [BODY=TEXT]; TEXT knows \n, \t, \xHH and \s.
# ANSWERS has one JSON object per line. Paths below the temporary directory are written as /ROOT, times as TIME, and the
# user and group of the process as UID and GID.

require 'json'
require 'pathname'
require 'tmpdir'
require 'fileutils'
require 'uri'
require 'puppet'
require 'puppet/network/http'
require 'puppet/network/http/api/server/v3'
require 'puppet/file_serving/content'
require 'puppet/file_serving/metadata'
require 'puppet/file_serving/configuration'
require 'puppet/file_bucket/file'
require 'puppet/transaction/report'
require 'puppet/reports'

# Puppet lists directories in the order of the file system, which differs from machine to machine.
class Dir
  class << self
    alias unsorted_entries entries
    def entries(...) = unsorted_entries(...).sort
  end
end

class Pathname
  alias unsorted_children children
  def children(...) = unsorted_children(...).sort
end

module Tree
  module_function

  def unescape(text)
    text.b.gsub(/\\(n|t|s|x\h\h)/n) { { 'n' => "\n", 't' => "\t", 's' => ' ' }[$1] || [$1[1..]].pack('H*') }
  end

  def make(file, root)
    File.readlines(file, chomp: true).each do |line|
      next if line.empty? || line.start_with?('#')
      kind, rest = line.split(' ', 2)
      case kind
      when 'file'
        path, mode, content = rest.match(/\A(.+?) ([0-7]{3}) (.*)\z/).captures
        place(root, path) { |at| File.binwrite(at, unescape(content)); File.chmod(mode.to_i(8), at) }
      when 'big'
        path, size = rest.split(' ')
        place(root, path) { |at| File.binwrite(at, 'x' * size.to_i); File.chmod(0644, at) }
      when 'dir'
        path, mode = rest.split(' ')
        FileUtils.mkdir_p(File.join(root, path))
        File.chmod(mode.to_i(8), File.join(root, path))
      when 'link'
        path, target = rest.split(' ')
        place(root, path) { |at| File.symlink(target, at) }
      when 'fifo' then place(root, rest) { |at| File.mkfifo(at) }
      end
    end
    stamp = Time.utc(2020, 2, 3, 4, 5, 6)
    Dir.glob("#{root}/**/*", File::FNM_DOTMATCH).each { |at| File.utime(stamp, stamp, at) if File.file?(at) }
  end

  def place(root, path)
    at = File.join(root, path)
    FileUtils.mkdir_p(File.dirname(at))
    yield at
  end
end

class Answering
  include Puppet::Network::HTTP::Handler

  def initialize
    register([Puppet::Network::HTTP::Route.path(%r{^/puppet/}).any.chain(Puppet::Network::HTTP::API::Server::V3.routes)])
  end

  def headers(request) = request[:headers]
  def http_method(request) = request[:method]
  def path(request) = request[:path]
  def body(request) = request[:body]
  def client_cert(_request) = nil
  def params(request) = decode_params(request[:params]).merge(node: 'agent.example', authenticated: true, ip: '127.0.0.1')
  def set_content_type(response, format) = response['type'] = format
  def set_response(response, body, status = 200)
    response['status'] = status
    response['body'] = body.is_a?(File) ? (File.directory?(body.path) ? '' : body.read) : body
  end
end

module Requests
  module_function

  def parse(line)
    method, target, *rest = line.split(' ')
    path, query = target.split('?', 2)
    pairs = URI.decode_www_form(query || '').group_by(&:first)
    params = pairs.transform_values { |values| values.size == 1 ? values[0][1] : values.map(&:last) }
    fields = rest.map { |word| word.split('=', 2) }
    body = fields.assoc('BODY')&.last
    body = Tree.unescape(body).force_encoding('UTF-8') if body
    headers = fields.reject { |name, _| name == 'BODY' }.to_h { |name, value| [name.downcase, Tree.unescape(value).force_encoding('UTF-8')] }
    headers['accept'] = '*/*' unless headers.key?('accept')
    headers.delete('accept') if headers['accept'] == '-'
    path = path.gsub(/%(\h\h)/) { [$1].pack('H*') }.force_encoding('UTF-8')
    { method: method, path: path, params: params, headers: headers, body: body }
  end
end

root = File.realpath(Dir.mktmpdir)
at_exit { FileUtils.rm_rf(root) }
File.umask(0022)
Tree.make(ARGV[0], root)
File.write("#{root}/fileserver.conf", <<~CONF)
  # comment
  [static]
    path #{root}/mounts/static
    allow *
  [by-host]
    path #{root}/mounts/%h
  [by-fqdn]
    path #{root}/mounts/%H
  [by-domain]
    path #{root}/mounts/%d
  [percent]
    path #{root}/mounts/100%%
  [missing]
    path #{root}/mounts/nosuch
CONF
Puppet.settings.preferred_run_mode = :server
Puppet.initialize_settings(
  ['--confdir', root, '--vardir', "#{root}/var", '--codedir', "#{root}/code", '--logdir', "#{root}/log", '--rundir', "#{root}/run",
   '--environmentpath', "#{root}/code/environments", '--basemodulepath', "#{root}/code/modules", '--fileserverconfig', "#{root}/fileserver.conf",
   '--bucketdir', "#{root}/bucket", '--reportdir', "#{root}/reports", '--reports', 'store', '--node_terminus', 'plain'],
  true, true
)
Puppet::Util::Log.newdestination("#{root}/server.log") if ENV['LOG'].nil?
Puppet::Util::Log.newdestination(:console) if ENV['LOG']
Puppet::FileServing::Content.indirection.terminus_class = :file_server
Puppet::FileServing::Metadata.indirection.terminus_class = :file_server
Puppet::FileBucket::File.indirection.terminus_class = :file
Puppet::Transaction::Report.indirection.terminus_class = :processor
Puppet::Network::Authorization.authconfigloader_class = Class.new { def self.authconfig; end } if Puppet::Network::Authorization.respond_to?(:authconfigloader_class=)

$stdout.sync = true
answering = Answering.new
base = Puppet.base_context(Puppet.settings)
$stdin.each_line(chomp: true) do |line|
  next puts(line) if line.empty? || line.start_with?('#')
  response = {}
  Puppet.override(base, 'requests') { answering.process(Requests.parse(line), response) }
  response['status'] ||= 200
  body = (response['body'] || '').dup.force_encoding('UTF-8')
  body = "base64:#{[response['body']].pack('m0')}" unless body.valid_encoding?
  body = body.gsub(root, '/ROOT').gsub(/\{ctime\}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+]\d{4}/, '{ctime}TIME')
  body = body.gsub(/"owner":#{Process.euid},"group":#{Process.egid}/, '"owner":"UID","group":"GID"')
  body = "bytes:#{body.bytesize}" if body.bytesize > 20_000
  puts JSON.generate('request' => line, 'status' => response['status'], 'type' => response['type'], 'body' => body)
end
