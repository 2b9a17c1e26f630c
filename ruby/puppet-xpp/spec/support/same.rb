# frozen_string_literal: true

# Compares two syntax trees in all that anybody could see, and names the first difference.
#
# Puppet's own `==` leaves out positions.
class Same
  MODEL = Puppet::Pops::Model
  PARSING = Puppet::Pops::Parser

  # Values that the language never hands out: names of variables and nodes, operators, and the pieces
  # of interpolated strings and templates. Whether they are frozen is nobody's business.
  INSIDE = %r{(?:segments|host_matches)\[\d+\]/LiteralString\.value\z|RenderStringExpression\.value\z|\.operator\z|\.form\z|\.syntax\z|VariableExpression\.expr/QualifiedName\.value\z}.freeze
  # Computed or compared once, for the whole tree.
  ASIDE = %i[@hash @locator].freeze

  # The first difference as text, or nil.
  # Unless `exact`, strings of the same characters are the same, whatever their encoding and whether they are frozen.
  def self.difference(one, two, exact: true)
    new(exact).difference(one, two) || (stray_definition(two) && 'a definition is not in the tree')
  end

  # Definitions must be the very nodes of the tree.
  def self.stray_definition(program)
    known = {}.compare_by_identity
    program.body&._pcore_all_contents([]) { |node, _| known[node] = true }
    known[program.body] = true
    program.definitions.find { |definition| !known.key?(definition) }
  end
  private_class_method :stray_definition

  def initialize(exact)
    @exact = exact
    @path = []
    @seen = {}.compare_by_identity
  end

  def difference(one, two)
    return "#{path}: #{one.class} and #{two.class}" unless one.instance_of?(two.class)

    case one
    when MODEL::PopsObject then of_nodes(one, two)
    when Array then of_lists(one, two)
    when String then of_strings(one, two)
    else "#{path}: #{one.inspect} and #{two.inspect}" unless one.eql?(two)
    end
  end

  private

  def path
    "program#{@path.join}"
  end

  def inside(step)
    @path.push(step)
    yield
  ensure
    @path.pop
  end

  # Definitions come twice: where they stand, and in the program's list.
  def of_nodes(one, two)
    return if @seen[one].equal?(two)

    @seen[one] = two
    inside("/#{one.class.name.split('::').last}") do
      # Puppet gives its nodes no other variables than those of their class.
      names = (one.instance_variables | two.instance_variables) - ASIDE
      first(names) { |name| inside(".#{name[1..-1]}") { difference(one.instance_variable_get(name), two.instance_variable_get(name)) } } ||
        ("#{path}: hash" unless one.hash == two.hash) || ("#{path}: locator" unless same_locator?(one.locator, two.locator))
    end
  end

  # There is one locator in each tree.
  def same_locator?(one, two)
    return one.equal?(@locators[0]) && two.equal?(@locators[1]) if @locators

    @locators = [one, two]
    one.eql?(two) && one.line_index == two.line_index && one.instance_of?(two.class)
  end

  def of_lists(one, two)
    return "#{path}: #{one.size} and #{two.size} elements" unless one.size == two.size

    first(one.each_index) { |index| inside("[#{index}]") { difference(one[index], two[index]) } }
  end

  def of_strings(one, two)
    return "#{path}: frozen #{one.frozen?} and #{two.frozen?}" if @exact && one.frozen? != two.frozen? && !path.match?(INSIDE)
    return if one == two && (one.encoding == two.encoding || any_encoding?(one))

    "#{path}: #{one.inspect} (#{one.encoding}) and #{two.inspect} (#{two.encoding})"
  end

  # A heredoc without lines is ASCII and one with an empty line UTF-8: of no characters, that says nothing.
  # Names of classes and defined types are ASCII; Puppet says so of some and UTF-8 of others.
  def any_encoding?(string)
    !@exact || string.empty? || path.end_with?('Definition.name')
  end

  def first(list)
    list.each do |item|
      found = yield item
      return found if found
    end
    nil
  end
end
