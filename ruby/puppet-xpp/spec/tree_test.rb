# frozen_string_literal: true

# Which `.xpp` file belongs to a manifest.
class TreeTest < Minitest::Test
  def setup
    @directory = World.environment(
      'environment.conf' => "modulepath = first:second:first/inner\n",
      'first/a/manifests/init.pp' => '',
      'second/a/manifests/init.pp' => '',
      'second/b/manifests/x/y.pp' => '',
      'second/environment/manifests/init.pp' => '',
      'first/inner/c/manifests/init.pp' => '',
      'manifests/site.pp' => '',
      'functions/environment/f.pp' => ''
    )
  end

  def test_modules
    assert_path 'a/manifests/init.xpp', 'first/a/manifests/init.pp'
    assert_path 'b/manifests/x/y.xpp', 'second/b/manifests/x/y.pp'
    assert_path 'c/manifests/init.xpp', 'first/inner/c/manifests/init.pp'
  end

  def test_the_environment_itself
    assert_path 'environment/manifests/site.xpp', 'manifests/site.pp'
    assert_path 'environment/functions/environment/f.xpp', 'functions/environment/f.pp'
  end

  def test_only_the_first_module_of_a_name
    assert_path nil, 'second/a/manifests/init.pp'
  end

  def test_a_module_called_environment_has_none
    assert_path nil, 'second/environment/manifests/init.pp'
  end

  def test_other_files
    assert_path nil, 'templates/x.epp'
    World.at(@directory) do
      assert_nil Puppet::Xpp::Tree.path_for('/elsewhere/site.pp')
      assert_nil Puppet::Xpp::Tree.path_for("#{@directory}x/site.pp")
      assert_nil Puppet::Xpp::Tree.path_for('')
      assert_nil Puppet::Xpp::Tree.path_for(nil)
    end
  end

  private

  def assert_path(expected, file)
    expected &&= "#{@directory}/.xpp/modules/#{expected}"
    World.at(@directory) do
      found = Puppet::Xpp::Tree.path_for("#{@directory}/#{file}")
      expected ? assert_equal(expected, found) : assert_nil(found)
    end
  end
end
