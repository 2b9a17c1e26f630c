# What a worker is asked for by the tests.
Puppet::Functions.create_function(:'m::tools') do
  local_types { type 'Small = Integer[0, 9]' }

  dispatch :twice do
    param 'Small', :number
    return_type 'Integer'
  end

  dispatch :each_one do
    param 'Array', :items
    required_block_param 'Callable[1]', :block
  end

  dispatch :act do
    param 'String', :what
    repeated_param 'Any', :args
  end

  def twice(number) = number * 2
  def each_one(items, &block) = items.map { |item| block.call(item) }

  def act(what, *args)
    scope = closure_scope
    case what
    when 'var' then scope[args[0]]
    when 'call' then call_function(*args)
    when 'block' then call_function('host_each', args[0]) { |x| x + 1 }
    when 'loop' then loop { nil }
    when 'exit' then exit!(3)
    when 'raise' then raise ArgumentError, args[0]
    when 'print' then puts('to nobody') || 'printed'
    when 'big' then 2**80
    when 'bytes' then "\xff\xfe".b
    when 'echo' then args[0]
    when 'class' then Comparable
    when 'resource' then scope.findresource(args[0])[:mode]
    when 'set' then scope.setvar(*args)
    when 'flood' then loop { scope['x'] }
    when 'const' then Object.const_defined?(args[0]) || (Object.const_set(args[0], 1) && false)
    end
  end
end
