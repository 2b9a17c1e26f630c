//! Mutation operators: typical human mistakes.

use kukla_plang::lexer::lex;
use kukla_plang::limits::Limits;
use kukla_plang::token::{Keyword, Symbol, Token, TokenKind};

/// A name, and a function from a program to its mutants.
pub(crate) type Operator = (&'static str, fn(&str) -> Vec<String>);

/// All operators.
pub(crate) const OPERATORS: &[Operator] = &[
    ("two letters of a name swapped", swapped_letters),
    ("a letter of a name left out", |text| {
        each_word(text, |word| Some(word[..word.len() - 1].to_owned()))
    }),
    ("a name in the wrong case", |text| each_word(text, other_case)),
    ("a symbol left out", left_out),
    ("`=` for `:=`", |text| each_symbol(text, Symbol::Assign, "=")),
    ("`:=` for `==`", |text| each_symbol(text, Symbol::EqualEqual, ":=")),
    ("`=` for `==`", |text| each_symbol(text, Symbol::EqualEqual, "=")),
    ("`&&` for `and`", |text| each_keyword(text, Keyword::And, "&&")),
    ("`||` for `or`", |text| each_keyword(text, Keyword::Or, "||")),
    ("a number for a string", |text| each_text(text, |_| Some("1".to_owned()))),
    ("a string for a number", string_for_number),
    ("single quotes", |text| each_text(text, |literal| Some(literal.replace('"', "'")))),
    ("a string without its end", |text| {
        each_text(text, |literal| Some(literal[..literal.len() - 1].to_owned()))
    }),
    ("a line left out", without_line),
    ("a line twice", line_twice),
    ("a path without its slash", |text| {
        each_text(text, |literal| literal.strip_prefix("\"/").map(|rest| format!("\"{rest}")))
    }),
    ("a method in lower case", |text| each_text(text, lower_method)),
    ("a network that is too long", |text| {
        each_text(text, |literal| {
            literal
                .split_once('/')
                .filter(|(ip, _)| ip.starts_with("\"1"))
                .map(|(ip, _)| format!("{ip}/40\""))
        })
    }),
    ("an argument left out", without_argument),
    ("an argument too many", one_more_argument),
    ("a URI with a typing mistake", |text| {
        each_text(text, |literal| {
            literal.contains("opes://").then(|| literal.replace("opes://", "opes://x"))
        })
    }),
    ("a pool with a typing mistake", |text| {
        each_text(text, |literal| {
            ["\"compilers\"", "\"canaries\""]
                .contains(&literal)
                .then(|| literal.replacen('a', "e", 1).replacen('o', "u", 1))
        })
    }),
    ("a decision before all others", |text| vec![format!("Access.deny(\"all\");\n{text}")]),
];

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = lex(text, &Limits::DEFAULT).tokens;
    tokens.retain(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::End));
    tokens
}

/// Returns the text with a token replaced.
fn replaced(text: &str, token: Token, with: &str) -> String {
    let mut out = text.to_owned();
    out.replace_range(token.span.range(), with);
    out
}

fn each(text: &str, change: impl Fn(Token, &str) -> Option<String>) -> Vec<String> {
    let tokens = tokens(text);
    let changed = tokens.iter().filter_map(|token| {
        let with = change(*token, &text[token.span.range()])?;
        Some(replaced(text, *token, &with))
    });
    // The first three of each kind are enough.
    changed.take(3).collect()
}

fn each_word(text: &str, change: impl Fn(&str) -> Option<String>) -> Vec<String> {
    each(text, |token, word| {
        let is_name = token.kind == TokenKind::Word && word.len() > 2;
        if is_name { change(word).filter(|new| new != word && new.len() > 1) } else { None }
    })
}

fn each_text(text: &str, change: impl Fn(&str) -> Option<String>) -> Vec<String> {
    each(text, |token, literal| if token.kind == TokenKind::Text { change(literal) } else { None })
}

