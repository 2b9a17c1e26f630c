# frozen_string_literal: true

require 'speed'

# Loading is worth it: twelve times as fast as parsing and validating, at least.
class SpeedTest < Minitest::Test
  NEEDED = 12
  # Where the machine has much else to do, the shortest time takes a while to come.
  ATTEMPTS = 4

  def test_flat_against_the_parser
    skip 'the times of a compiler that is not warm say nothing' if RUBY_ENGINE == 'jruby'
    files = World.corpus.first(400)
    skip "no modules in #{World::MODULES}" if files.empty?
    pairs = files.map { |file| [file, document(file)] }.select(&:last)
    best = [Float::INFINITY] * 2
    ATTEMPTS.times do
      best = best.zip(Speed.of_loading(pairs, 3)).map(&:min)
      break if ratio(best) >= NEEDED
    end
    assert_operator ratio(best), :>=, NEEDED
  end

  private

  def ratio(times)
    times[0] / times[1]
  end

  def document(file)
    path = File.join(World::ROOT, 'speed', "#{file}.xpp")
    World.write(path, FlatWriter.document(World.parse(File.read(file, mode: 'rb', encoding: 'UTF-8'), file)))
    path
  rescue Puppet::ParseError
    nil
  end
end
