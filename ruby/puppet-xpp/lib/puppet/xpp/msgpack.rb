# frozen_string_literal: true

require 'puppet/xpp/stream'

module Puppet
  module Xpp
    # The stream packed as MessagePack, as much of it as a syntax tree needs.
    #
    # An extension holds its numbers; what belongs to it follows in the stream.
    class Msgpack
      # First byte → how `unpack` reads the number behind it, and its size.
      NUMBERS = {
        0xca => ['g', 4], 0xcb => ['G', 8],
        0xcc => ['C', 1], 0xcd => ['n', 2], 0xce => ['N', 4], 0xcf => ['Q>', 8],
        0xd0 => ['c', 1], 0xd1 => ['s>', 2], 0xd2 => ['l>', 4], 0xd3 => ['q>', 8]
      }.freeze
      CONSTANTS = { 0xc0 => nil, 0xc2 => false, 0xc3 => true }.freeze
      # First byte → the size of the length behind it.
      STRINGS = { 0xd9 => ['C', 1], 0xda => ['n', 2], 0xdb => ['N', 4] }.freeze
      EXTENSIONS = { 0xc7 => ['C', 1], 0xc8 => ['n', 2], 0xc9 => ['N', 4] }.freeze
      FIXED_EXTENSIONS = { 0xd4 => 1, 0xd5 => 2, 0xd6 => 4, 0xd7 => 8, 0xd8 => 16 }.freeze

      def self.tokens(payload)
        new(payload).tokens
      end

      def initialize(bytes)
        @bytes = bytes
        @at = 0
        @tokens = []
      end

      def tokens
        token(@bytes.getbyte(skip(1))) while @at < @bytes.bytesize
        @tokens
      end

      private

      # An extension's payload is more of the same, and as long as it says:
      # it is enough to announce it and go on.
      def token(byte)
        if byte < 0x80 then @tokens.push(byte)
        elsif byte >= 0xe0 then @tokens.push(byte - 0x100)
        elsif byte >= 0xa0 && byte < 0xc0 then string(byte - 0xa0)
        elsif FIXED_EXTENSIONS.key?(byte) then extension(FIXED_EXTENSIONS[byte])
        else rare(byte)
        end
      end

      def rare(byte)
        if STRINGS.key?(byte) then string(number(*STRINGS[byte]))
        elsif EXTENSIONS.key?(byte) then extension(number(*EXTENSIONS[byte]))
        elsif NUMBERS.key?(byte) then @tokens.push(number(*NUMBERS[byte]))
        elsif CONSTANTS.key?(byte) then @tokens.push(CONSTANTS[byte])
        else raise Corrupt, format('it has a MessagePack type 0x%02x', byte)
        end
      end

      def number(format, size)
        @bytes.unpack("@#{skip(size)}#{format}").first
      end

      def string(size)
        text = @bytes.byteslice(skip(size), size).force_encoding(Encoding::UTF_8)
        raise Corrupt, 'its strings are not UTF-8' unless text.valid_encoding?

        @tokens.push(text)
      end

      def extension(size)
        code = @bytes.getbyte(skip(1))
        ending = @at + size
        @tokens.push(Stream::EXTENSION, code)
        token(@bytes.getbyte(skip(1))) while @at < ending
        raise Corrupt, 'an extension is longer than it says' unless @at == ending
      end

      # Where the next `size` bytes start; they are taken.
      def skip(size)
        start = @at
        @at += size
        raise Corrupt, 'it ends too early' if @at > @bytes.bytesize

        start
      end
    end
  end
end
