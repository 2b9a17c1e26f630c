//! Tests of the parts that need neither Kukla nor Puppet.

use crate::reduce::reduce;
use crate::{Case, Issue, generator, spec};

#[test]
fn reduction_keeps_what_matters() {
    let small = reduce("notice(1)\nfile { '/x': }\nnotice(2)\n", |text| text.contains('{'));
    assert_eq!(small, "{");
}

#[test]
fn reduction_ends_when_nothing_can_go() {
    assert_eq!(reduce("ab", |text| text == "ab"), "ab");
    assert_eq!(reduce("", |_| false), "");
}

#[test]
fn recorded_lines_are_read_back() {
    for line in [
        "error syntax-error 1:7 Syntax error at 'foo'",
        "error - - end pattern with unmatched parenthesis: /(/",
        "deprecation future-reserved-word file  two blanks",
        "error NoMethodError -",
    ] {
        let issue = Issue::parse(line).expect("it is a complaint");
        assert_eq!(issue.to_string(), line);
    }
}

#[test]
fn a_seed_always_gives_the_same_program() {
    for seed in 0..50 {
        assert_eq!(generator::program(seed).bytes, generator::program(seed).bytes);
    }
}

#[test]
fn every_valid_program_is_recorded() {
    let topics = spec::folder("valid").expect("the specs can be read");
    for topic in topics {
        let text = std::fs::read_to_string(&topic.path).expect("it was read before");
        assert!(topic.tests.iter().all(|test| test.recorded.is_some()), "{}", topic.topic);
        assert!(text.ends_with('\n'), "{}", topic.topic);
    }
}

#[test]
fn a_case_stands_where_it_says() {
    let inside = Case { file: Some("a/manifests/init.pp".to_owned()), ..Case::manifest("") };
    assert_eq!(inside.file_name(), "/modules/a/manifests/init.pp");
    assert_eq!(Case::template("").file_name(), "/manifests/site.epp");
}
