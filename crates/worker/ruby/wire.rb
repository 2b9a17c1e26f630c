# Messages: msgpack in frames, over what were standard input and output.
module Kukla
  module Wire
    IN = STDIN.dup.binmode
    OUT = STDOUT.dup.binmode
    OUT.sync = true
    STDIN.reopen(File::NULL)
    STDOUT.reopen(STDERR) # What code prints must not get into a message.
    MAX_DEPTH = 400

    module_function

    def read
      head = IN.read(4)
      exit!(0) if head.nil? || head.length < 4 # Nobody is there any more.
      @bytes = IN.read(head.unpack1('N'))
      @at = 0
      value
    end

    def write(message)
      bytes = pack(message, +''.b, 0)
      OUT.write([bytes.bytesize].pack('N') << bytes)
    end

    def value
      code = @bytes.getbyte(@at)
      @at += 1
      case code
      when 0x00..0x7F then code
      when 0x80..0x8F then hash(code & 0x0F)
      when 0x90..0x9F then Array.new(code & 0x0F) { value }
      when 0xA0..0xBF then text(code & 0x1F)
      when 0xC0 then nil
      when 0xC2 then false
      when 0xC3 then true
      when 0xD9..0xDB then text(number(code - 0x0D))
      when 0xDC, 0xDD then Array.new(number(code - 0x0F)) { value }
      when 0xDE, 0xDF then hash(number(code - 0x11))
      when 0xE0..0xFF then code - 0x100
      else number(code)
      end
    end

    # Codes of numbers, with their sizes and formats; lengths have those of numbers without a sign.
    NUMBERS = {
      0xCB => [8, 'G'], 0xCC => [1, 'C'], 0xCD => [2, 'n'], 0xCE => [4, 'N'], 0xCF => [8, 'Q>'],
      0xD0 => [1, 'c'], 0xD1 => [2, 's>'], 0xD2 => [4, 'l>'], 0xD3 => [8, 'q>']
    }.freeze

    def number(code)
      size, format = NUMBERS.fetch(code)
      @at += size
      @bytes.byteslice(@at - size, size).unpack1(format)
    end

    def text(size)
      @at += size
      @bytes.byteslice(@at - size, size).force_encoding(Encoding::UTF_8)
    end

    def hash(size)
      size.times.each_with_object({}) do |_, hash|
        key = value
        hash[key] = value
      end
    end

    def pack(value, out, depth)
      raise ArgumentError, 'a value is nested too deeply' if depth > MAX_DEPTH

      case value
      when nil then out << 0xC0
      when false then out << 0xC2
      when true then out << 0xC3
      when Integer
        raise RangeError, "#{value} is too big for an Integer" unless value.bit_length < 64
        out << 0xD3 << [value].pack('q>')
      when Float then out << 0xCB << [value].pack('G')
      when String, Symbol then pack_text(value.to_s, out)
      when Array
        out << 0xDD << [value.length].pack('N')
        value.each { |item| pack(item, out, depth + 1) }
      when Hash
        out << 0xDF << [value.length].pack('N')
        value.each { |key, item| pack(item, pack(key, out, depth + 1), depth + 1) }
      else raise ArgumentError, "a #{value.class} can't be sent"
      end
      out
    end

    def pack_text(text, out)
      utf8 = text.encoding == Encoding::UTF_8 || text.ascii_only? ? text : as_utf8(text)
      raise ArgumentError, 'a text is not UTF-8' unless utf8.valid_encoding?

      out << 0xDB << [utf8.bytesize].pack('N') << utf8.b
    end

    def as_utf8(text)
      return text.dup.force_encoding(Encoding::UTF_8) if text.encoding == Encoding::BINARY

      text.encode(Encoding::UTF_8)
    end
  end

  # Values of Puppet's: rich data.
  module Rich
    module_function

    def load(data)
      case data
      when Array then data.map { |item| load(item) }
      when Hash then data.key?('__ptype') ? rich(data) : data.transform_values { |item| load(item) }
      else data
      end
    end

    def rich(data)
      type = data['__ptype']
      value = data['__pvalue']
      case type
      when 'Default' then :default
      when 'Regexp' then Regexp.new(value.to_s)
      when 'Hash' then value.map { |item| load(item) }.each_slice(2).to_h
      when 'Sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(load(value))
      else Kukla.puppet? ? Puppet::Pops::Serialization::FromDataConverter.convert(data) : Opaque.new(data)
      end
    end

    def dump(value)
      case value
      when nil, true, false, Integer, Float, String then value
      when :undef then nil
      when :default then { '__ptype' => 'Default' }
      when Symbol then value.to_s
      when Array then value.map { |item| dump(item) }
      when Hash then dump_hash(value)
      when Regexp then { '__ptype' => 'Regexp', '__pvalue' => value.source }
      when Opaque then value.data
      else dump_other(value)
      end
    end

    def dump_hash(hash)
      plain = hash.transform_keys { |key| key.is_a?(Symbol) ? key.to_s : key }
      return plain.transform_values { |item| dump(item) } if plain.keys.all?(String) && !plain.key?('__ptype')

      { '__ptype' => 'Hash', '__pvalue' => plain.flat_map { |key, item| [dump(key), dump(item)] } }
    end

    def dump_other(value)
      if value.is_a?(Puppet::Pops::Types::PSensitiveType::Sensitive)
        return { '__ptype' => 'Sensitive', '__pvalue' => dump(value.unwrap) }
      end
      return dump(value.to_a) if value.class.name == 'Set'
      return value.to_rich if value.is_a?(Resource)
      return reference(value.type, value.title) if Kukla.puppet? && value.is_a?(Puppet::Resource)
      # Of Ruby's own things, such as classes, nobody can make use outside.
      return value.to_s if !Kukla.puppet? || value.is_a?(Module) || !known?(value)

      Puppet::Pops::Serialization::ToDataConverter.convert(
        value, rich_data: true, symbol_as_string: true, local_reference: false, type_by_reference: true
      )
    end

    # A resource is the type of references to it.
    def reference(type, title)
      return { '__ptype' => 'Pcore::ClassType', 'class_name' => title.downcase } if type == 'Class'

      { '__ptype' => 'Pcore::ResourceType', 'type_name' => type, 'title' => title }
    end

    # Whether Puppet's language has such values; others are handed over as their texts.
    def known?(value) = !Puppet::Pops::Types::TypeCalculator.infer(value).is_a?(Puppet::Pops::Types::PRuntimeType)
  end

  # A value that plain Ruby knows nothing of; it can be handed back.
  Opaque = Struct.new(:data) do
    def to_s = data['__pvalue'].to_s
  end
end
