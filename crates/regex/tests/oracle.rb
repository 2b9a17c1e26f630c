# What Ruby says of regular expressions.
#
# One JSON object a line on standard input:
#   pattern   the source
#   options   some of the letters i, m, x
#   subjects  texts
#   replace   a replacement for gsub; without it only matches are wanted
# One JSON object a line on standard output, either error (a message) or
#   to_s, inspect, names (each with the numbers of its groups)
#   matches   for each subject all matches as scan finds them: for each group [start, end] in bytes or null;
#             "timeout" if that took too long
#   gsub, sub what becomes of each subject, or the message of an error
#   split     for each subject the parts with the limits 0, -1 and 2
require 'json'
require 'timeout'

$VERBOSE = nil
$stdout.sync = true
SECONDS = 0.5

def guarded
  Timeout.timeout(SECONDS) { yield }
rescue Timeout::Error
  'timeout'
rescue IndexError, RuntimeError, ArgumentError => e
  { error: e.message }
end

def matches(regexp, text)
  all = []
  text.scan(regexp) do
    match = $~
    all << (0...match.size).map do |group|
      match.begin(group) && [match.begin(group), match.end(group)].map { |at| text[0...at].bytesize }
    end
  end
  all
end

def answer(line)
  bits = { 'i' => Regexp::IGNORECASE, 'x' => Regexp::EXTENDED, 'm' => Regexp::MULTILINE }
  options = (line['options'] || '').chars.sum { |letter| bits.fetch(letter) }
  regexp = Regexp.new(line['pattern'], options)
  subjects = line['subjects']
  replace = line['replace']
  answer = {
    to_s: regexp.to_s, inspect: regexp.inspect, names: regexp.named_captures.to_a,
    matches: subjects.map { |text| guarded { matches(regexp, text) } }
  }
  return answer unless replace

  answer.merge(
    gsub: subjects.map { |text| guarded { text.gsub(regexp, replace) } },
    sub: subjects.map { |text| guarded { text.sub(regexp, replace) } },
    split: subjects.map { |text| guarded { [0, -1, 2].map { |limit| text.split(regexp, limit) } } }
  )
rescue RegexpError => e
  { error: e.message.dup.force_encoding('UTF-8').scrub('?') }
end

$stdin.each_line { |line| puts JSON.generate(answer(JSON.parse(line))) }
