# frozen_string_literal: true

module Puppet
  module Xpp
    # The file is not what it says it is, or says something that is not understood.
    class Corrupt < StandardError; end

    # The file is sound but was made for another text, or cannot replace the source.
    class Unusable < StandardError; end
  end
end
