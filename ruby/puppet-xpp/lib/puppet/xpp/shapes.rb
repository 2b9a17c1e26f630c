# frozen_string_literal: true

require 'puppet/xpp/model'

module Puppet
  module Xpp
    # Teaches the classes of Puppet's syntax tree to be filled quickly.
    #
    # Puppet's constructors compute a hash over all children that hardly anything
    # ever asks for; they cost twice as much as the rest. `xpp_fill` leaves it out, and
    # `hash` computes the same number when somebody asks.
    module Shapes
      # What every node's hash starts from.
      SEED = 2_270_595_461_303_489_901

      # Replaces the reader of `@hash`.
      module LateHash
        def hash
          @hash || (frozen? ? xpp_hash : @hash = xpp_hash)
        end
      end

      # Are these the classes and constructors that the table speaks of?
      def self.known?
        Model::SHAPES.all? { |shape| constructor(shape.ruby_class) == %w[locator offset length] + shape.attributes.map(&:first) } &&
          constructor(::Puppet::Pops::Model::Program) == %w[locator body definitions]
      rescue NameError
        false
      end

      # Adds `xpp_fill` and `xpp_hash` to every class.
      def self.define
        Model::SHAPES.each { |shape| define_in(shape.ruby_class, %w[locator offset length], shape.attributes.map(&:first)) }
        define_in(::Puppet::Pops::Model::Program, [], %w[locator body definitions])
        ::Puppet::Pops::Model::PopsObject.send(:remove_method, :hash)
        ::Puppet::Pops::Model::PopsObject.include(LateHash)
      end

      def self.constructor(ruby_class)
        ruby_class.instance_method(:initialize).parameters.map { |_, name| name.to_s }
      end
      private_class_method :constructor

      def self.define_in(ruby_class, places, attributes)
        arguments = places + attributes
        ruby_class.class_eval(<<-RUBY, __FILE__, __LINE__ + 1)
          def xpp_fill(#{arguments.join(', ')})
            #{arguments.map { |name| "@#{name} = #{name}" }.join('; ')}
            self
          end

          def xpp_hash
            #{[SEED, *attributes.map { |name| "@#{name}.hash" }].join(' ^ ')}
          end
        RUBY
      end
      private_class_method :define_in
    end
  end
end
