# What Ruby code sees of the compilation: the scope, its catalog and its compiler.
module Kukla
  class << self
    attr_accessor :settings, :block

    def puppet? = @puppet

    # Asks the other side; meanwhile it may ask us.
    def ask(what, *parts)
      Wire.write(['do', what, *parts])
      loop do
        kind, *rest = Wire.read
        case kind
        when 'ok' then return Rich.load(rest[0])
        when 'raise' then raise error(*rest)
        else Serve.handle(kind, rest)
        end
      end
    end

    # An error of the other side, of the class that Puppet would raise.
    def error(name, message, id)
      found = name.split('::').inject(Object) { |outer, part| outer.const_get(part) }
      error = found.allocate
      error.send(:initialize, message) rescue nil # rubocop:disable Style/RescueModifier
      error.define_singleton_method(:message) { message }
      error.instance_variable_set(:@__kukla__, id)
      error
    rescue NameError
      RuntimeError.new(message).tap { |other| other.instance_variable_set(:@__kukla__, id) }
    end
  end

  # Methods of a scope; they hide those of Puppet's own class.
  module ScopeMethods
    def lookupvar(name, _options = {})
      raise Puppet::ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string" unless name.is_a?(String)

      kept(name, Kukla.ask('var', name).first)
    end

    # What Ruby code has set is the thing itself while a variable has it: symbols in it are symbols.
    def kept(name, found)
      data, value = Serve.set_variables[name.delete_prefix('::')]
      data.nil? || data != found ? found : value
    end

    def [](name, _options = {}) = lookupvar(name)
    def include?(name) = !exist_value(name).nil?
    def exist?(name) = exist_value(name, missing: :none) != :none
    alias bound? exist?

    def exist_value(name, missing: nil)
      found = Kukla.ask('var', name.to_s)
      found.empty? ? missing : found.first
    rescue Puppet::Error, ArgumentError
      missing
    end

    def to_hash(*) = Kukla.ask('vars')

    def setvar(name, value, _options = {})
      data = Rich.dump(value)
      Kukla.ask('setvar', name.to_s, data)
      Serve.set_variables[name.to_s] = [Rich.load(data), value]
      value
    end
    alias []= setvar

    def call_function(name, args, &block)
      Serve.with_block(block) { Kukla.ask('call', name.to_s, Rich.dump([*args]), !block.nil?) }
    end

    def catalog = @__catalog ||= Catalog.new
    def compiler = @__compiler ||= Compiler.new
    def environment = Kukla.environment
    def source = Source.of(Kukla.ask('source'))
    def resource = Resource.of(Kukla.ask('own_resource'))
    def tags = Kukla.ask('tags')
    def is_topscope? = false
    # Whoever is asked for a variable knows where to look for it.
    def find_global_scope = self
    def enclosing_scope = nil
    def inherited_scope = nil
    def findresource(type, title = nil) = catalog.resource(type, title)
    def lookupdefaults(type) = Kukla.ask('defaults', type.to_s).transform_keys(&:to_sym)
    def to_s = 'Scope()'
    def inspect = to_s
    %w[debug info notice warning err alert emerg crit].each do |level|
      define_method(level) { |message| Kukla.ask('log_from_scope', level, message.to_s) }
    end

    def respond_to_missing?(name, _all = false)
      name.to_s.start_with?('function_') && Kukla.ask('has_function', name.to_s.delete_prefix('function_'))
    end

    def method_missing(name, *args, &block)
      return super unless respond_to_missing?(name)
      unless args.length == 1 && args[0].is_a?(Array)
        raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. ' \
                             'For example, function_example([1]) instead of function_example(1)'
      end
      Serve.as_is(name.to_s.delete_prefix('function_'), args[0])
    end
  end

  # The class or define around a call.
  Source = Struct.new(:type, :name) do
    def self.of(text) = text&.split(' ', 2)&.then { |type, name| new(type.to_sym, name.to_s) }
  end

  # A type of resources, or a class, that exists.
  ResourceType = Struct.new(:name) do
    def self.find(name, kinds) = kinds.include?(Kukla.ask('kind', name.to_s)) ? new(name.to_s) : nil
    def to_s = name
  end

  # A resource of the catalog, as far as functions look at it.
  Resource = Struct.new(:type, :title, :parameters, :tags, :virtual, :has_name) do
    def self.of(data) = data && new(*data.values_at(*members.map(&:to_s)))
    def [](name) = parameters[name.to_s]
    def name = title
    def ref = "#{type}[#{title}]"
    def to_s = ref
    def to_rich = Rich.reference(type, title)
    def to_hash = (has_name ? { name: title } : {}).merge(parameters.compact.transform_keys(&:to_sym))
    def tagged?(*names) = names.flatten.any? { |name| tags.include?(name.to_s) }
    def virtual? = virtual
  end

  class Catalog
    def resource(type, title = nil)
      type, title = type.to_s.match(/\A([^\[]+)\[(.*)\]\z/m)&.captures if title.nil?
      type && Resource.of(Kukla.ask('resource', type.to_s, title.to_s))
    end

    def resources = Kukla.ask('resources').map { |data| Resource.of(data) }
    def resource_refs = resources.map(&:ref)
    def resource_keys = resources.map { |resource| [resource.type, resource.title] }
    def classes = Kukla.ask('classes')
    def tags = Kukla.ask('tags')
    def environment = Kukla.environment.to_s
  end

  class Compiler
    def catalog = @catalog ||= Catalog.new
    def environment = Kukla.environment
    def topscope = Kukla.scope
    def findresource(type, title = nil) = catalog.resource(type, title)
    def resources = catalog.resources
  end
end
