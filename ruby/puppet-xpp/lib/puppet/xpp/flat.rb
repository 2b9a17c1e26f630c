# frozen_string_literal: true

require 'zlib'
require 'puppet/xpp/errors'
require 'puppet/xpp/flat_builder'

module Puppet
  module Xpp
    # The fast encoding, `XPF1`: a header, numbers, and the strings they speak of.
    module Flat
      MAGIC = 'XPF1'
      HEADER = 36
      LENGTH_PREFIXED = 1
      WITH_SOURCE = 2
      # What follows the rest is for Kukla only.
      WITH_SECTION = 4

      Header = Struct.new(:magic, :width, :flags, :model, :source_bytes, :source_crc32,
                          :n_code, :n_lines, :n_strings, :blob_bytes, :diagnostics_bytes) do
        def payload_bytes
          HEADER + n_code * width + n_lines * 4 + blob_bytes + diagnostics_bytes +
            ((flags & WITH_SOURCE).zero? ? 0 : source_bytes)
        end
      end

      # The program of `bytes` from `start` on.
      def self.load(bytes, start, file, source)
        header = Header.new(*bytes.unpack("@#{start}a4CCvV7"))
        check(header, bytes.bytesize - start)
        check_source(header, source)
        code_at = start + HEADER
        lines_at = code_at + header.n_code * header.width
        lines = bytes.unpack("@#{lines_at}V#{header.n_lines}").freeze
        locator = ::Puppet::Pops::Parser::Locator::Locator19.new(source, file, lines)
        code = bytes.unpack("@#{code_at}#{header.width == 2 ? 'v' : 'V'}#{header.n_code}")
        program(locator, code, strings(bytes, lines_at + header.n_lines * 4, header), source)
      end

      def self.check(header, size)
        raise Corrupt, 'it is no XPF1' unless header.magic == MAGIC && size >= HEADER
        raise Corrupt, "its syntax tree is of model #{header.model}; only 1 is known" unless header.model == 1
        raise Corrupt, 'its header is damaged' unless [2, 4].include?(header.width) && header.flags < 8
        return if header.payload_bytes == size
        return if header.payload_bytes < size && header.flags & WITH_SECTION != 0

        raise Corrupt, "it has #{size} bytes instead of #{header.payload_bytes}"
      end
      private_class_method :check

      def self.check_source(header, source)
        unless header.source_bytes == source.bytesize && header.source_crc32 == Zlib.crc32(source)
          raise Unusable, 'it is out of date'
        end
        raise Unusable, 'it has diagnostics' unless header.diagnostics_bytes.zero?
      end
      private_class_method :check_source

      # The table of strings; 0 stands for none.
      # All are frozen as Puppet's lexer freezes names; who needs another takes a copy.
      def self.strings(bytes, start, header)
        blob = bytes.byteslice(start, header.blob_bytes)
        table = (header.flags & LENGTH_PREFIXED).zero? ? split(blob, header.n_strings) : cut(blob, header.n_strings)
        raise Corrupt, 'its strings are damaged' unless table.size == header.n_strings

        table.each(&:freeze).unshift(nil)
      end
      private_class_method :strings

      # Strings with a NUL between two. Nothing splits into nothing; it may also be one empty string.
      def self.split(blob, count)
        check_text(blob)
        blob.empty? && count == 1 ? [+''] : blob.split("\0", -1)
      end
      private_class_method :split

      # All lengths, then all strings.
      def self.cut(blob, count)
        raise Corrupt, 'its strings are damaged' if count * 4 > blob.bytesize

        text = check_text(blob.byteslice(count * 4, blob.bytesize))
        position = 0
        blob.unpack("V#{count}").map do |length|
          position += length
          text.byteslice(position - length, length) || raise(Corrupt, 'its strings are damaged')
        end
      end
      private_class_method :cut

      def self.check_text(text)
        text.force_encoding(Encoding::UTF_8)
        raise Corrupt, 'its strings are not UTF-8' unless text.valid_encoding?

        text
      end
      private_class_method :check_text

      def self.program(locator, code, strings, source)
        definitions = []
        stack = FlatBuilder.build(code, strings, source, locator, definitions)
        raise Corrupt, 'its nodes do not form a tree' unless stack.size == (code.empty? ? 0 : 1)

        ::Puppet::Pops::Model::Program.allocate.xpp_fill(locator, stack[0], definitions)
      end
      private_class_method :program
    end
  end
end
