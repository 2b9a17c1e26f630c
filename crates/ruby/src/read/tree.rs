//! The tree that is evaluated.

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_regex::{Options, Regex};
use kukla_rubytext::BigInt;

/// A name: of a method, variable, constant or symbol.
pub(crate) type Name = EcoString;

/// `@name`
#[derive(Debug)]
pub(crate) struct IVar {
    /// With the sign.
    pub(crate) name: Name,
    /// The variable of the manifest that it is in a template.
    pub(crate) variable: Symbol,
}

impl IVar {
    pub(super) fn new(name: Name) -> Self {
        Self { variable: Symbol::new(name.trim_start_matches('@')), name }
    }
}

/// A source file.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) file: Name,
    pub(crate) n_locals: usize,
    pub(crate) body: Node,
    pub(crate) uses: Uses,
}

/// Names that a file uses and defines, to be judged before it runs.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// Methods that are called, with the line of the first call.
    pub(crate) methods: Vec<(Name, u32)>,
    /// Constants, as far as they are written out: `Puppet::Error`.
    pub(crate) constants: Vec<(Name, u32)>,
    /// Methods that it defines.
    pub(crate) defines: Vec<Name>,
    /// Constants that it defines.
    pub(crate) defines_constants: Vec<Name>,
    /// Files that it requires.
    pub(crate) requires: Vec<(Name, u32)>,
}

/// An expression and the line that Ruby would name in a backtrace.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) line: u32,
    pub(crate) kind: Kind,
}

/// A variable of the method or of a block: how many blocks outwards, and which one there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) depth: u32,
    pub(crate) index: u32,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Nil,
    True,
    False,
    SelfRef,
    Int(i64),
    Big(Box<BigInt>),
    Float(f64),
    Str {
        text: EcoString,
        frozen: bool,
    },
    Sym(Name),
    Regex(Regex),
    DStr(Vec<Node>),
    DSym(Vec<Node>),
    DRegex(Vec<Node>, Options),
    Array(Vec<Node>),
    /// Entries; without a key, it is `**value`. `keywords`: written without braces, at the end of a call.
    Hash {
        entries: Vec<(Option<Node>, Node)>,
        keywords: bool,
    },
    Range {
        from: Option<Box<Node>>,
        to: Option<Box<Node>>,
        excludes_end: bool,
    },
    Local(Slot),
    IVar(IVar),
    GVar(Name),
    CVar(Name),
    /// `Name`, `parent::Name`, `::Name`
    Const(Name),
    ConstIn(Box<Node>, Name),
    TopConst(Name),
    Assign(Box<Target>, Box<Node>),
    MultiAssign(Box<Multi>, Box<Node>),
    OpAssign(Box<OpAssign>),
    Seq(Vec<Node>),
    If(Box<(Node, Node, Node)>),
    And(Box<(Node, Node)>),
    Or(Box<(Node, Node)>),
    While(Box<While>),
    For(Box<(Target, Node, Node)>),
    Case(Box<Case>),
    Call(Box<Call>),
    Super(Box<Call>, /* passes the method's own arguments */ bool),
    Yield(Vec<Node>),
    Begin(Box<Begin>),
    Def(Arc<Def>, Option<Box<Node>>),
    Module(Box<Module>),
    Return(Option<Box<Node>>),
    Break(Option<Box<Node>>),
    Next(Option<Box<Node>>),
    Retry,
    Defined(Box<Node>),
    Lambda(Arc<Block>),
    Splat(Box<Node>),
    NthRef(usize),
    BackRef(char),
    MatchWrite(Box<Node>, Vec<(Name, Target)>),
    Alias(Name, Name),
    File,
}

/// Something that is assigned to.
#[derive(Debug)]
pub(crate) enum Target {
    Local(Slot),
    IVar(IVar),
    GVar(Name),
    CVar(Name),
    Const(Option<Node>, Name),
    Index(Node, Vec<Node>),
    Attr { recv: Node, name: Name, safe: bool },
    Multi(Box<Multi>),
}

