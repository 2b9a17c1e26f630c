//! Functions that match regular expressions.

use std::borrow::Cow;
use std::sync::Arc;

use kukla_base::EditionChange;
use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::regex::{Options, Regex};
use kukla_pcore::{Hash, Type, Value, ruby};

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "split",
        &[
            Signature::new("String str, String pattern", split_by_regexp),
            Signature::new("String str, Regexp pattern", split_by_regexp),
            Signature::new("String str, Type[Regexp] pattern", split_by_regexp),
            Signature::new("Sensitive[String] sensitive, String pattern", split_sensitive)
                .since(EditionChange::SplitSensitive),
            Signature::new("Sensitive[String] sensitive, Regexp pattern", split_sensitive)
                .since(EditionChange::SplitSensitive),
            Signature::new("Sensitive[String] sensitive, Type[Regexp] pattern", split_sensitive)
                .since(EditionChange::SplitSensitive),
        ],
    )
    .keeping_encoding(),
    Function::typed(
        "regsubst",
        &[
            Signature::new(
                "Variant[Array[String], String] target, String pattern, Variant[String, Hash[String, String]] replacement, Optional[Pattern[/^[GEIM]*$/]] flags?, Enum['N', 'E', 'S', 'U'] encoding?",
                regsubst_text,
            )
            .until(EditionChange::RegsubstSensitive),
            Signature::new(
                "Variant[Array[String], String] target, Variant[Regexp, Type[Regexp]] pattern, Variant[String, Hash[String, String]] replacement, Pattern[/^G?$/] flags?",
                regsubst_regexp,
            )
            .until(EditionChange::RegsubstSensitive),
            Signature::new(
                "Variant[Array[Variant[String, Sensitive[String]]], Sensitive[Array[Variant[String, Sensitive[String]]]], Variant[String, Sensitive[String]]] target, String pattern, Variant[String, Hash[String, String]] replacement, Optional[Pattern[/^[GEIM]*$/]] flags?, Enum['N', 'E', 'S', 'U'] encoding?",
                regsubst_text,
            )
            .since(EditionChange::RegsubstSensitive)
            .until(EditionChange::RegsubstEncodingRemoved),
            Signature::new(
                "Variant[Array[Variant[String, Sensitive[String]]], Sensitive[Array[Variant[String, Sensitive[String]]]], Variant[String, Sensitive[String]]] target, String pattern, Variant[String, Hash[String, String]] replacement, Optional[Pattern[/^[GEIM]*$/]] flags?",
                regsubst_text,
            )
            .since(EditionChange::RegsubstEncodingRemoved),
            Signature::new(
                "Variant[Array[Variant[String, Sensitive[String]]], Sensitive[Array[Variant[String, Sensitive[String]]]], Variant[String, Sensitive[String]]] target, Variant[Regexp, Type[Regexp]] pattern, Variant[String, Hash[String, String]] replacement, Pattern[/^G?$/] flags?",
                regsubst_regexp,
            )
            .since(EditionChange::RegsubstSensitive),
        ],
    )
    .keeping_encoding(),
    Function::typed(
        "match",
        &[
            Signature::new("String string, Variant[Any, Type] pattern", |call| {
                matched(call, call.string(0), call.value(1))
            }),
            Signature::new("Array[String] string, Variant[Any, Type] pattern", match_each),
        ],
    )
    .keeping_encoding(),
];

/// Returns the error of an expression, or of its match.
fn failed(error: impl std::fmt::Display) -> Box<kukla_compiler::Stop> {
    crate::fault::failed(error.to_string())
}

/// Returns the offset of the first match.
pub(crate) fn find(regex: &Regex, text: &str) -> Eval<Option<usize>> {
    Ok(regex.captures(text, 0).map_err(failed)?.map(|captures| captures.start()))
}

fn split(text: &str, regex: &Regex) -> Eval<Value> {
    let parts = regex.split(text, 0).map_err(failed)?;
    Ok(Value::array(parts.into_iter().map(Value::from)))
}

/// Splits by a regular expression, its type or its text.
fn split_by_regexp(call: &mut Call<'_>) -> Eval<Value> {
    let regex = pattern(call)?;
    split(call.string(0), &regex)
}

/// Splits a secret; the result is secret too.
fn split_sensitive(call: &mut Call<'_>) -> Eval<Value> {
    let regex = pattern(call)?;
    let Value::Sensitive(secret) = call.value(0) else { return Ok(Value::Undef) };
    let parts = split(secret.as_str().unwrap_or_default(), &regex)?;
    Ok(Value::Sensitive(Arc::new(parts)))
}

/// Returns the second argument of `split`.
fn pattern(call: &mut Call<'_>) -> Eval<Regex> {
    Ok(match call.value(1) {
        Value::String(source) => call.regex(source, Options::default())?,
        Value::Regexp(regex) => regex.clone(),
        Value::Type(type_) => match &**type_ {
            Type::Regexp(Some(regex)) => regex.clone(),
            // `Regexp` alone matches everywhere.
            _ => call.regex("", Options::default())?,
        },
        _ => call.regex("", Options::default())?,
    })
}

