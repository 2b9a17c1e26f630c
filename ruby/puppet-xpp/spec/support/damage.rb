# frozen_string_literal: true

# Damages a file in all ways, and looks what the hook makes of it.
module Damage
  SOURCE = "class m(String $x = 'a', $y = [1, 2.5, undef]) inherits n {\n  file { \"/tmp/${x}\": mode => '0644' }\n" \
           "  $y.each |$z| { notice(@(E)) }\n    text\n    | E\n  if $x =~ /a|b/ { include o }\n}\n"
  FILE = '/somewhere/init.pp'
  CHANGES = 2000

  # What went wrong first, as text: a file that is cut off is used, or a changed one gives another tree.
  def self.worst(bytes)
    truncations(bytes).each { |cut| return "#{cut.bytesize} bytes are used" if attempt(cut) }
    changes(bytes) do |changed, at|
      loaded = attempt(changed)
      difference = loaded && Same.difference(program, loaded)
      return "byte #{at}: #{difference}" if difference
    end
    nil
  end

  def self.program
    @program ||= Puppet::Pops::Parser::Parser.new.parse_string(SOURCE.dup, FILE).model
  end

  def self.truncations(bytes)
    (0...bytes.bytesize).lazy.map { |size| bytes.byteslice(0, size) }
  end

  def self.changes(bytes)
    random = Random.new(23)
    CHANGES.times do
      changed = bytes.dup
      at = random.rand(changed.bytesize)
      changed.setbyte(at, changed.getbyte(at) ^ random.rand(1..255))
      yield changed, at
    end
  end

  # As the hook does it: nil stands for the source.
  def self.attempt(bytes)
    path = File.join(World::ROOT, 'damaged.xpp')
    File.binwrite(path, bytes)
    loading(path) { Puppet::Xpp::Hook.load(FILE, SOURCE.dup) }
  end

  def self.loading(path)
    found = Puppet::Xpp::Tree.method(:path_for)
    Puppet::Xpp::Tree.define_singleton_method(:path_for) { |_| path }
    Puppet::Util::Log.level = :err
    yield
  ensure
    Puppet::Util::Log.level = :notice
    Puppet::Xpp::Tree.define_singleton_method(:path_for, found)
  end
  private_class_method :loading
end
