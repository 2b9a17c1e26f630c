# frozen_string_literal: true

module Puppet
  module Xpp
    # Where the `.xpp` files of one environment are.
    #
    # Paths are compared as text: a module that is a symbolic link is the link.
    class Tree
      # The `.xpp` path for a manifest of the current environment, or nil where there is none.
      def self.path_for(file)
        return nil unless file.is_a?(String) && file.end_with?('.pp')

        environment = ::Puppet.lookup(:current_environment) { nil }
        environment && of(environment).path_for(file)
      end

      # One tree for each environment object: Puppet makes a new one when an environment changes.
      def self.of(environment)
        environment.instance_variable_get(:@xpp_tree) ||
          environment.instance_variable_set(:@xpp_tree, new(environment))
      end

      def initialize(environment)
        @environment = environment
        configuration = environment.configuration
        @home = configuration && configuration.path_to_env
        # The innermost directory decides where one lies in another.
        @module_directories = environment.modulepath.map(&:to_s).sort_by { |directory| -directory.length }
      end

      def path_for(file)
        return nil unless @home

        directory = @module_directories.find { |candidate| below?(file, candidate) }
        return in_module(file, directory) if directory

        below?(file, @home) ? place('environment', rest(file, @home)) : nil
      end

      private

      # The first module of a name is the one; a module `environment` would take the environment's place.
      def in_module(file, directory)
        name, path = rest(file, directory).split('/', 2)
        return nil if path.nil? || name == 'environment'

        found = @environment.module(name)
        found && found.path == "#{directory}/#{name}" ? place(name, path) : nil
      end

      def place(name, path)
        "#{@home}/.xpp/modules/#{name}/#{path[0...-3]}.xpp"
      end

      def below?(file, directory)
        file.start_with?(directory) && file.getbyte(directory.bytesize) == 47
      end

      def rest(file, directory)
        file[(directory.length + 1)..-1]
      end
    end
  end
end
