# frozen_string_literal: true

module Puppet
  module Xpp
    # Decides whether a parser may answer from `.xpp` files at all.
    module Switch
      # `tasks` has more keywords and other checks than those the files were built with.
      # Templates have a parser of their own, a subclass.
      def self.on?(parser)
        ::Puppet[:xpp] && !::Puppet[:tasks] &&
          parser.instance_of?(::Puppet::Pops::Parser::EvaluatingParser) && !validating?
      end

      # Is this `puppet parser validate`, or something that calls it as a library?
      #
      # Its face is rarely loaded; only then the costly look at the call stack is needed.
      def self.validating?
        return false unless defined?(::Puppet::Interface::FaceCollection)
        return false unless ::Puppet::Interface::FaceCollection.get_face(:parser, :current)

        caller_locations.any? { |location| location.base_label == 'validate_manifest' }
      end
      private_class_method :validating?
    end
  end
end