/// `a, *b, (c, d) = …`
#[derive(Debug)]
pub(crate) struct Multi {
    pub(crate) left: Vec<Target>,
    /// Outer: whether there is a star; inner: what it is called.
    pub(crate) rest: Option<Option<Target>>,
    pub(crate) right: Vec<Target>,
}

#[derive(Debug)]
pub(crate) struct OpAssign {
    pub(crate) target: Target,
    pub(crate) op: Op,
    pub(crate) value: Node,
}

/// The operator of `a += b`.
#[derive(Debug)]
pub(crate) enum Op {
    Or,
    And,
    Call(Name),
}

#[derive(Debug)]
pub(crate) struct While {
    pub(crate) condition: Node,
    pub(crate) negated: bool,
    /// `begin … end while …`
    pub(crate) body_first: bool,
    pub(crate) body: Node,
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) subject: Option<Node>,
    pub(crate) whens: Vec<(Vec<Node>, Node)>,
    pub(crate) otherwise: Node,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) recv: Option<Node>,
    pub(crate) name: Name,
    pub(crate) args: Vec<Node>,
    pub(crate) block: Option<BlockArg>,
    /// `&.`
    pub(crate) safe: bool,
    /// A bare name, which may have been meant as a variable.
    pub(crate) bare: bool,
    /// No splat and no keywords among the arguments.
    pub(crate) plain: bool,
    /// `a.b = c`, which evaluates to `c`.
    pub(crate) attribute: bool,
    /// The variable of `text << …`: that is most of what a template does.
    pub(crate) appends_to: Option<Slot>,
}

#[derive(Debug)]
pub(crate) enum BlockArg {
    Block(Arc<Block>),
    Pass(Node),
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) params: Params,
    pub(crate) n_locals: usize,
    pub(crate) body: Node,
    pub(crate) file: Name,
}

#[derive(Debug)]
pub(crate) struct Def {
    pub(crate) name: Name,
    pub(crate) params: Params,
    pub(crate) n_locals: usize,
    pub(crate) body: Node,
    pub(crate) file: Name,
}

#[derive(Debug, Default)]
pub(crate) struct Params {
    pub(crate) required: Vec<Target>,
    pub(crate) optional: Vec<(Slot, Node)>,
    pub(crate) rest: Option<Option<Slot>>,
    pub(crate) post: Vec<Target>,
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) keyword_rest: Option<Option<Slot>>,
    pub(crate) block: Option<Slot>,
    /// `|a, |`: takes arrays apart though there is one name only.
    pub(crate) trailing_comma: bool,
}

#[derive(Debug)]
pub(crate) struct Keyword {
    pub(crate) name: Name,
    pub(crate) slot: Slot,
    /// `None` if it must be given.
    pub(crate) default: Option<Node>,
}

#[derive(Debug)]
pub(crate) struct Begin {
    pub(crate) body: Node,
    pub(crate) rescues: Vec<Rescue>,
    pub(crate) otherwise: Option<Node>,
    pub(crate) ensure: Option<Node>,
}

#[derive(Debug)]
pub(crate) struct Rescue {
    pub(crate) classes: Vec<Node>,
    pub(crate) target: Option<Target>,
    pub(crate) body: Node,
}

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) what: ModuleKind,
    /// Where it is: `None` for the present one.
    pub(crate) parent: Option<Node>,
    pub(crate) top: bool,
    pub(crate) name: Name,
    pub(crate) n_locals: usize,
    pub(crate) body: Node,
}

#[derive(Debug)]
pub(crate) enum ModuleKind {
    Class(Option<Node>),
    Module,
    /// `class << self`
    Singleton(Node),
}

impl Node {
    pub(crate) fn new(line: u32, kind: Kind) -> Self {
        Self { line, kind }
    }
}
