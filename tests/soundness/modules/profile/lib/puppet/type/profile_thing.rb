Puppet::Type.newtype(:profile_thing) do
  ensurable
  newparam(:name, :namevar => true)
  newproperty(:level)
end
