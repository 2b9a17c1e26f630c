# Puppet's own classes: the real ones if they are there, else as much as functions need.
module Kukla
  class << self
    def start(settings)
      @settings = settings
      $LOAD_PATH.concat(settings['libraries'])
      @puppet = settings['puppet'] && load_puppet
      Plain.define unless @puppet
      Hooks.install
      @started = true
    end

    def started? = @started

    def load_puppet
      require 'puppet'
      require 'puppet/pops'
      # Nothing of it is written; names that no file has say so. Puppet makes the directory above each, unless it exists.
      nowhere = '/nonexistent-kukla'
      names = %w[confdir vardir codedir rundir logdir publicdir]
      # Without a certname Puppet runs all custom facts of all modules to find one.
      given = names.flat_map { |dir| ["--#{dir}", "#{nowhere}-#{dir}"] } + %w[--certname kukla]
      Puppet.initialize_settings(given, true, false)
      Puppet[:strict] = :error
      Puppet[:strict_variables] = true
      Puppet.push_context({ current_environment: environment(real: true),
                            environments: Puppet::Environments::Static.new(environment(real: true)) }, 'kukla')
      # Without loaders Puppet makes up classes for the types that it is sent.
      Puppet.push_context({ loaders: Puppet::Pops::Loaders.new(environment(real: true)) }, 'kukla')
      Puppet::Util::Log.newdesttype(:kukla) do
        match 'Kukla::Log'
        define_method(:initialize) { |_to| }
        define_method(:handle) { |message| Kukla.ask('log', message.level.to_s, message.message.to_s) }
      end
      Puppet::Util::Log.newdestination(Log.new)
      Puppet::Util::Log.level = :debug # Who reads the log decides.
      true
    rescue LoadError
      false
    end

    def environment(real: puppet?)
      @environment ||= begin
        name, path = settings.values_at('environment', 'modulepath')
        real ? Puppet::Node::Environment.create(name.to_sym, path) : Plain::Environment.new(name, path)
      end
    end

    def scope = @scope ||= Scope.allocate
    def compiler = scope.compiler
  end

  # Puppet's log ends here; it knows a destination by the name of its class.
  class Log; end

  # The least that functions and templates call without Puppet's library.
  module Plain
    Environment = Struct.new(:name, :modulepath) do
      def to_s = name
    end

    SOURCE = <<~RUBY.freeze
      module Puppet
        class Error < RuntimeError; end
        class ParseError < Error; end
        class ParseErrorWithIssue < ParseError; end
        class PreformattedError < ParseErrorWithIssue; end
        class DevError < Error; end
        module Util; end
        module Functions
          class Function
            attr_reader :closure_scope, :loader
            def initialize(closure_scope, loader) = (@closure_scope, @loader = closure_scope, loader)
          end
          class InternalFunction < Function; end
        end
        module Parser
          class Scope; end
          class TemplateWrapper; end
          module Functions; end
          module Files; end
        end
        module Pops; module Types; class PSensitiveType
          class Sensitive
            def initialize(value) = @value = value
            def unwrap = @value
            def to_s = 'Sensitive [value redacted]'
            def inspect = "#<\#{self}>"
            def ==(other) = other.is_a?(Sensitive) && other.unwrap == unwrap
          end
        end; end; end
        class << self
          def version = '7.23.0'
          def [](name) = { environment: Kukla.settings['environment'], strict: :error }[name]
          %w[debug info notice warning err alert emerg crit].each do |level|
            define_method(level) { |message = nil, &block| Kukla.ask('log', level, (message || block&.call).to_s) }
          end
          def deprecation_warning(message, *) = warning(message)
          def warn_once(_kind, _key, message, *) = warning(message)
        end
      end
    RUBY

    def self.define
      require 'erb'
      require 'json'
      require 'yaml'
      require 'set'
      require 'digest'
      require 'uri'
      require 'time'
      eval(SOURCE, TOPLEVEL_BINDING, 'kukla-worker') # rubocop:disable Security/Eval
      # What is there needs no file.
      %w[puppet puppet/util puppet/error puppet/parser/functions puppet/functions puppet/pops].each do |name|
        $LOADED_FEATURES << "/nonexistent/kukla/#{name}.rb"
      end
      $LOAD_PATH.unshift('/nonexistent/kukla')
    end
  end

  # A `dispatch` that is being written down.
  class Dispatch
    attr_reader :data, :injected

    def initialize(method, mismatch)
      @data = { 'method' => method.to_s, 'params' => [], 'mismatch' => mismatch }
      @injected = []
    end

    def add(kind, type, name) = @data['params'] << { 'kind' => kind, 'type' => type.to_s, 'name' => name.to_s }
    def param(type, name) = add('required', type, name)
    alias required_param param
    def optional_param(type, name) = add('optional', type, name)
    def repeated_param(type, name) = add('repeated', type, name)
    alias optional_repeated_param repeated_param
    def required_repeated_param(type, name) = add('required_repeated', type, name)

    def block_param(*args)
      type = args.find { |arg| arg.is_a?(String) } || 'Callable'
      @data.merge!('block' => type, 'block_required' => true)
    end
    alias required_block_param block_param

    def optional_block_param(*args) = block_param(*args).merge!('block_required' => false)
    def return_type(type) = @data['returns'] = type.to_s
    def scope_param(*)
      @data['scope'] = true
      @injected << :scope
    end
    def cache_param(*) = @injected << :cache
    def compiler_param(*) = @injected << :compiler
  end

  # Puts our hands on Puppet's classes, real or not: functions are written down, and what they call comes to us.
  module Hooks
    def self.install
      scope = Class.new(Puppet::Parser::Scope) { include ScopeMethods }
      ScopeMethods.instance_methods(false).each { |name| scope.define_method(name, ScopeMethods.instance_method(name)) }
      Kukla.const_set(:Scope, scope)
      Kukla.const_set(:Template, Kukla.template_class)
      Puppet::Parser::Scope.define_singleton_method(:name) { 'Puppet::Parser::Scope' }
      if Kukla.puppet?
        Puppet.singleton_class.prepend(Settings)
        Puppet::Settings.prepend(Settings)
        Puppet::Pops::PuppetStack.singleton_class.prepend(Stack)
        Puppet::Pops::Evaluator::Runtime3ResourceSupport.singleton_class.prepend(ResourceTypes)
      end
      Puppet::Functions.extend(NewFunctions)
      Puppet::Functions.singleton_class.prepend(NewFunctions)
      Puppet::Functions::Function.singleton_class.prepend(Dispatching)
      Puppet::Functions::Function.prepend(Calling)
      Puppet::Parser::Functions.singleton_class.prepend(OldFunctions)
      Puppet::Parser::Files.singleton_class.prepend(Files)
    end

    # Settings are those of the compilation; Puppet's own code goes on with the ones that it was started with.
    module Settings
      OWN = $LOADED_FEATURES.grep(%r{/puppet\.rb\z}).map { |path| "#{File.dirname(path)}/puppet" }.freeze

      def [](name)
        from = caller_locations(1, 1).first&.path.to_s
        return super if !Serve.busy? || OWN.any? { |own| from.start_with?(own) }

        found = Kukla.ask('setting', name.to_s)
        return super if found.empty?
        super.is_a?(Symbol) ? found.first.to_sym : found.first
      end
    end

    # The manifests that led here.
    module Stack
      def stacktrace = Serve.busy? ? Kukla.ask('stack') : super
      def top_of_stack = Serve.busy? ? stacktrace.first || [] : super
    end

    # Which types and classes there are is known to those who load manifests.
    module ResourceTypes
      def find_resource_type(_scope, name) = ResourceType.find(name, %w[type])
      def find_resource_type_or_class(_scope, name) = ResourceType.find(name, %w[type class])
      def find_hostclass(_scope, name) = ResourceType.find(name, %w[class])
    end

    module NewFunctions
      def create_function(name, base = Puppet::Functions::Function, &block)
        function = Class.new(base)
        function.instance_variable_set(:@kukla, [])
        function.instance_variable_set(:@kukla_types, [])
        function.class_eval(&block)
        Serve.define_new(name.to_s, function)
        function
      end
    end

    module Dispatching
      attr_reader :kukla, :kukla_types

      def dispatch(method, &block) = note(Dispatch.new(method, false), block)
      def argument_mismatch(method, &block) = note(Dispatch.new(method, true), block)

      def note(dispatch, block)
        dispatch.instance_eval(&block)
        @kukla << dispatch
      end

      def local_types(&block)
        types = @kukla_types
        Object.new.tap { |to| to.define_singleton_method(:type) { |text| types << text } }.instance_eval(&block)
      end
    end

    module Calling
      def call_function(name, *args, &block) = Kukla.scope.call_function(name, args, &block)
      def closure_scope = Kukla.scope
    end

    module OldFunctions
      def newfunction(name, options = {}, &block) = Serve.define_old(name.to_s, options, block)
      def function(name, *) = Kukla.ask('has_function', name.to_s) ? "function_#{name}" : false
      def autoloader = Autoloader
      def rvalue?(name, *) = function(name) ? true : false
    end

    module Autoloader
      def self.loaded?(name) = Kukla.ask('has_function', name.to_s)
      def self.load(*) = true
      def self.loadall(*) = true
    end

    module Files
      def find_template(reference, *) = Kukla.ask('find_file', 'templates', reference.to_s)
      def find_file(reference, *) = Kukla.ask('find_file', 'files', reference.to_s)
    end
  end
end
