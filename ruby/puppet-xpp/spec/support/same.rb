# frozen_string_literal: true

# Compares two syntax trees in all that anybody could see, and names the first difference.
#
# Puppet's own `==` leaves out positions.
module Same
  MODEL = Puppet::Pops::Model
  PARSING = Puppet::Pops::Parser

  INSIDE = %r{(?:segments|host_matches)\[\d+\]/LiteralString\.value\z|RenderStringExpression\.value\z|\.operator\z|\.form\z|\.syntax\z|VariableExpression\.expr/QualifiedName\.value\z}.freeze

  # The first difference as text, or nil.
  def self.difference(one, two, path = 'program')
    return "#{path}: #{one.class} and #{two.class}" unless one.instance_of?(two.class)
    return "#{path}: frozen #{one.frozen?} and #{two.frozen?}" unless one.frozen? == two.frozen? || !watched?(path)

    case one
    when MODEL::PopsObject then of_nodes(one, two, path)
    when PARSING::Locator then of_locators(one, two, path)
    when Array then of_lists(one, two, path)
    when String then of_strings(one, two, path)
    else "#{path}: #{one.inspect} and #{two.inspect}" unless one.eql?(two)
    end
  end

  # Definitions must be the very nodes of the tree.
  def self.stray_definition(program)
    known = {}.compare_by_identity
    program.body&._pcore_all_contents([]) { |node, _| known[node] = true }
    known[program.body] = true
    program.definitions.find { |definition| !known.key?(definition) }
  end

  # Values that the language hands out. Names of variables and nodes, operators and the pieces of
  # interpolated strings and templates stay inside.
  def self.watched?(path)
    !path.match?(INSIDE)
  end

  def self.of_nodes(one, two, path)
    names = (one.instance_variables | two.instance_variables) - %i[@hash @locator]
    path = "#{path}/#{one.class.name.split('::').last}"
    names.each do |name|
      found = difference(one.instance_variable_get(name), two.instance_variable_get(name), "#{path}.#{name[1..-1]}")
      return found if found
    end
    return "#{path}: hash" unless one.hash == two.hash
    return "#{path}: locator" unless one.locator.eql?(two.locator)

    nil
  end

  def self.of_locators(one, two, path)
    "#{path}: locator" unless one.eql?(two)
  end

  def self.of_lists(one, two, path)
    return "#{path}: #{one.size} and #{two.size} elements" unless one.size == two.size

    one.each_index do |index|
      found = difference(one[index], two[index], "#{path}[#{index}]")
      return found if found
    end
    nil
  end

  # Names of classes and defined types are ASCII; Puppet says so of some and UTF-8 of others.
  def self.of_strings(one, two, path)
    return if one == two && (one.encoding == two.encoding || path.end_with?('Definition.name'))

    "#{path}: #{one.inspect} (#{one.encoding}) and #{two.inspect} (#{two.encoding})"
  end
end
