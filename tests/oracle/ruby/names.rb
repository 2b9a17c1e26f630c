# Writes the names of the methods that Ruby's own classes have: so that the interpreter can tell a method that does not
# exist from one that it does not know. Usage: ruby names.rb > crates/ruby/src/names/methods.txt
%w[json yaml set ipaddr uri time date erb digest digest/sha2 base64 shellwords securerandom tempfile openssl cgi socket
   resolv pathname open3 net/http bigdecimal timeout stringio puppet].each { |lib| require lib }

CLASSES = %w[Object Kernel NilClass TrueClass FalseClass Comparable Enumerable Numeric Integer Float String Symbol Array
             Hash Range Regexp MatchData Proc Method Module Class Exception NameError NoMethodError KeyError
             StopIteration Struct Set Time Date DateTime IPAddr URI::Generic Random Enumerator Math File Dir IO JSON
             YAML Psych URI Base64 Digest Digest::MD5 Digest::SHA1 Digest::SHA256 Digest::SHA512 SecureRandom ERB
             ERB::Util Shellwords ENV Process GC ObjectSpace Marshal OpenSSL CGI Pathname Rational Complex StringIO
             BigDecimal Encoding Signal Resolv Resolv::DNS Resolv::DNS::Name Resolv::DNS::Resource Resolv::Hosts Resolv::IPv4 Resolv::IPv6 Socket Open3 Tempfile Timeout Puppet Puppet::Parser::Scope
             Puppet::Resource::Catalog Puppet::Parser::Compiler Puppet::Node::Environment Puppet::Resource
             Puppet::Parser::Resource Puppet::Module Puppet::Util Puppet::Util::Execution Puppet::Parser::Functions
             Puppet::Pops::Types::PAnyType Puppet::Pops::Types::TypeCalculator Puppet::Functions::Function
             Puppet::Pops::Types::Iterable Puppet::Pops::Types::TypeFactory Puppet::Parser::Files OpenSSL::Digest
             OpenSSL::PKey::RSA OpenSSL::X509::Certificate Digest::Instance Digest::Base].freeze

CLASSES.each do |name|
  object = Object.const_get(name)
  if object.is_a?(Module)
    own = name == 'Object' ? object.public_instance_methods : object.public_instance_methods(false)
    puts "#{name}# #{own.map(&:to_s).sort.join(' ')}"
  end
  puts "#{name}. #{object.singleton_methods.map(&:to_s).sort.join(' ')}"
end
puts "Kernel! #{Kernel.private_instance_methods(false).map(&:to_s).sort.join(' ')}"
puts "Module! #{Module.private_instance_methods(false).map(&:to_s).sort.join(' ')}"
puts "constants #{(Object.constants.map(&:to_s)).sort.join(' ')}"
