//! The tree.

use std::rc::Rc;

use kukla_regex::Options;

/// A file, parsed.
#[derive(Debug)]
pub(crate) struct Tree {
    /// All of its statements.
    pub(crate) root: Node,
    /// Where it is.
    pub(crate) path: Rc<str>,
}

/// An expression and the line on which it begins.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) what: What,
    pub(crate) line: u32,
}

/// The kind of an expression, with its parts.
#[derive(Debug)]
pub(crate) enum What {
    Nil,
    True,
    False,
    SelfRef,
    File,
    Int(i64),
    Str(Rc<str>),
    Sym(Rc<str>),
    Regex(Rc<str>, Options),
    /// `"a#{b}"`
    Text(Vec<Node>),
    /// `:"a#{b}"`
    SymText(Vec<Node>),
    /// `/a#{b}/`
    RegexText(Vec<Node>, Options),
    Array(Vec<Node>),
    /// `*a`
    Splat(Box<Node>),
    /// Pairs; no key means `**value`.
    Hash(Vec<(Option<Node>, Node)>),
    Local(Rc<str>),
    SetLocal(Rc<str>, Box<Node>),
    InstanceVar(Rc<str>),
    SetInstanceVar(Rc<str>, Box<Node>),
    /// `A`, `::A` with `Nil` as its scope, or `scope::A`.
    Const(Option<Box<Node>>, Rc<str>),
    SetConst(Rc<str>, Box<Node>),
    /// `a, b = c`; targets that are not local variables are left out.
    SetMany(Vec<Option<Rc<str>>>, Box<Node>),
    /// `target op= value`, where `target` is read and `set` written with the present value in its place.
    Update(Box<Node>, Op, Box<Node>),
    Call(Box<Call>),
    Super(Option<Vec<Node>>),
    Yield(Vec<Node>),
    /// `def name` or `def self.name`
    Def {
        name: Rc<str>,
        is_singleton: bool,
        method: Rc<Block>,
    },
    /// `alias a b`
    Alias(Rc<str>, Rc<str>),
    Module(Box<Node>, Rc<Node>),
    /// A class, what it is derived from, its body.
    Class(Box<Node>, Option<Box<Node>>, Rc<Node>),
    /// `class << self`
    Singleton(Box<Node>, Rc<Node>),
    Seq(Vec<Node>),
    If(Box<Node>, Box<Node>, Box<Node>),
    /// A subject, conditions with their bodies, and what is done else.
    Case(Option<Box<Node>>, Vec<(Vec<Node>, Node)>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    /// `while`, `until`, `for`: a body that may run any number of times.
    Loop(Box<Node>),
    Return(Option<Box<Node>>),
    Next(Option<Box<Node>>),
    Break(Option<Box<Node>>),
    /// A body, and what is done if it raises something.
    Rescue(Box<Node>, Box<Node>),
    Lambda(Rc<Block>),
    Defined(Box<Node>),
    /// Something whose value is not known.
    Other,
}

/// The operator of an assignment.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Or,
    And,
    Method(Rc<str>),
}

/// A call of a method.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) receiver: Option<Node>,
    pub(crate) name: Rc<str>,
    pub(crate) args: Vec<Node>,
    pub(crate) block: Option<Rc<Block>>,
    /// `&block`
    pub(crate) block_arg: Option<Node>,
}

/// The body of a block, lambda or method.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) params: Params,
    pub(crate) body: Node,
}

/// Parameters of a block or method.
#[derive(Debug, Default)]
pub(crate) struct Params {
    /// Required ones; several names if the parameter is taken apart.
    pub(crate) required: Vec<Vec<Rc<str>>>,
    pub(crate) optional: Vec<(Rc<str>, Node)>,
    pub(crate) rest: Option<Rc<str>>,
    /// Those behind `*rest`.
    pub(crate) last: Vec<Rc<str>>,
    pub(crate) keywords: Vec<(Rc<str>, Option<Node>)>,
    pub(crate) keyword_rest: Option<Rc<str>>,
    pub(crate) block: Option<Rc<str>>,
}
