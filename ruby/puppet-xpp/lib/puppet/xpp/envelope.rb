# frozen_string_literal: true

require 'zlib'
require 'puppet/xpp/errors'

module Puppet
  module Xpp
    # The lines before the payload: a media type with parameters, then a blank line.
    module Envelope
      PATTERN = %r{\Aapplication/vnd\.puppet\.pcore\+([\w-]+)((?:\s*;\s*[\w-]+\s*=\s*[\w-]+)*)[ \t]*\r?\n\r?\n}n.freeze
      PARAMETER = /([\w-]+)\s*=\s*([\w-]+)/n.freeze
      # Longer ones are nobody's.
      LIMIT = 4096

      # The encoding and the place where the payload starts.
      def self.read(bytes)
        match = PATTERN.match(bytes.byteslice(0, LIMIT)) || raise(Corrupt, 'it does not start with an XPP envelope')
        parameters = match[2].scan(PARAMETER).to_h
        check(parameters)
        start = match.end(0)
        check_payload(bytes, start, parameters['crc32'])
        [match[1], start]
      end

      def self.check(parameters)
        type = parameters['document-type']
        raise Corrupt, "its document type is #{type.inspect}, not xpp" unless type == 'xpp'

        version = parameters['version']
        raise Corrupt, "its version is #{version.inspect}; only 1 is known" unless version == '1'
      end
      private_class_method :check

      # Without a checksum a changed byte could give another tree, and so another catalog.
      def self.check_payload(bytes, start, expected)
        raise Corrupt, 'it has no checksum' unless expected

        found = Zlib.crc32(bytes.byteslice(start, bytes.bytesize - start))
        raise Corrupt, 'its checksum does not fit' unless expected.match?(/\A\h{8}\z/) && found == expected.hex
      end
      private_class_method :check_payload
    end
  end
end
