//! Types that are read from declarations in Ruby.

use std::collections::BTreeMap;
use std::sync::Arc;

use kukla_catalog::types::ResourceType;
use kukla_restypes::{SourceFile, TypeSources, Unreadable, read};

/// Files of one `lib` directory, at `/lib`.
#[derive(Default)]
struct Files(BTreeMap<String, String>);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }
}

impl TypeSources for Files {
    fn find(&self, path: &str) -> Option<SourceFile> {
        let text = self.0.get(path)?.clone();
        Some(SourceFile { path: format!("/lib/{path}"), text })
    }

    fn open(&self, path: &str) -> Option<SourceFile> {
        self.find(path.strip_prefix("/lib/")?)
    }

    fn list(&self, directory: &str) -> Vec<SourceFile> {
        let is_here =
            |path: &&String| path.rsplit_once('/').is_some_and(|(home, _)| home == directory);
        self.0.keys().filter(is_here).filter_map(|path| self.find(path)).collect()
    }
}

fn outcome(body: &str, files: &[(&str, &str)]) -> Result<Arc<ResourceType>, Unreadable> {
    let text = format!("Puppet::Type.newtype(:thing) do\n{body}\nend\n");
    read("thing", "/lib/puppet/type/thing.rb", &text, &Files::new(files))
}

/// Lists the attributes of a type as `properties / parameters / keys`.
fn attributes(of: &ResourceType) -> String {
    let list = |names: Vec<&str>| names.join(" ");
    let (properties, parameters) = (of.properties().collect(), of.parameters().collect());
    format!("{} / {} / {}", list(properties), list(parameters), list(of.key_attributes().collect()))
}

#[track_caller]
fn check(body: &str, files: &[(&str, &str)], expected: &str) {
    match outcome(body, files) {
        Ok(read) => assert_eq!(attributes(&read), expected),
        Err(unreadable) => panic!("{unreadable}"),
    }
}

#[track_caller]
fn check_unreadable(body: &str, expected: &str) {
    let unreadable = outcome(body, &[]).expect_err("it is unreadable");
    assert_eq!(format!("{}: {}", unreadable.line, unreadable.reason), expected);
}

#[test]
fn attributes_keep_their_order_and_ensure_comes_first() {
    let body = "
      newparam(:Name)
      newproperty(:size, :array_matching => :all) { newvalue(:a) }
      newproperty('mode')
      ensurable { newvalue(:present) }
      newparam(:force, :boolean => true, parent: Puppet::Parameter::Boolean)";
    check(body, &[], "ensure size mode / name force / name");
}

#[test]
fn a_namevar_is_told_by_block_or_option() {
    check("newparam(:path) { isnamevar }", &[], " / path / path");
    check("newparam(:path, namevar: true)", &[], " / path / path");
    check("newparam(:path) { desc 'x'; self.isnamevar }", &[], " / path / path");
    check("newparam(:a, :namevar => true)\nnewparam(:name)", &[], " / a name / a name");
    // A property is never a key.
    check("newproperty(:path) { isnamevar }\nnewparam(:name)", &[], "path / name / name");
}

