Puppet::Functions.create_function(:shared) do
  dispatch :shared do
    param 'String', :name
  end

  def shared(name)
    "shared #{name}"
  end
end
