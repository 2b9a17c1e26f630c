# frozen_string_literal: true

# Lets Puppet load manifests that were parsed and validated before.
#
# Where the setting `xpp` is on, a manifest is taken from the environment's
# `.xpp` directory instead of being parsed. Whatever is missing, out of date or
# broken there is parsed from its source, so that results never change.

# RUBYOPT loads this file into every Ruby program.
# Only the `puppet` command shall pay for loading Puppet there.
require 'puppet' if !defined?(Puppet) && File.basename($PROGRAM_NAME) == 'puppet'

if defined?(Puppet::Pops::Parser::EvaluatingParser)
  require 'puppet/xpp/install'
  Puppet::Xpp.install
end
