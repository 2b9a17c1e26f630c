# frozen_string_literal: true

require 'puppet/xpp/stream'

# Packs the tokens of a stream as MessagePack. For tests.
class MsgpackWriter
  Stream = Puppet::Xpp::Stream

  def initialize(tokens)
    @tokens = tokens.dup
  end

  def payload
    out = ''.b
    out << item(@tokens.shift) until @tokens.empty?
    out
  end

  private

  def item(token)
    return value(token) unless token.equal?(Stream::EXTENSION)

    code = @tokens.shift
    numbers = code == Stream::OBJECT ? @tokens.shift(@tokens.first + 2) : @tokens.shift(1)
    extension(code, numbers.map { |number| value(number) }.join)
  end

  def extension(code, body)
    fixed = { 1 => 0xd4, 2 => 0xd5, 4 => 0xd6, 8 => 0xd7, 16 => 0xd8 }[body.bytesize]
    return [fixed, code].pack('CC') + body if fixed

    head = body.bytesize < 256 ? [0xc7, body.bytesize].pack('CC') : [0xc8, body.bytesize].pack('Cn')
    head + [code].pack('C') + body
  end

  def value(token)
    case token
    when nil then "\xc0".b
    when false then "\xc2".b
    when true then "\xc3".b
    when Integer then integer(token)
    when Float then [0xcb, token].pack('CG')
    else string(token.b)
    end
  end

  def integer(number)
    if number.between?(0, 0x7f) then [number].pack('C')
    elsif number.between?(-32, -1) then [number].pack('c')
    elsif number.between?(0, 0xffff) then [0xcd, number].pack('Cn')
    else [0xd3, number].pack('Cq>')
    end
  end

  def string(bytes)
    size = bytes.bytesize
    head = if size < 32 then [0xa0 + size].pack('C')
           elsif size < 256 then [0xd9, size].pack('CC')
           elsif size < 65_536 then [0xda, size].pack('Cn')
           else [0xdb, size].pack('CN')
           end
    head + bytes
  end
end
