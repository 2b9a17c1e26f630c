# frozen_string_literal: true

require 'puppet/indirector/catalog/compiler'
require 'puppet/xpp'

# Puppet's own compiler under another name.
# Who names it in routes.yaml has the plugin loaded before the first manifest.
class Puppet::Resource::Catalog::XppCompiler < Puppet::Resource::Catalog::Compiler
  desc 'Compiles catalogs as `compiler` does, and loads manifests from .xpp files where the setting `xpp` is on.'
end
