# frozen_string_literal: true

require 'puppet/indirector/catalog/compiler'

# Puppet Server finds this file in a module whose `lib` it does not put on the load path.
lib = File.expand_path('../../..', __dir__)
$LOAD_PATH.unshift(lib) unless $LOAD_PATH.include?(lib)
require 'puppet/xpp'

# Puppet's own compiler under another name.
# Who names it in routes.yaml has the plugin loaded before the first manifest.
class Puppet::Resource::Catalog::XppCompiler < Puppet::Resource::Catalog::Compiler
  desc 'Compiles catalogs as `compiler` does, and loads manifests from .xpp files where the setting `xpp` is on.'
end
