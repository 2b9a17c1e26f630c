# frozen_string_literal: true

require 'zlib'
require 'puppet/xpp/model'

# Writes XPF1 from Puppet's own syntax tree. For tests; the real writer is `kukla xpp build`.
class FlatWriter
  SHAPES = Puppet::Xpp::Model::SHAPES.map { |shape| [shape.name, shape] }.to_h
  ENVELOPE = 'application/vnd.puppet.pcore+flat;document-type=xpp;version=1'

  # The whole file.
  def self.document(program, **options)
    payload = new(program, **options).payload
    format("#{ENVELOPE};crc32=%08x\n\n", Zlib.crc32(payload)).b + payload
  end

  def initialize(program, with_source: false, diagnostics: '')
    @program = program
    @source = program.locator.string
    @with_source = with_source
    @diagnostics = diagnostics
    @strings = []
    @shared = {}
    @code = []
  end

  def payload
    emit(@program.body) if @program.body
    width = @code.any? { |number| number > 0xffff } ? 4 : 2
    prefixed = @strings.any? { |string| string.include?("\0") }
    blob = blob(prefixed)
    header(width, prefixed, blob) + @code.pack(width == 2 ? 'v*' : 'V*') + @program.locator.line_index.pack('V*') +
      blob + @diagnostics.b + (@with_source ? @source.b : ''.b)
  end

  private

  def blob(prefixed)
    prefixed ? @strings.map(&:bytesize).pack('V*') + @strings.map(&:b).join : @strings.map(&:b).join("\0")
  end

  def header(width, prefixed, blob)
    flags = (prefixed ? 1 : 0) | (@with_source ? 2 : 0)
    ['XPF1', width, flags, 1, @source.bytesize, Zlib.crc32(@source), @code.size,
     @program.locator.line_index.size, @strings.size, blob.bytesize, @diagnostics.bytesize].pack('a4CCvV7')
  end

  def emit(node)
    return emit_variable(node) if fused?(node)

    shape = SHAPES.fetch(node.class.name.split('::').last)
    values = shape.attributes.map { |name, kind| [kind, node.instance_variable_get("@#{name}")] }
    numbers = values.map { |kind, value| number(kind, value) }
    @code.push(shape.id, node.offset, node.length, *numbers)
  end

  def fused?(node)
    node.is_a?(Puppet::Pops::Model::VariableExpression) && node.expr.is_a?(Puppet::Pops::Model::QualifiedName)
  end

  def emit_variable(node)
    @code.push(200, node.offset, node.length, node.expr.offset, node.expr.length, share(node.expr.value))
  end

  def number(kind, value)
    case kind
    when 'node', 'maybe' then value.nil? ? 0 : (emit(value) && 1)
    when 'list' then value.each { |child| emit(child) }.size
    when 'bool', 'flag' then [nil, false, true].index(value)
    when 'text' then own(value)
    when 'regexp' then own(value.source)
    else value.nil? ? 0 : share(value.to_s)
    end
  end

  def share(string)
    @shared[string] ||= own(string)
  end

  def own(string)
    @strings << string
    @strings.size
  end
end
