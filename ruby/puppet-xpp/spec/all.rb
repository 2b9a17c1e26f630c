# frozen_string_literal: true

# Runs every test: `ruby -Ilib spec/all.rb`.
$LOAD_PATH.unshift(File.expand_path('../lib', __dir__), File.expand_path('support', __dir__))
require 'world'
# Behind `world`, which cleans up when all tests are done.
require 'minitest/autorun'
Dir[File.expand_path('*_test.rb', __dir__)].sort.each { |file| require file }
