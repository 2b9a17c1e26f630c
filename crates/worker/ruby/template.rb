# The object that a template is evaluated in; its class is Puppet's, real or not.
module Kukla
  def self.template_class
    require 'erb'
    Class.new(Puppet::Parser::TemplateWrapper) do
      def self.name = 'Puppet::Parser::TemplateWrapper'
      define_method(:initialize) { |path| @__file__ = path }
      def scope = Kukla.scope
      def file = @__file__
      def has_variable?(name) = scope.include?(name.to_s)
      def classes = scope.catalog.classes
      def all_tags = scope.catalog.tags
      def tags = raise(NotImplementedError, "Call 'all_tags' instead.")
      def to_s = "template[#{@__file__ || 'inline'}]"

      def kukla_render(text)
        @__taken__ = kukla_variables(text).transform_keys { |name| name.gsub(/[^\w]/, '_') }
        @__before__ = @__taken__.transform_values { |value| kukla_copy(value) }
        @__taken__.each { |name, value| instance_variable_set("@#{name}", value) }
        erb = ERB.new(text, trim_mode: '-')
        erb.filename = @__file__
        erb.result(kukla_binding)
      end

      def kukla_binding = binding

      # Those that it names; all if it may look for others.
      def kukla_variables(text)
        return Kukla.ask('vars') if text.match?(/instance_variable|binding|eval/)

        Kukla.ask('ivars', text.scan(/@(\w+)/).flatten.uniq)
      end

      # Arrays and hashes that were changed in place: in Puppet they are the variables' own.
      def kukla_changed = @__taken__.select { |name, value| value.respond_to?(:each) && value != @__before__[name] }

      # Arrays and hashes within others are copied too.
      def kukla_copy(value)
        case value
        when Array then value.map { |item| kukla_copy(item) }
        when Hash then value.transform_values { |item| kukla_copy(item) }
        else value
        end
      end

      %w[debug info notice warning err alert emerg crit].each do |level|
        define_method(level) { |message| Kukla.ask('log_from', level, message.to_s, to_s) }
      end
    end
  end
end