/// The replacement of a match.
enum Replacement<'a> {
    Text(&'a str),
    ByMatch(&'a Hash),
}

/// The pattern: Puppet takes the text of `Regexp[/a.c/]` literally.
enum SearchPattern<'a> {
    Regex(Regex),
    Literal(&'a str),
}

fn regsubst_text(call: &mut Call<'_>) -> Eval<Value> {
    if call.edition().has(EditionChange::RegsubstEncodingDeprecated) && !call.value(4).is_undef() {
        call.warn_once(
            "regsubst_function_encoding",
            "The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be removed in a future release",
        );
    }
    let flags = call.value(3).as_str().unwrap_or_default();
    let options = Options {
        ignore_case: flags.contains('I'),
        extended: flags.contains('E'),
        multi_line: flags.contains('M'),
    };
    let regex = call.regex(call.string(1), options)?;
    regsubst(call, &SearchPattern::Regex(regex), flags.contains('G'))
}

fn regsubst_regexp(call: &mut Call<'_>) -> Eval<Value> {
    let pattern = match call.value(1) {
        Value::Regexp(regex) => SearchPattern::Regex(regex.clone()),
        Value::Type(type_) => match &**type_ {
            Type::Regexp(Some(regex)) => SearchPattern::Literal(regex.source()),
            _ => SearchPattern::Literal(""),
        },
        _ => SearchPattern::Literal(""),
    };
    regsubst(call, &pattern, call.value(3).as_str() == Some("G"))
}

fn regsubst(call: &Call<'_>, pattern: &SearchPattern<'_>, everywhere: bool) -> Eval<Value> {
    let replacement = match call.value(2) {
        Value::Hash(hash) => Replacement::ByMatch(hash),
        _ => Replacement::Text(call.string(2)),
    };
    let literal;
    let regex = match pattern {
        SearchPattern::Regex(regex) => regex,
        SearchPattern::Literal(text) => {
            literal = Regex::new(&ruby::regexp_escape(text)).map_err(failed)?;
            &literal
        }
    };
    let change = |text: &str| substitute(regex, text, &replacement, everywhere);
    changed(call.value(0), &change)
}

/// Changes a text, or all texts of an array; a secret text stays secret, a secret array does not.
fn changed(target: &Value, change: &dyn Fn(&str) -> Eval<Value>) -> Eval<Value> {
    match target {
        Value::Array(texts) => {
            let texts: Eval<Vec<Value>> = texts.iter().map(|text| changed(text, change)).collect();
            Ok(Value::array(texts?))
        }
        Value::Sensitive(secret) => match &**secret {
            Value::Array(_) => changed(secret, change),
            text => Ok(Value::Sensitive(Arc::new(changed(text, change)?))),
        },
        text => change(text.as_str().unwrap_or_default()),
    }
}

fn substitute(
    regex: &Regex,
    text: &str,
    replacement: &Replacement<'_>,
    everywhere: bool,
) -> Eval<Value> {
    let changed: Cow<'_, str> = match (replacement, everywhere) {
        (Replacement::Text(with), true) => regex.gsub(text, with).map_err(failed)?,
        (Replacement::Text(with), false) => regex.sub(text, with).map_err(failed)?,
        (Replacement::ByMatch(hash), _) => replace_by_match(regex, text, hash, everywhere)?,
    };
    Ok(Value::from(&*changed))
}

/// Replaces each match, or the first, by its value in a hash.
fn replace_by_match<'t>(
    regex: &Regex,
    text: &'t str,
    hash: &Hash,
    everywhere: bool,
) -> Eval<Cow<'t, str>> {
    let replacement =
        |matched: &str| hash.get_str(matched).and_then(Value::as_str).unwrap_or_default();
    if everywhere {
        let changed = regex.gsub_with(text, |captures, out| {
            out.push_str(replacement(captures.get(0).unwrap_or_default()));
            Ok(())
        });
        return changed.map_err(|error: kukla_pcore::regex::LimitError| failed(error));
    }
    let Some(captures) = regex.captures(text, 0).map_err(failed)? else { return Ok(text.into()) };
    let (start, end) = (captures.start(), captures.end());
    Ok(format!("{}{}{}", &text[..start], replacement(&text[start..end]), &text[end..]).into())
}

fn match_each(call: &mut Call<'_>) -> Eval<Value> {
    let mut results = Vec::new();
    for text in call.array(0) {
        results.push(matched(call, text.as_str().unwrap_or_default(), call.value(1))?);
    }
    Ok(Value::array(results))
}

/// Returns the match of a pattern and its groups; `undef` if there is none.
fn matched(call: &mut Call<'_>, text: &str, pattern: &Value) -> Eval<Value> {
    match pattern {
        Value::String(source) => groups(&call.regex(source, Options::default())?, text),
        Value::Regexp(regex) => groups(regex, text),
        Value::Array(patterns) => first(patterns, |pattern| matched(call, text, pattern)),
        Value::Type(type_) => match_type(text, type_),
        other => no_pattern(other),
    }
}

fn match_type(text: &str, type_: &Type) -> Eval<Value> {
    match type_ {
        Type::Alias(alias) if alias.resolved().is_some() => {
            alias.resolved().map_or(Ok(Value::Undef), |resolved| match_type(text, resolved))
        }
        Type::Variant(types) => first(types, |type_| match_type(text, type_)),
        Type::Pattern(patterns) => first(patterns, |regex| groups(regex, text)),
        Type::Regexp(Some(regex)) => groups(regex, text),
        Type::Regexp(None) => fault("Given Regexp Type has no regular expression"),
        other => no_pattern(&Value::from(other.clone())),
    }
}

fn first<T>(patterns: &[T], mut matched: impl FnMut(&T) -> Eval<Value>) -> Eval<Value> {
    for pattern in patterns {
        let result = matched(pattern)?;
        if result.is_truthy() {
            return Ok(result);
        }
    }
    Ok(Value::Undef)
}

fn groups(regex: &Regex, text: &str) -> Eval<Value> {
    let Some(captures) = regex.captures(text, 0).map_err(failed)? else { return Ok(Value::Undef) };
    let groups = (0..captures.len()).map(|group| captures.get(group));
    Ok(Value::array(groups.map(|group| group.map_or(Value::Undef, Value::from))))
}

fn no_pattern(value: &Value) -> Eval<Value> {
    fault(format!(
        "match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got {}",
        ruby::class_name(value)
    ))
}
