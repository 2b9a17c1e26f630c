module Puppet::Parser::Functions
  newfunction(:old_style, :type => :rvalue) do |args|
    "old #{args[0]} #{lookupvar('kernel')}"
  end
end
