# frozen_string_literal: true

require 'puppet/xpp/errors'
require 'puppet/xpp/flat_builder'
require 'puppet/xpp/model'

module Puppet
  module Xpp
    # The interchange encodings: Pcore's tabulating stream, whichever way its tokens are packed.
    #
    # Tokens are plain values; `EXTENSION` announces one of the codes below and its numbers.
    class Stream
      EXTENSION = Object.new.freeze
      INNER = 0x00
      OUTER = 0x01
      ARRAY = 0x10
      OBJECT = 0x12
      REGEXP = 0x30
      SHAPES = Model::SHAPES.map { |shape| ["Puppet::AST::#{shape.name}", shape] }.to_h.freeze

      # The start of an object: its class by name and how many attributes follow.
      Start = Struct.new(:name, :count)

      def self.tokens(encoding, payload)
        if encoding == 'json'
          require 'puppet/xpp/json'
          Json.tokens(payload)
        else
          require 'puppet/xpp/msgpack'
          Msgpack.tokens(payload)
        end
      end

      def initialize(tokens, file, source)
        @tokens = tokens
        @file = file
        @source = source
        @at = 0
        # Strings, names and starts of objects that come again by number.
        @inner = []
        # Lists and objects that come again by number.
        @outer = []
      end

      def program
        program = read
        raise Corrupt, 'it holds no program' unless program.is_a?(::Puppet::Pops::Model::Program) && @at == @tokens.size

        program
      end

      private

      def read
        token = take
        return extension(take) if token.equal?(EXTENSION)

        token.is_a?(String) ? remember(token.freeze) : token
      end

      def take
        raise Corrupt, 'it ends too early' if @at >= @tokens.size

        token = @tokens[@at]
        @at += 1
        token
      end

      def remember(value)
        @inner.push(value)
        value
      end

      def extension(code)
        case code
        when INNER then again(known(@inner, take))
        when OUTER then known(@outer, take)
        when ARRAY then list(count(take))
        when OBJECT then object(remember(Start.new(qualified_name, count(take))))
        when REGEXP then @outer.push(remember(Regexp.new(take))).last
        else raise Corrupt, "it has an extension #{code.inspect}"
        end
      end

      def again(value)
        case value
        when Start then object(value)
        when Regexp then @outer.push(value).last
        else value
        end
      end

      def known(table, index)
        raise Corrupt, 'it refers to what it does not have' unless index.is_a?(Integer) && index >= 0 && index < table.size

        table[index]
      end

      def count(number)
        raise Corrupt, 'it counts wrongly' unless number.is_a?(Integer) && number >= 0 && number <= @tokens.size

        number
      end

      # Inside a name a number is a segment that was there before.
      def qualified_name
        Array.new(count(take)) do
          segment = take
          segment.is_a?(Integer) ? known(@inner, segment) : remember(segment)
        end.join('::')
      end

      def list(size)
        list = []
        @outer.push(list)
        size.times { list.push(read) }
        list
      end

      # Its place in the table comes before those of its attributes.
      def object(start)
        index = @outer.size
        @outer.push(nil)
        attributes = Array.new(start.count) { read }
        @outer[index] = make(start.name, attributes)
      end

      def make(name, attributes)
        case name
        when 'Puppet::AST::Locator' then locator(*attributes)
        when 'Puppet::AST::Program' then whole(*attributes)
        else node(SHAPES[name] || raise(Corrupt, "it has an object of type #{name.inspect}"), attributes)
        end
      end

      # The path in the file is where it was built. Puppet finds a module's private functions by the path it asked for.
      def locator(string, _file, lines = nil)
        raise Corrupt, 'it has no source' unless string.is_a?(String)
        raise Unusable, 'it is out of date' unless string == @source

        ::Puppet::Pops::Parser::Locator::Locator19.new(@source, @file, lines && lines.dup.freeze)
      end

      def whole(locator, body = nil, definitions = [])
        ::Puppet::Pops::Model::Program.allocate.xpp_fill(locator, body, definitions)
      end

      def node(shape, attributes)
        places = attributes.shift(3)
        raise Corrupt, "#{shape.name} has too many attributes" if attributes.size > shape.attributes.size

        values = shape.attributes.each_with_index.map do |(_, kind), index|
          index < attributes.size ? value(kind, attributes[index], places[1]) : missing(kind)
        end
        finish(shape, places, values)
      end

      def finish(shape, places, values)
        FlatBuilder.open_heredoc(values[0]) if shape.name == 'HeredocExpression'
        values[1] = values[0].inspect if shape.name == 'LiteralRegularExpression'
        shape.ruby_class.allocate.xpp_fill(*places, *values)
      end

      def value(kind, value, offset)
        case kind
        when 'text' then FlatBuilder.text(value, @source, offset)
        when 'title' then value.dup
        else value
        end
      end

      # Defaults at the end of an object are left out.
      def missing(kind)
        kind == 'list' ? [] : Model::DEFAULTS[kind]
      end
    end
  end
end
