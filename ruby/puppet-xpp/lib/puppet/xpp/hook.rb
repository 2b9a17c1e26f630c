# frozen_string_literal: true

require 'puppet/xpp/document'
require 'puppet/xpp/switch'
require 'puppet/xpp/tree'

module Puppet
  module Xpp
    # Stands before Puppet's parser and answers from `.xpp` files.
    #
    # All manifests come through these two methods: classes, defined types and
    # main manifests by file, functions and type aliases by text and path.
    module Hook
      def parse_file(file)
        (Switch.on?(self) && Hook.load(file, nil)) || super
      end

      def parse_string(text, file_source = nil)
        (file_source && Switch.on?(self) && Hook.load(file_source, text)) || super
      end

      # The program of `file`, or nil where it has to be parsed.
      def self.load(file, text)
        path = Tree.path_for(file)
        return nil unless path && File.exist?(path)

        program = Document.load(path, file, text || File.binread(file).force_encoding(Encoding::UTF_8))
        ::Puppet.debug { "XPP: loaded #{path}" }
        program
      rescue Unusable => e
        ::Puppet.debug { "XPP: #{path} is not used: #{e.message}; parsing #{file}" }
        nil
      rescue StandardError, SystemStackError, NoMemoryError => e
        complain(path, file, e)
      end

      # Logs a broken file once in the life of the process.
      def self.complain(path, file, error)
        @complained ||= {}
        unless @complained[path]
          @complained[path] = true
          ::Puppet.warning("XPP: cannot load #{path || '.xpp'}: #{error.message}; parsing #{file}")
        end
        nil
      end
    end
  end
end
