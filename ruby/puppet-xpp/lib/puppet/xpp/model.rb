# frozen_string_literal: true

module Puppet
  module Xpp
    # Puppet's syntax tree as a table: number, class, and what its constructor
    # takes after locator, offset and length.
    #
    # Kinds: `node` a node, `maybe` a node or nil, `list` nodes, `name` a string
    # that nobody changes, `title` the name of a class or defined type, which somebody might, `text` the
    # value of a literal string, `form` of a resource, `bool` true, false or nil,
    # `flag` true or false, `int`, `radix`, `float`, `regexp`, `pattern`.
    module Model
      CLASSES = {
        3 => 'Nop',
        6 => 'ParenthesizedExpression expr:node',
        7 => 'NotExpression expr:node',
        8 => 'UnaryMinusExpression expr:node',
        9 => 'UnfoldExpression expr:node',
        10 => 'AssignmentExpression left_expr:node right_expr:node operator:name',
        11 => 'ArithmeticExpression left_expr:node right_expr:node operator:name',
        12 => 'RelationshipExpression left_expr:node right_expr:node operator:name',
        13 => 'AccessExpression left_expr:node keys:list',
        14 => 'ComparisonExpression left_expr:node right_expr:node operator:name',
        15 => 'MatchExpression left_expr:node right_expr:node operator:name',
        16 => 'InExpression left_expr:node right_expr:node',
        18 => 'AndExpression left_expr:node right_expr:node',
        19 => 'OrExpression left_expr:node right_expr:node',
        20 => 'LiteralList values:list',
        21 => 'KeyedEntry key:node value:node',
        22 => 'LiteralHash entries:list',
        23 => 'BlockExpression statements:list',
        24 => 'ApplyBlockExpression statements:list',
        25 => 'CaseOption values:list then_expr:maybe',
        26 => 'CaseExpression test:node options:list',
        28 => 'ExportedQuery expr:maybe',
        29 => 'VirtualQuery expr:maybe',
        31 => 'AttributeOperation attribute_name:name operator:name value_expr:node',
        32 => 'AttributesOperation expr:node',
        33 => 'CollectExpression type_expr:node query:node operations:list',
        34 => 'Parameter name:name value:maybe type_expr:maybe captures_rest:bool',
        37 => 'FunctionDefinition name:name parameters:list body:maybe return_type:maybe',
        38 => 'ResourceTypeDefinition name:title parameters:list body:maybe',
        40 => 'TypeAlias name:name type_expr:maybe',
        41 => 'TypeMapping type_expr:maybe mapping_expr:maybe',
        42 => 'TypeDefinition name:name parent:name body:maybe',
        43 => 'NodeDefinition host_matches:list parent:maybe body:maybe',
        44 => 'HeredocExpression text_expr:node syntax:name',
        45 => 'HostClassDefinition name:title parameters:list body:maybe parent_class:name',
        46 => 'PlanDefinition name:title parameters:list body:maybe return_type:maybe',
        47 => 'LambdaExpression parameters:list body:maybe return_type:maybe',
        48 => 'ApplyExpression arguments:list body:maybe',
        49 => 'IfExpression test:node then_expr:maybe else_expr:maybe',
        50 => 'UnlessExpression test:node then_expr:maybe else_expr:maybe',
        52 => 'CallFunctionExpression functor_expr:node rval_required:flag arguments:list lambda:maybe',
        53 => 'CallNamedFunctionExpression functor_expr:node rval_required:flag arguments:list lambda:maybe',
        54 => 'CallMethodExpression functor_expr:node rval_required:flag arguments:list lambda:maybe',
        57 => 'LiteralRegularExpression value:regexp pattern:pattern',
        58 => 'LiteralString value:text',
        60 => 'LiteralInteger value:int radix:radix',
        61 => 'LiteralFloat value:float',
        62 => 'LiteralUndef',
        63 => 'LiteralDefault',
        64 => 'LiteralBoolean value:bool',
        65 => 'TextExpression expr:node',
        66 => 'ConcatenatedString segments:list',
        67 => 'QualifiedName value:name',
        68 => 'ReservedWord word:name future:bool',
        69 => 'QualifiedReference cased_value:name',
        70 => 'VariableExpression expr:node',
        71 => 'EppExpression parameters_specified:bool body:maybe',
        72 => 'RenderStringExpression value:text',
        73 => 'RenderExpression expr:node',
        74 => 'ResourceBody title:maybe operations:list',
        76 => 'ResourceExpression type_name:node form:form bodies:list',
        77 => 'ResourceDefaultsExpression form:form type_ref:maybe operations:list',
        78 => 'ResourceOverrideExpression resources:node form:form operations:list',
        79 => 'SelectorEntry matching_expr:node value_expr:node',
        80 => 'SelectorExpression left_expr:node selectors:list',
        81 => 'NamedAccessExpression left_expr:node right_expr:node'
      }.freeze

      # What a stream that ends an object early means. Lists are made new each time.
      DEFAULTS = { 'form' => 'regular', 'flag' => false, 'radix' => 10 }.freeze

      # A class of the tree: its number, its name and its attributes with their kinds.
      Shape = Struct.new(:id, :name, :attributes) do
        def ruby_class
          ::Puppet::Pops::Model.const_get(name)
        end

        def definition?
          ruby_class <= ::Puppet::Pops::Model::Definition
        end
      end

      SHAPES = CLASSES.map do |id, line|
        name, *attributes = line.split
        Shape.new(id, name, attributes.map { |attribute| attribute.split(':') })
      end.freeze
    end
  end
end
