# A function of the old kind.
module Puppet::Parser::Functions
  newfunction(:old_one, :type => :rvalue, :arity => -2) do |args|
    return 'early' if args[0] == 'early'

    args.map { |arg| arg == '' ? lookupvar('x') : arg.to_s.upcase }.join(',')
  end
end
