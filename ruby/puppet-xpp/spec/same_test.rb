# frozen_string_literal: true

require 'edges'

# The comparison of trees would be worth nothing if it missed a difference.
class SameTest < Minitest::Test
  def test_the_same_text_has_the_same_tree
    each_edge { |source| assert_nil Same.difference(parse(source), parse(source)) }
  end

  # One attribute of one node after the other becomes something else.
  def test_every_changed_attribute_is_found
    each_edge do |source|
      next if source.bytesize > 5000

      expected = parse(source)
      changes(parse(source)) { |program, what| assert Same.difference(expected, program), what }
    end
  end

  def test_another_path_and_other_lines
    one = parse("notice(1)\n")
    refute_nil Same.difference(one, Edges.parse(+"notice(1)\n", '/elsewhere.pp'))
    refute_nil Same.difference(one, parse("notice(1)\n\n"))
  end

  def test_a_definition_that_is_a_copy
    one, two = Array.new(2) { parse("class a { }\n") }
    two.definitions[0] = two.definitions[0].dup
    assert_match(/definition/, Same.difference(one, two))
  end

  def test_strings_that_can_be_changed
    one, two = Array.new(2) { parse('notice("a")') }
    two.body.arguments[0].value.freeze
    refute_nil Same.difference(one, two)
    assert_nil Same.difference(one, two, exact: false)
  end

  private

  def each_edge(&block)
    Edges::SOURCES.each_value(&block)
  end

  def parse(source)
    Edges.parse(source.dup, '/somewhere/edge.pp')
  end

  def changes(program)
    nodes = [program]
    program._pcore_all_contents([]) { |node, _| nodes << node if node.is_a?(Puppet::Pops::Model::PopsObject) }
    nodes.uniq(&:object_id).each do |node|
      (node.instance_variables - %i[@hash @locator]).each do |name|
        before = node.instance_variable_get(name)
        node.instance_variable_set(name, other(before))
        yield program, "#{node.class}#{name}"
        node.instance_variable_set(name, before)
      end
    end
  end

  def other(value)
    case value
    when Integer, Float then value + 1
    when String then "#{value}x"
    when Regexp then /#{value.source}x/
    when Array then value + [nil]
    when true, false, nil then value ? false : 1
    else nil
    end
  end
end
