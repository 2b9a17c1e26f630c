# frozen_string_literal: true

require 'puppet/xpp/errors'
require 'puppet/xpp/model'

module Puppet
  module Xpp
    # Makes nodes of the numbers of a flat file, with code written from the table of classes.
    #
    # The numbers are a program for a stack: children first, then their parent
    # with its class, offset, length and one number for each attribute.
    module FlatBuilder
      # A variable together with its name: one node in six.
      VARIABLE = 200
      # The classes of nine nodes in ten. The others have a method of their own,
      # since JRuby compiles no method that is too long.
      COMMON = [10, 13, 23, 31, 34, 53, 58, 64, 65, 66, 67, 69, 74, 76].freeze
      SCOPE = 'code, i, stack, strings, source, locator, definitions'

      # Ruby's expressions for an attribute, given its number and its string.
      READ = {
        'name' => 'strings[%s]',
        'form' => 'strings[%s]',
        'title' => 'strings[%s].dup',
        'text' => 'FlatBuilder.text(strings[%s], source, code[i + 1])',
        'bool' => 'BOOLS[%s]',
        'flag' => 'BOOLS[%s]',
        'int' => 'Integer(strings[%s], 10)',
        'radix' => 'Integer(strings[%s], 10)',
        'float' => 'Float(strings[%s])',
        'regexp' => 'Regexp.new(strings[%s])',
        # It is what this Ruby shows, whatever the file says.
        'pattern' => 'a0.inspect'
      }.freeze
      BOOLS = [nil, false, true].freeze
      DOUBLE_QUOTE = 34

      # The value of a literal string.
      # Puppet leaves double-quoted ones open to change by functions, so they must be nobody else's.
      def self.text(string, source, offset)
        source.getbyte(offset) == DOUBLE_QUOTE ? string.dup : string
      end

      # The text of a heredoc is open to change as well, whatever it starts with.
      def self.open_heredoc(text)
        return unless text.instance_of?(::Puppet::Pops::Model::LiteralString)

        text.instance_variable_set(:@value, text.value.dup)
      end

      def self.rare_number(id)
        raise Corrupt, "it has a node of class #{id}"
      end

      # One `when` of the dispatch.
      def self.branch(shape)
        reads = shape.attributes.each_with_index.map { |(_, kind), at| [kind, "a#{at}", "code[i + #{at + 3}]"] }
        children, values = reads.partition { |kind, _, _| %w[node maybe list].include?(kind) }
        lines = children.reverse.map { |read| child(*read) } + values.map { |read| value(*read) }
        lines << 'FlatBuilder.open_heredoc(a0)' if shape.name == 'HeredocExpression'
        lines << node(shape, reads.map { |_, name, _| name })
        "when #{shape.id}\n#{lines.join("\n")}\ni += #{reads.size + 3}\n"
      end

      # Children lie on the stack, the last one on top.
      def self.child(kind, name, number)
        case kind
        when 'list' then "#{name} = stack.pop(#{number})"
        when 'node' then "#{name} = stack.pop"
        else "#{name} = #{number} == 1 ? stack.pop : nil"
        end
      end

      def self.value(kind, name, number)
        "#{name} = #{READ.fetch(kind) % number}"
      end

      def self.node(shape, arguments)
        made = "::Puppet::Pops::Model::#{shape.name}.allocate.xpp_fill(#{['locator, code[i + 1], code[i + 2]', *arguments].join(', ')})"
        shape.definition? ? "node = #{made}\ndefinitions.push(node)\nstack.push(node)" : "stack.push(#{made})"
      end

      common, rare = Model::SHAPES.partition { |shape| COMMON.include?(shape.id) }

      module_eval(<<-RUBY, __FILE__, __LINE__ + 1)
        # Runs the whole program; what is on the stack then is the tree.
        def self.build(code, strings, source, locator, definitions)
          stack = []
          i = 0
          size = code.size
          while i < size
            case code[i]
            when #{VARIABLE}
              name = ::Puppet::Pops::Model::QualifiedName.allocate.xpp_fill(locator, code[i + 3], code[i + 4], strings[code[i + 5]])
              stack.push(::Puppet::Pops::Model::VariableExpression.allocate.xpp_fill(locator, code[i + 1], code[i + 2], name))
              i += 6
            #{common.map { |shape| branch(shape) }.join}
            else i = rare(#{SCOPE})
            end
          end
          stack
        end

        # Makes one node of a rare class and says where the next one starts.
        def self.rare(#{SCOPE})
          case code[i]
          #{rare.map { |shape| branch(shape) }.join}
          else rare_number(code[i])
          end
          i
        end
      RUBY

      private_class_method :branch, :child, :value, :node, :rare, :rare_number
    end
  end
end
