# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = 'puppet-xpp'
  spec.version = '0.1.0'
  spec.summary = 'Lets Puppet load manifests that were parsed and validated before'
  spec.authors = ['The Kukla authors']
  spec.licenses = ['MIT', 'Apache-2.0']
  spec.required_ruby_version = '>= 2.5'
  spec.files = Dir['lib/**/*.rb'] + %w[README.md metadata.json bin/puppet-xpp bin/xpp-postrun]
end
