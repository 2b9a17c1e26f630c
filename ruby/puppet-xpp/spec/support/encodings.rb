# frozen_string_literal: true

require 'stringio'
require 'flat_writer'
require 'msgpack_writer'
require 'puppet/xpp/json'
require 'puppet/xpp/document'

# Files of every encoding from Puppet's own trees, and trees from files.
module Encodings
  ALL = %w[flat json msgpack].freeze

  # A whole `.xpp` file as bytes.
  def self.document(encoding, program)
    return FlatWriter.document(program) if encoding == 'flat'

    payload = json(program)
    payload = MsgpackWriter.new(Puppet::Xpp::Json.tokens(payload.dup)).payload if encoding == 'msgpack'
    format("application/vnd.puppet.pcore+#{encoding};document-type=xpp;version=1;crc32=%08x\n\n", Zlib.crc32(payload)).b + payload.b
  end

  # What Puppet's own serializer writes. It is slow; the last one is kept.
  def self.json(program)
    @last, @json = program, serialize(program) unless program.equal?(@last)
    @json
  end

  def self.serialize(program)
    io = StringIO.new
    writer = Puppet::Pops::Serialization::JSON::Writer.new(io)
    Puppet::Pops::Serialization::Serializer.new(writer, type_by_reference: true).write(program)
    writer.finish
    io.string
  end

  # The tree that the plugin makes of a file's bytes.
  def self.load(bytes, file, source)
    Puppet::Xpp::Document.read(bytes, file, source)
  end
end
