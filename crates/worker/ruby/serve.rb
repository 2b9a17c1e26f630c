# What we are asked for.
module Kukla
  module Serve
    @files = {}
    @blocks = []
    @set_variables = {}

    # The memory in bytes that this process may take. Some systems have no such limit.
    MEMORY = 1 << 30
    begin
      Process.setrlimit(:DATA, MEMORY)
    rescue ArgumentError, NotImplementedError, SystemCallError
      nil
    end

    class << self
      # What Ruby code has set while a compilation waits for it.
      attr_reader :set_variables

      def define_new(name, function) = @defined << { name: name, class: function }
      def define_old(name, options, block) = @defined << { name: name, options: options, block: block }

      # Does something, and says how it went.
      def handle(what, parts)
        @set_variables.clear unless busy?
        @depth = @depth.to_i + 1
        Wire.write(['ok', *send("on_#{what}", *parts)])
      rescue SystemExit, StandardError, ScriptError, SystemStackError, NoMemoryError => e
        Wire.write(['raise', e.class.name.to_s, message(e), *place(e), e.instance_variable_get(:@__kukla__)])
      ensure
        @depth -= 1
      end

      # Whether a compilation waits for us, which can be asked.
      def busy? = @depth.to_i.positive? && Kukla.started?

      def message(error)
        text = error.message.to_s
        text += ": the limit of a Ruby process is #{MEMORY >> 20} MB" if error.is_a?(NoMemoryError)
        text.encoding == Encoding::UTF_8 && text.valid_encoding? ? text : text.dup.force_encoding('UTF-8').scrub
      end

      # The innermost place that is not ours.
      def place(error)
        line = (error.backtrace || []).find { |entry| !entry.start_with?('kukla-worker:', '-e:') }
        file, number = line.to_s.match(/\A(.*?):(\d+)/)&.captures
        [file.to_s, number.to_i]
      end

      def on_init(settings)
        Kukla.start(settings)
        [RUBY_VERSION, Kukla.puppet? ? Puppet.version.to_s : '']
      end

      # Hands a report to a processor. Each report has an object of its own, which the processor extends.
      def on_report(name, json, settings)
        raise LoadError, "Puppet's library is missing, which the report processor '#{name}' needs" unless Kukla.puppet?

        require 'puppet/reports'
        require 'puppet/transaction/report'
        settings.each { |setting, value| Puppet[setting.to_sym] = value }
        processor = Puppet::Reports.report(name.to_sym)
        raise NameError, "No report named '#{name}'" unless processor

        report = Puppet::Transaction::Report.convert_from('json', json)
        report.extend(processor)
        report.process
        [true]
      end

      def on_functions(path) = [functions(path).map { |function| describe(function) }]

      # Loads a file once.
      def functions(path)
        @files[path] ||= begin
          outer = @defined
          @defined = []
          eval(File.read(path, encoding: 'UTF-8'), TOPLEVEL_BINDING.dup, path) # rubocop:disable Security/Eval
          @defined
        ensure
          @defined = outer
        end
      end

      def describe(function)
        if (options = function[:options])
          return { 'name' => function[:name], 'arity' => options[:arity] || -1, 'rvalue' => options[:type].to_s == 'rvalue' }
        end
        { 'name' => function[:name], 'local_types' => function[:class].kukla_types,
          'signatures' => dispatches(function).map(&:data) }
      end

      # Without any `dispatch`, the method with the function's name takes anything.
      def dispatches(function)
        function[:dispatches] ||= begin
          found = function[:class].kukla
          found += [default(function)] if found.all? { |dispatch| dispatch.data['mismatch'] }
          pass_scope(found) if function[:class].method_defined?(:call, false)
          found
        end
      end

      # A function with a method `call` of its own hands the scope on as its first argument; old modules do so.
      def pass_scope(dispatches)
        with_params = dispatches.reject { |dispatch| dispatch.data['params'].empty? }
        with_params.each do |dispatch|
          dispatch.data['params'].shift
          dispatch.data['scope'] = true
          dispatch.injected.unshift(:scope)
        end
      end

      def default(function)
        name = function[:name].split('::').last
        dispatch = Dispatch.new(name, false)
        function[:class].instance_method(name).parameters.each do |kind, param|
          case kind
          when :req then dispatch.param('Any', param)
          when :opt then dispatch.optional_param('Any', param)
          when :rest then dispatch.repeated_param('Any', param)
          end
        end
        dispatch
      end

      # Calls a function as Ruby code does, which hands over what it has: no `nil` becomes an empty text.
      def as_is(name, args)
        @as_is = name
        Kukla.ask('call_old', name, Rich.dump(args))
      ensure
        @as_is = nil
      end

      def on_call(path, name, signature, args, has_block)
        as_is = @as_is == name
        @as_is = nil
        function = functions(path).find { |one| one[:name] == name }
        raise NameError, "there is no function #{name} in #{path}" unless function

        args = Rich.load(args)
        [Rich.dump(function[:options] ? call_old(function, as_is ? args : old_args(args)) : call_new(function, signature, args, has_block))]
      end

      # A method, not a block, so that `return` ends it.
      def call_old(function, args)
        Kukla.scope.define_singleton_method("real_function_#{function[:name]}", &function[:block])
        check_arity(function, args.length)
        value = Kukla.scope.send("real_function_#{function[:name]}", args)
        function[:options][:type].to_s == 'rvalue' ? value : nil
      end

      def check_arity(function, given)
        arity = function[:options][:arity] || -1
        least = (arity + 1).abs
        wanted = if arity >= 0 then arity unless given == arity
                 elsif given < least then "minimum #{least}"
                 end
        raise ArgumentError, "#{function[:name]}(): Wrong number of arguments given (#{given} for #{wanted})" if wanted
      end

      def old_args(args)
        return args.map { |arg| arg.nil? ? '' : arg } unless Kukla.puppet?

        Puppet::Pops::Evaluator::Runtime3FunctionArgumentConverter.map_args(args, Kukla.scope, '')
      end

      def call_new(function, signature, args, has_block)
        dispatch = dispatches(function)[signature || 0]
        object = function[:class].allocate
        object.send(:initialize, Kukla.scope, nil)
        injected = dispatch.injected.map { |what| what == :cache ? (function[:cache] ||= {}) : Kukla.public_send(what) }
        block = has_block ? ->(*values) { Kukla.ask('yield', Rich.dump(values)) } : nil
        object.send(dispatch.data['method'], *injected, *args, &block)
      end

      # A block of ours while the other side may call it.
      def with_block(block)
        @blocks.push(block)
        yield
      ensure
        @blocks.pop
      end

      def on_yield(args) = [Rich.dump(@blocks.last.call(*Rich.load(args)))]

      def on_render(path, text)
        wrapper = Template.new(path)
        out = wrapper.kukla_render(text)
        [out, Rich.dump(wrapper.kukla_changed)]
      end

      def on_type(name) = [Types.facts(name)]

      def run
        # A worker that is busy does not see that nobody waits for it.
        parent = Process.ppid
        Thread.new { sleep 5 while Process.ppid == parent; exit!(1) }
        loop { handle(*Wire.read.then { |what, *parts| [what, parts] }) }
      end
    end
  end

  # The metadata of a resource type.
  module Types
    def self.facts(name)
      type = Kukla.puppet? && Puppet::Type.type(name.to_sym)
      raise LoadError, "there is no resource type #{name}" unless type

      { 'properties' => type.properties.map { |one| one.name.to_s }, 'parameters' => type.parameters.map(&:to_s),
        'keys' => type.key_attributes.map(&:to_s), 'isomorphic' => type.isomorphic? ? true : false,
        'apply_to' => type.apply_to.to_s, 'patterns' => patterns(type) }
    end

    def self.patterns(type)
      type.title_patterns.map do |regex, parts|
        raise ArgumentError, 'its title patterns change what they find' if parts.any? { |part| !part[1].nil? }

        [regex.source, regex.options, parts.map { |part| part[0].to_s }]
      end
    end
  end
end



Kukla::Serve.run
