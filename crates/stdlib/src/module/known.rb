# Writes known.txt: the fingerprints of the functions in copies of stdlib whose functions were compared with ours.
#
#   ruby known.rb DIRECTORY… > known.txt
require 'json'

def fingerprint(text)
  code = text.lines.map(&:strip).reject { |line| line.empty? || line.start_with?('#') }
  code.map { |line| "#{line}\n" }.join.bytes.reduce(0xcbf29ce484222325) { |hash, byte| (hash ^ byte) * 0x100000001b3 & (1 << 64) - 1 }
end

KINDS = { 'new' => 'lib/puppet/functions', 'old' => 'lib/puppet/parser/functions', 'puppet' => 'functions' }.freeze
lines = ARGV.flat_map do |root|
  generation = JSON.parse(File.read("#{root}/metadata.json"))['version'].to_i < 9 ? 8 : 9
  KINDS.flat_map do |kind, folder|
    Dir.glob("#{root}/#{folder}/**/*.{rb,pp}").map do |file|
      name = file.delete_prefix("#{root}/#{folder}/").sub(/\.\w+\z/, '').gsub('/', '::')
      name = "stdlib::#{name}" if kind == 'puppet'
      format('%<generation>d %<kind>s %<name>s %<print>016x', generation: generation, kind: kind, name: name, print: fingerprint(File.read(file)))
    end
  end
end
puts lines.uniq.sort
