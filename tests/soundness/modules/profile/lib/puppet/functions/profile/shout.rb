Puppet::Functions.create_function(:'profile::shout') do
  dispatch :shout do
    param 'String', :text
  end

  def shout(text)
    call_function('profile::twice', 2).to_s + text.upcase
  end
end
