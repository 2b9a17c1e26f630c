# frozen_string_literal: true

require 'json'
require 'puppet/xpp/stream'

module Puppet
  module Xpp
    # The stream packed as JSON: an extension is a list that starts with its code.
    #
    # What else is in such a list just goes on with the stream, so that nesting means nothing.
    module Json
      def self.tokens(payload)
        tokens = []
        open = [[::JSON.parse(payload.force_encoding(Encoding::UTF_8), max_nesting: false), 0]]
        walk(open, tokens) until open.empty?
        tokens
      rescue ::JSON::ParserError
        raise Corrupt, 'it is no JSON'
      end

      # Goes on with the innermost list that is open.
      def self.walk(open, tokens)
        list, index = open.last
        return open.pop if index == list.size

        open.last[1] += 1
        item = list[index]
        return tokens.push(item) unless item.is_a?(Array)

        tokens.push(Stream::EXTENSION)
        open.push([item, 0])
      end
      private_class_method :walk
    end
  end
end