#[test]
fn loops_over_lists_that_are_known() {
    let body = "
      names = %w[a b].map(&:to_sym)
      (names + [:c]).each { |name| newparam(name) { isnamevar if name == :a } }
      { 'x' => :y }.each_pair { |from, to| newproperty(\"#{from}_#{to}\") }
      %i[p q].each_with_index do |name, index|
        next if index == 0
        newproperty(:\"#{name}#{index}\")
      end";
    check(body, &[], "x_y q1 / a b c / a");
}

#[test]
fn methods_that_declare() {
    let body = "
      def self.number(name, *more, default: 0, &block)
        newproperty(name, &block)
        more.each { |other| newparam(other) }
      end
      class << self
        def twice(name) = 2.times { nothing }
        def once(name)
          yield name
        end
      end
      number :a, :b, default: 1
      once(:c) { |name| newparam(name) }
      define_singleton_method(:later) { |name| newparam(name) }
      later :d";
    check(body, &[], "a / b c d / ");
}

#[test]
fn helpers_of_other_files() {
    let helper = "
      module PuppetX
        module Helper
          COMMON = %i[one two].freeze
          def self.included(base)
            base.extend(ClassMethods)
            base.newparam(:given)
          end
          module ClassMethods
            def common(list = COMMON)
              list.each { |name| newproperty(name) }
            end
          end
        end
      end";
    let body = "
      require 'puppet_x/helper'
      include PuppetX::Helper
      common";
    check(body, &[("puppet_x/helper.rb", helper)], "one two / given / ");
    let relative =
        body.replace("require 'puppet_x/helper'", "require_relative '../../puppet_x/helper'");
    check(&relative, &[("puppet_x/helper.rb", helper)], "one two / given / ");
    let computed =
        "File.expand_path(File.join(File.dirname(__FILE__), '..', '..', 'puppet_x', 'helper.rb'))";
    let computed = body.replace("'puppet_x/helper'", computed);
    check(&computed, &[("puppet_x/helper.rb", helper)], "one two / given / ");
    let path = body.replace(
        "'puppet_x/helper'",
        "Pathname.new(__FILE__).dirname.dirname.dirname + 'puppet_x/helper'",
    );
    check(&path, &[("puppet_x/helper.rb", helper)], "one two / given / ");
}

#[test]
fn providers_bring_the_parameter_provider() {
    let provider = "Puppet::Type.type(:thing).provide(:ruby) do\nend";
    check(
        "newparam(:name)",
        &[("puppet/provider/thing/ruby.rb", provider)],
        " / name provider / name",
    );
    let shared = "# provide nothing\nclass Puppet::Provider::Thing < Puppet::Provider\nend";
    check("newparam(:name)", &[("puppet/provider/thing/base.rb", shared)], " / name / name");
    check("newparam(:name)\nprovide(:it) {}", &[], " / name provider / name");
    let declared = "newparam(:provider)\nnewparam(:name)";
    check(declared, &[("puppet/provider/thing/ruby.rb", provider)], " / provider name / name");
}

#[test]
fn a_type_that_creates_and_destroys_is_ensurable() {
    let body = "newparam(:name)\ndef exists?; end\ndef create; end\ndef destroy; end";
    check(body, &[], "ensure / name / name");
}

#[test]
fn conditions_that_do_not_matter() {
    let body = "
      newparam(:name) { defaultto { Facter.value(:x) ? 1 : 2 } }
      if Facter.value(:kernel) == 'windows'
        newproperty(:mode) { newvalue(:a) }
      else
        newproperty(:mode) { newvalue(:b) }
      end
      raise Puppet::Error, 'no' unless Puppet.features.posix?
      newproperty(:b) if true && !nil";
    check(body, &[], "mode b / name / name");
}

#[test]
fn what_cannot_be_known() {
    check_unreadable(
        "newparam(:name)\nnewparam(:x) if Puppet.features.posix?",
        "3: what is declared depends on a condition",
    );
    check_unreadable(
        "Dir['*'].each { |name| newparam(name.to_sym) }",
        "2: it declares an attribute whose name is not known",
    );
    check_unreadable("\nmagic :a", "3: it calls `magic`, which is not known here");
    check_unreadable("include PuppetX::Gone", "2: it includes `PuppetX::Gone`, which is not found");
    check_unreadable("class_eval('newparam(:x)')", "2: code in a string");
    check_unreadable("newparam(:a)\nnewparam(:a)", "3: it declares `a` twice");
    check_unreadable("loop { newparam(:a) }", "2: what is declared depends on a condition or list");
    check_unreadable("def self.a; a; end\na", "2: it takes too long to read");
}

#[test]
fn an_unreadable_type_is_guessed_and_accepts_everything() {
    let unreadable = outcome("newparam(:path) { isnamevar }\nmagic", &[]).expect_err("unreadable");
    let guess = unreadable.guess.expect("there is a guess");
    assert_eq!(attributes(&guess), " / path / path");
    assert!(guess.is_valid_parameter("anything"));
}

#[test]
fn no_ruby_and_no_type() {
    let broken = outcome("newparam(", &[]).expect_err("it is broken");
    assert!(broken.reason.starts_with("no Ruby: "), "{broken}");
    let other = read("thing", "/x.rb", "Puppet::Type.newtype(:other) {}", &Files::default());
    assert_eq!(other.expect_err("there is none").reason, "it declares no type `thing`");
    let deep = format!("newparam(:x) {{ {}1{} }}", "[".repeat(3000), "]".repeat(3000));
    check(&deep, &[], " / x / ");
}

#[test]
fn valid_parameters() {
    let read = outcome("newparam(:path) { isnamevar }\nensurable", &[]).expect("it is readable");
    for name in ["path", "ensure", "name", "require", "tag", "stage"] {
        assert!(read.is_valid_parameter(name), "{name}");
    }
    assert!(!read.is_valid_parameter("provider"));
    assert!(!read.is_valid_parameter("Path"));
    assert_eq!(read.namevar(), "path");
}

#[test]
fn title_patterns() {
    let body = "
      newparam(:name, :namevar => true)
      newparam(:host, :namevar => true)
      def self.title_patterns
        same = lambda { |x| x }
        [
          [/^(.+)@(.+)$/, [[:name, same], [:host, ->(x) { x.downcase.chomp('.') }]]],
          [/^(#{'[^@]'}*)$/m, [[:name]]]
        ]
      end";
    let read = outcome(body, &[]).expect("it is readable");
    let parts = |title: &str| read.parse_title(title).map(|parts| format!("{parts:?}"));
    assert_eq!(parts("a@B.").as_deref(), Ok(r#"[("name", Some("a")), ("host", Some("b"))]"#));
    assert_eq!(parts("a").as_deref(), Ok(r#"[("name", Some("a"))]"#));
    let error = parts("a@").expect_err("nothing matches").to_string();
    assert_eq!(error, "No set of title patterns matched the title \"a@\".");
    let key = |parameter: &dyn Fn(&str) -> Option<String>| {
        read.uniqueness_key("a@B.", &"-".to_owned(), parameter, &|text| text.to_owned())
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(key(&|_| None), Ok(vec![text("b"), text("a")]));
    assert_eq!(
        key(&|name| (name == "host").then(|| "c".to_owned())),
        Ok(vec![text("c"), text("a")])
    );
}

#[test]
fn several_keys_need_title_patterns() {
    let read =
        outcome("newparam(:a, namevar: true)\nnewparam(:name)", &[]).expect("it is readable");
    let error = read.parse_title("x").expect_err("it is not specified").to_string();
    assert_eq!(error, "you must specify title patterns when there are two or more key attributes");
}

#[test]
fn types_of_the_resource_api() {
    let text = "
      require 'puppet/resource_api'
      Puppet::ResourceApi.register_type(
        name: 'thing',
        desc: <<-EOS,
          text
        EOS
        features: ['remote_resource'],
        title_patterns: [
          { pattern: %r{^(?<name>.*[^-])-(?<manager>.*)$}, desc: 'both' },
          { pattern: %r{^(?<name>.*)$}, desc: 'one' },
        ],
        attributes: {
          name: { type: 'String', desc: 'x', behaviour: :namevar },
          manager: { type: 'String', desc: 'x', behavior: :namevar },
          ensure: { type: 'Enum[present, absent]', desc: 'x' },
          size: { type: 'Integer', desc: 'x', behaviour: :read_only },
          mode: { type: 'Integer', desc: 'x', behaviour: :init_only },
        }
      )";
    let read = read("thing", "/x.rb", text, &Files::default()).expect("it is readable");
    assert_eq!(attributes(&read), "ensure mode / name manager size / name manager");
    let parts = read.parse_title("a-b").expect("it matches");
    assert_eq!(parts, [("name", Some("a".to_owned())), ("manager", Some("b".to_owned()))]);
}

#[test]
fn a_constant_may_hold_declarations() {
    let helper = "module PuppetX; COMMON = Proc.new { ensurable; newparam(:url) }; end";
    let body = "require 'puppet_x/common'\ninstance_eval(&PuppetX::COMMON)";
    check(body, &[("puppet_x/common.rb", helper)], "ensure / url / ");
}

#[test]
fn a_part_of_a_title_that_is_missing() {
    let body = "
      newparam(:user, namevar: true)
      newparam(:id, namevar: true)
      def self.title_patterns
        optional = ->(x) { x.nil? ? '' : x }
        patterns = []
        patterns << [/^(\\S+)\\s*(\\d+)?$/, [[:user], [:id, optional]]]
        patterns
      end";
    let read = outcome(body, &[]).expect("it is readable");
    let parts = read.parse_title("a").expect("it matches");
    assert_eq!(parts, [("user", Some("a".to_owned())), ("id", Some(String::new()))]);
}

#[test]
fn whatever_is_cut_off_does_no_harm() {
    let text = "
      module PuppetX; def self.names(*a, b: 1, &c) = a.map { |(x, y), *z| x }; end
      Puppet::Type.newtype(:thing) do
        [[:a, 1], [:b, 2]].each { |name, (x, y)| newparam(name) { isnamevar unless x } }
        case 1 when 1, 2 then newparam(:\"c#{1}\") else raise 'x' end
        @x ||= {}; @x[:a] = 1; @x << *[1]; a, @b = *nil; a += 1; A ||= %w[a]
        def self.title_patterns = super + [[/(#{1})/x, [[:a, ->(x) { x.strip.sub(/a/, '') }]]]]
        begin; include self; extend self; rescue StandardError => e; retry; ensure; yield; end
        send(:newproperty, :d, **{}) ; define_method(:x) { super() }; class << self; alias a b; end
      end";
    for (at, _) in text.char_indices() {
        let _ = read("thing", "/x.rb", &text[..at], &Files::default());
        let _ = read("thing", "/x.rb", &text[at..], &Files::default());
        let without = format!("{}{}", &text[..at], &text[at + 1..]);
        let _ = read("thing", "/x.rb", &without, &Files::default());
    }
}
