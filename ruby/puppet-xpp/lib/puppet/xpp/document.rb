# frozen_string_literal: true

require 'puppet/xpp/envelope'
require 'puppet/xpp/flat'

module Puppet
  module Xpp
    # One `.xpp` file.
    module Document
      # The program that `path` holds for the manifest `file` with the text `source`.
      #
      # Raises `Unusable` where it was made for another text, and anything else where it is broken.
      def self.load(path, file, source)
        read(File.binread(path), file, source)
      end

      # The same with the file's bytes.
      def self.read(bytes, file, source)
        encoding, start = Envelope.read(bytes)
        case encoding
        when 'flat' then Flat.load(bytes, start, file, source)
        when 'json', 'msgpack' then load_stream(encoding, bytes.byteslice(start, bytes.bytesize), file, source)
        else raise Corrupt, "its encoding #{encoding.inspect} is unknown"
        end
      end

      # The interchange encodings are rare; their readers are loaded when they are met.
      def self.load_stream(encoding, payload, file, source)
        require 'puppet/xpp/stream'
        Stream.new(Stream.tokens(encoding, payload), file, source).program
      end
      private_class_method :load_stream
    end
  end
end
