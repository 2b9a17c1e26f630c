# Ruby's library `resolv`, as far as modules use it. The interpreter runs this file when code names `Resolv`.
#
# Only `Resolv::DNS.ask_server` leaves the interpreter: it sends one question to one server and waits for the reply.

class Resolv
  def self.getaddress(name)
    new.getaddress(name)
  end

  def self.getaddresses(name)
    new.getaddresses(name)
  end

  def self.each_address(name, &block)
    new.each_address(name, &block)
  end

  def self.getname(address)
    new.getname(address)
  end

  def self.getnames(address)
    new.getnames(address)
  end

  def self.each_name(address, &block)
    new.each_name(address, &block)
  end

  def initialize(resolvers = nil)
    @resolvers = resolvers || [Hosts.new, DNS.new]
  end

  def getaddress(name)
    each_address(name) { |address| return address }
    raise ResolvError, "no address for #{name}"
  end

  def getaddresses(name)
    found = []
    each_address(name) { |address| found << address }
    found
  end

  def each_address(name)
    if AddressRegex =~ name
      yield name
      return
    end
    is_found = false
    @resolvers.each do |resolver|
      resolver.each_address(name) do |address|
        is_found = true
        yield address.to_s
      end
      break if is_found
    end
  end

  def getname(address)
    each_name(address) { |name| return name }
    raise ResolvError, "no name for #{address}"
  end

  def getnames(address)
    found = []
    each_name(address) { |name| found << name }
    found
  end

  def each_name(address)
    is_found = false
    @resolvers.each do |resolver|
      resolver.each_name(address) do |name|
        is_found = true
        yield name.to_s
      end
      break if is_found
    end
  end

  # The file of names on this machine.
  class Hosts
    DefaultFileName = '/etc/hosts'

    def initialize(filename = DefaultFileName)
      @filename = filename
      @lines = nil
    end

    def getaddress(name)
      each_address(name) { |address| return address }
      raise ResolvError, "#{@filename} has no name: #{name}"
    end

    def getaddresses(name)
      lines.select { |line| line.drop(1).include?(name) }.map(&:first).reverse
    end

    def each_address(name, &block)
      getaddresses(name).each(&block)
    end

    def getname(address)
      each_name(address) { |name| return name }
      raise ResolvError, "#{@filename} has no address: #{address}"
    end

    def getnames(address)
      lines.select { |line| line.first == address }.flat_map { |line| line.drop(1) }
    end

    def each_name(address, &block)
      getnames(address).each(&block)
    end

    def lines
      @lines ||= File.read(@filename).lines.map { |line| line.sub(/#.*/, '').split(/\s+/) }.select { |line| line.length > 1 && !line.first.empty? }
    end
  end

  # Questions to name servers.
  class DNS
    Port = 53
    UDPSize = 512

    def self.open(*args)
      dns = new(*args)
      return dns unless block_given?

      yield dns
    end

    def initialize(config = nil)
      @config = config
      @servers = nil
    end

    attr_writer :timeouts

    def close
      @servers = nil
    end

    def lazy_initialize
      self
    end

    def getaddress(name)
      each_address(name) { |address| return address }
      raise ResolvError, "DNS result has no information for #{name}"
    end

    def getaddresses(name)
      found = []
      each_address(name) { |address| found << address }
      found
    end

    def each_address(name)
      each_resource(name, Resource::IN::A) { |resource| yield resource.address }
      return unless DNS.has_ipv6?

      each_resource(name, Resource::IN::AAAA) { |resource| yield resource.address }
    end

    def getname(address)
      each_name(address) { |name| return name }
      raise ResolvError, "DNS result has no information for #{address}"
    end

    def getnames(address)
      found = []
      each_name(address) { |name| found << name }
      found
    end

    def each_name(address)
      pointer =
        case address
        when Name then address
        when IPv4, IPv6 then address.to_name
        when IPv4::Regex then IPv4.create(address).to_name
        when IPv6::Regex then IPv6.create(address).to_name
        else raise ResolvError, "cannot interpret as address: #{address}"
        end
      each_resource(pointer, Resource::IN::PTR) { |resource| yield resource.name }
    end

    def getresource(name, typeclass)
      each_resource(name, typeclass) { |resource| return resource }
      raise ResolvError, "DNS result has no information for #{name}"
    end

    def getresources(name, typeclass)
      found = []
      each_resource(name, typeclass) { |resource| found << resource }
      found
    end

    def each_resource(name, typeclass, &block)
      configure
      candidates(Name.create(name)).each do |candidate|
        reply = ask(candidate, typeclass)
        return if reply.nil?

        case reply['code']
        when 0
          extract(reply['records'], candidate, typeclass).each(&block)
          return
        when 3 then next
        else return
        end
      end
    end

    # Reads the servers and the domains to search, once.
    def configure
      return if @servers

      config =
        case @config
        when nil then File.exist?('/etc/resolv.conf') ? DNS.parse('/etc/resolv.conf') : {}
        when String then DNS.parse(@config)
        when Hash then @config
        else raise ArgumentError, "invalid resolv configuration: #{@config.inspect}"
        end
      servers = [config[:nameserver] || []].flatten.map { |server| [server, Port] }
      servers = config[:nameserver_port].map { |server, port| [server, port || Port] } if config.key?(:nameserver_port)
      servers = [['0.0.0.0', Port]] if servers.empty?
      @search = [config[:search] || DNS.own_domain].flatten.map { |domain| domain.split('.') }
      @ndots = config[:ndots] || 1
      @servers = servers
    end

    # The domain of this machine, which is searched where the configuration names none.
    def self.own_domain
      File.read('/proc/sys/kernel/hostname').strip.split('.', 2)[1] || ''
    end

    # Whether this machine has an address of version 6 that others can reach.
    def self.has_ipv6?
      file = '/proc/net/if_inet6'
      return false unless File.exist?(file)

      scopes = File.read(file).lines.map { |line| line.split(/\s+/)[3] }
      scopes.any? { |scope| scope != '10' && scope != '20' }
    end

    def self.parse(file)
      config = { nameserver: [], search: nil, ndots: 1 }
      File.read(file).lines.each do |line|
        keyword, *args = line.sub(/[#;].*/, '').split(/\s+/)
        case keyword
        when 'nameserver' then config[:nameserver] += args
        when 'domain' then config[:search] = [args[0]] unless args.empty?
        when 'search' then config[:search] = args unless args.empty?
        when 'options'
          args.each { |arg| config[:ndots] = arg.split(':')[1].to_i if arg =~ /\Andots:\d+\z/ }
        end
      end
      config
    end

    def candidates(name)
      return [name] if name.absolute?

      whole = Name.new(name.to_a)
      found = @search.map { |domain| Name.new(name.to_a + domain) }
      found.unshift(whole) if @ndots <= name.length - 1
      found << whole unless found.include?(whole)
      found
    end

    # Returns the first reply; nil if no server answers.
    def ask(name, typeclass)
      first = 5
      second = first * 2 / @servers.length
      waits = @timeouts ? [@timeouts].flatten : [first, second, second * 2, second * 4]
      waits.each do |wait|
        @servers.each do |server, port|
          reply = DNS.ask_server(server, port, name.to_s, typeclass::TypeValue, wait)
          return reply if reply
        end
      end
      nil
    end

    # The records of a name, through its aliases.
    def extract(records, name, typeclass)
      records = records.map { |record| [Name.new(record['name'].split('.')), Resource.made(record)] }
      found = []
      current = name
      records.each do |owner, resource|
        next unless owner == current

        if resource.is_a?(typeclass)
          found << resource
        elsif resource.is_a?(Resource::IN::CNAME)
          current = resource.name
        end
      end
      return found unless found.empty?

      records.select { |owner, resource| owner == current && resource.is_a?(typeclass) }.map(&:last)
    end

    # A name, made of labels.
    class Name
      def self.create(from)
        case from
        when Name then from
        when String then new(from.split('.'), from.end_with?('.'))
        else raise ArgumentError, "cannot interpret as DNS name: #{from.inspect}"
        end
      end

      def initialize(labels, absolute = true)
        @labels = labels
        @absolute = absolute
      end

      def absolute?
        @absolute
      end

      def length
        @labels.length
      end

      def to_a
        @labels
      end

      def [](index)
        @labels[index]
      end

      def to_s
        @labels.join('.')
      end

      def inspect
        "#<Resolv::DNS::Name: #{self}#{@absolute ? '.' : ''}>"
      end

      def ==(other)
        return false unless other.is_a?(Name)

        to_s.downcase == other.to_s.downcase && absolute? == other.absolute?
      end

      def eql?(other)
        self == other
      end

      def hash
        to_s.downcase.hash
      end

      def subdomain_of?(other)
        raise ArgumentError, "not a domain name: #{other.inspect}" unless other.is_a?(Name)
        return false if absolute? != other.absolute? || length <= other.length

        @labels.last(other.length).map(&:downcase) == other.to_a.map(&:downcase)
      end
    end

    # A record of a reply.
    class Resource
      attr_reader :ttl

      def initialize(record)
        @ttl = record['ttl']
        fill(record)
      end

      def self.made(record)
        kind = IN::KINDS[record['kind']]
        kind && kind.new(record)
      end

      module IN
        class A < Resource
          TypeValue = 1
          attr_reader :address

          def fill(record)
            @address = IPv4.create(record['address'])
          end
        end

        class NS < Resource
          TypeValue = 2
          attr_reader :name

          def fill(record)
            @name = Name.new(record['target'].split('.'))
          end
        end

        class CNAME < Resource
          TypeValue = 5
          attr_reader :name

          def fill(record)
            @name = Name.new(record['target'].split('.'))
          end
        end

        class SOA < Resource
          TypeValue = 6
          attr_reader :mname, :rname, :serial, :refresh, :retry, :expire, :minimum

          def fill(record)
            @mname = Name.new(record['mname'].split('.'))
            @rname = Name.new(record['rname'].split('.'))
            @serial, @refresh, @retry, @expire, @minimum = record['numbers']
          end
        end

        class PTR < Resource
          TypeValue = 12
          attr_reader :name

          def fill(record)
            @name = Name.new(record['target'].split('.'))
          end
        end

        class MX < Resource
          TypeValue = 15
          attr_reader :preference, :exchange

          def fill(record)
            @preference, = record['numbers']
            @exchange = Name.new(record['target'].split('.'))
          end
        end

        class TXT < Resource
          TypeValue = 16
          attr_reader :strings

          def fill(record)
            @strings = record['strings']
          end

          def data
            @strings.join
          end
        end

        class AAAA < Resource
          TypeValue = 28
          attr_reader :address

          def fill(record)
            @address = IPv6.create(record['address'])
          end
        end

        class SRV < Resource
          TypeValue = 33
          attr_reader :priority, :weight, :port, :target

          def fill(record)
            @priority, @weight, @port = record['numbers']
            @target = Name.new(record['target'].split('.'))
          end
        end

        KINDS = { 1 => A, 2 => NS, 5 => CNAME, 6 => SOA, 12 => PTR, 15 => MX, 16 => TXT, 28 => AAAA, 33 => SRV }.freeze
      end
    end
  end

  # An address of version 4.
  class IPv4
    attr_reader :address

    def self.create(from)
      return from if from.is_a?(IPv4)
      raise ArgumentError, "cannot interpret as IPv4 address: #{from.inspect}" unless from.is_a?(String)

      octets = from =~ Regex ? from.split('.').map(&:to_i) : []
      raise ArgumentError, "cannot interpret as IPv4 address: #{from.inspect}" unless octets.length == 4

      new(octets.pack('C4'))
    end

    def initialize(address)
      @address = address
    end

    def to_s
      @address.unpack('C4').join('.')
    end

    def inspect
      "#<Resolv::IPv4 #{self}>"
    end

    def to_name
      DNS::Name.new(@address.unpack('C4').reverse.map(&:to_s) + ['in-addr', 'arpa'])
    end

    def ==(other)
      other.is_a?(IPv4) && address.unpack('C4') == other.address.unpack('C4')
    end

    def eql?(other)
      self == other
    end

    def hash
      to_s.hash
    end
  end

  # An address of version 6.
  class IPv6
    attr_reader :address

    def self.create(from)
      return from if from.is_a?(IPv6)
      raise ArgumentError, "cannot interpret as IPv6 address: #{from.inspect}" unless from.is_a?(String) && from =~ Regex

      new(IPAddr.new(from).hton)
    end

    def initialize(address)
      @address = address
    end

    def to_s
      long = format('%x:%x:%x:%x:%x:%x:%x:%x', *@address.unpack('nnnnnnnn'))
      short = long.sub(/(^|:)0(:0)+(:|$)/, '::')
      short == long ? long.sub(/(^|:)0(:|$)/, '::') : short
    end

    def inspect
      "#<Resolv::IPv6 #{self}>"
    end

    def to_name
      digits = @address.unpack('H32').first
      DNS::Name.new(digits.split('').reverse + ['ip6', 'arpa'])
    end

    def ==(other)
      other.is_a?(IPv6) && address.unpack('nnnnnnnn') == other.address.unpack('nnnnnnnn')
    end

    def eql?(other)
      self == other
    end

    def hash
      to_s.hash
    end
  end
end
