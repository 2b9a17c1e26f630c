# Ruby's `StringIO`, as far as modules use it. The interpreter runs this file when code names it.

class StringIO
  attr_accessor :string, :pos, :lineno

  def self.open(*args)
    io = new(*args)
    return io unless block_given?

    yield io
  end

  def initialize(string = +'', mode = nil)
    @string = string
    @pos = mode.to_s.start_with?('a') ? string.length : 0
    @lineno = 0
  end

  def write(*parts)
    parts.map(&:to_s).sum do |part|
      @string[@pos, part.length] = part
      @pos += part.length
      part.bytesize
    end
  end

  def <<(part)
    write(part)
    self
  end

  def print(*parts)
    write(*parts)
    nil
  end

  def puts(*parts)
    parts = [''] if parts.empty?
    parts.flatten.each { |part| write(part.to_s.end_with?("\n") ? part : "#{part}\n") }
    nil
  end

  def printf(*args)
    write(format(*args))
    nil
  end

  def read
    rest = @string[@pos..-1] || ''
    @pos = @string.length
    rest
  end

  def gets
    return nil if eof?

    line = @string[@pos..-1].lines.first
    @pos += line.length
    @lineno += 1
    line
  end

  def each_line
    while (line = gets)
      yield line
    end
    self
  end

  def each(&block)
    each_line(&block)
  end

  def readlines
    lines = []
    each_line { |line| lines << line }
    lines
  end

  def rewind
    @pos = 0
    @lineno = 0
    0
  end

  def eof?
    @pos >= @string.length
  end

  def eof
    eof?
  end

  def close
    nil
  end
end