fn each_symbol(text: &str, symbol: Symbol, with: &str) -> Vec<String> {
    each(text, |token, _| (token.kind == TokenKind::Symbol(symbol)).then(|| with.to_owned()))
}

fn each_keyword(text: &str, keyword: Keyword, with: &str) -> Vec<String> {
    each(text, |token, _| (token.kind == TokenKind::Keyword(keyword)).then(|| with.to_owned()))
}

fn swapped_letters(text: &str) -> Vec<String> {
    each_word(text, |word| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.swap(1, 2);
        Some(letters.into_iter().collect())
    })
}

fn other_case(word: &str) -> Option<String> {
    let mut letters = word.chars();
    let first = letters.next()?;
    let first =
        if first.is_lowercase() { first.to_ascii_uppercase() } else { first.to_ascii_lowercase() };
    Some(std::iter::once(first).chain(letters).collect())
}

/// Removes parentheses, braces, dots and the like; the last semicolon is optional, so it stays.
fn left_out(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut out = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let is_last = tokens
            .get(index + 1)
            .is_none_or(|next| next.kind == TokenKind::Symbol(Symbol::BraceClose));
        let is_wanted = match token.kind {
            TokenKind::Symbol(Symbol::Semicolon) => !is_last,
            TokenKind::Symbol(symbol) => symbol != Symbol::Bang && symbol != Symbol::Minus,
            _ => false,
        };
        if is_wanted && index % 3 == 0 {
            out.push(replaced(text, *token, " "));
        }
    }
    out
}

fn string_for_number(text: &str) -> Vec<String> {
    each(text, |token, number| (token.kind == TokenKind::Number).then(|| format!("\"{number}\"")))
}

/// Removes lines that define names.
fn without_line(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let assigns = |line: &&str| line.contains(":=") && !line.contains('{');
    let places = (0..lines.len()).filter(|index| assigns(&lines[*index]));
    places
        .map(|index| {
            joined(&lines, |i, line| if i == index { String::new() } else { line.to_owned() })
        })
        .collect()
}

fn line_twice(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_wanted = |line: &&str| line.contains(":=") || line.contains("Access.");
    let places =
        (0..lines.len()).filter(|index| is_wanted(&lines[*index]) && !lines[*index].ends_with('{'));
    let twice = places.map(|index| {
        joined(
            &lines,
            |i, line| if i == index { format!("{line}\n{line}") } else { line.to_owned() },
        )
    });
    twice.collect()
}

fn joined(lines: &[&str], change: impl Fn(usize, &str) -> String) -> String {
    let lines: Vec<String> =
        lines.iter().enumerate().map(|(index, line)| change(index, line)).collect();
    lines.join("\n")
}

fn lower_method(literal: &str) -> Option<String> {
    let is_method = ["\"GET\"", "\"PUT\"", "\"POST\"", "\"HEAD\""].contains(&literal);
    is_method.then(|| literal.to_lowercase())
}

/// `f("a")` as `f()`, `f("a", "b")` as `f("b")`.
fn without_argument(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut out = Vec::new();
    for window in tokens.windows(3) {
        let is_call = window[0].kind == TokenKind::Symbol(Symbol::ParenOpen)
            && window[1].kind == TokenKind::Text
            && window[2].kind == TokenKind::Symbol(Symbol::ParenClose);
        if is_call {
            out.push(replaced(text, window[1], ""));
        }
    }
    out.truncate(3);
    out
}

/// `f("a")` as `f("a", "a", "a", "a")`, where `f` does not take so many.
fn one_more_argument(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut out = Vec::new();
    for window in tokens.windows(4) {
        let is_call = window[1].kind == TokenKind::Symbol(Symbol::ParenOpen)
            && window[2].kind == TokenKind::Text
            && window[3].kind == TokenKind::Symbol(Symbol::ParenClose);
        let takes_many = &text[window[0].span.range()] == "set";
        if is_call && !takes_many {
            let literal = &text[window[2].span.range()];
            out.push(replaced(text, window[2], &format!("{literal}, {literal}, {literal}")));
        }
    }
    out.truncate(3);
    out
}
