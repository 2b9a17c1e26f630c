# frozen_string_literal: true

require 'damage'

# No damage of a file ever escapes: with the checksum it is found, and the source is used.
class DamageTest < Minitest::Test
  Encodings::ALL.each do |encoding|
    # A change in the envelope may leave the meaning as it was (a blank for a line break, say).
    define_method("test_damage_in_#{encoding}") do
      assert_nil Damage.worst(document(encoding))
    end

    # Nothing would promise the right tree.
    define_method("test_#{encoding}_without_a_checksum_is_not_used") do
      bytes = document(encoding)
      assert Damage.attempt(bytes)
      assert_nil Damage.attempt(bytes.sub(/;crc32=\h{8}/n, ''))
    end
  end

  private

  def document(encoding)
    Encodings.document(encoding, Damage.program)
  end
end
