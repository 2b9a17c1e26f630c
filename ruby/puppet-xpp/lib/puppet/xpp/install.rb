# frozen_string_literal: true

require 'puppet/xpp/errors'
require 'puppet/xpp/hook'
require 'puppet/xpp/shapes'

module Puppet
  module Xpp
    SETTING = {
      default: false,
      type: :boolean,
      desc: 'Whether manifests are loaded from the `.xpp` directory of their environment, ' \
            'where `kukla xpp build` left them parsed and validated.'
    }.freeze

    # Defines the setting and puts the hook into Puppet's parser. Once is enough; twice does no harm.
    def self.install
      parser = ::Puppet::Pops::Parser::EvaluatingParser
      return if parser.ancestors.include?(Hook)

      ::Puppet.settings.define_settings(:main, xpp: SETTING.dup) unless ::Puppet.settings.setting(:xpp)
      return strange_model unless Shapes.known?

      Shapes.define
      parser.prepend(Hook)
    end

    def self.strange_model
      ::Puppet.warning("XPP: the syntax tree of Puppet #{::Puppet.version} is unknown; all manifests are parsed")
    end
    private_class_method :strange_model
  end
end
