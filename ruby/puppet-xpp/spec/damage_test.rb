# frozen_string_literal: true

# No damage of a file ever escapes: with the checksum it is found, and the source is used.
class DamageTest < Minitest::Test
  SOURCE = "class m(String $x = 'a', $y = [1, 2.5, undef]) inherits n {\n  file { \"/tmp/${x}\": mode => '0644' }\n" \
           "  $y.each |$z| { notice(@(E)) }\n    text\n    | E\n  if $x =~ /a|b/ { include o }\n}\n"
  FILE = '/somewhere/init.pp'
  CHANGES = 2000

  Encodings::ALL.each do |encoding|
    define_method("test_every_truncation_of_#{encoding}") do
      bytes = document(encoding)
      (0...bytes.bytesize).each { |size| assert_refused bytes.byteslice(0, size), "#{size} bytes" }
    end

    define_method("test_changed_bytes_of_#{encoding}") do
      bytes = document(encoding)
      changes(bytes) { |changed, what| assert_harmless changed, what }
    end

    # Nothing promises the right tree then; but only what is expected may come out.
    define_method("test_changed_bytes_of_#{encoding}_without_a_checksum") do
      bytes = document(encoding).sub(/;crc32=\h{8}/n, '')
      changes(bytes) { |changed, _| attempt(changed) }
    end
  end

  private

  def document(encoding)
    @program = Puppet::Pops::Parser::Parser.new.parse_string(SOURCE.dup, FILE).model
    Encodings.document(encoding, @program)
  end

  def changes(bytes)
    random = Random.new(23)
    CHANGES.times do
      changed = bytes.dup
      at = random.rand(changed.bytesize)
      changed.setbyte(at, changed.getbyte(at) ^ random.rand(1..255))
      yield changed, "byte #{at}"
    end
  end

  def assert_refused(bytes, what)
    assert_nil attempt(bytes), what
  end

  # A change in the envelope may leave the meaning as it was (a blank for a line break, say).
  def assert_harmless(bytes, what)
    loaded = attempt(bytes)
    assert_nil Same.difference(@program, loaded), what if loaded
  end

  # As the hook does it: nil stands for the source.
  def attempt(bytes)
    path = File.join(World::ROOT, 'damaged.xpp')
    File.binwrite(path, bytes)
    loading(path) { Puppet::Xpp::Hook.load(FILE, SOURCE.dup) }
  end

  def loading(path)
    found = Puppet::Xpp::Tree.method(:path_for)
    Puppet::Xpp::Tree.define_singleton_method(:path_for) { |_| path }
    Puppet::Util::Log.level = :err
    yield
  ensure
    Puppet::Util::Log.level = :notice
    Puppet::Xpp::Tree.define_singleton_method(:path_for, found)
  end
end
