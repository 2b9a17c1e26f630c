//! Groups: which of their offsets are undone on backtracking, how they are called, and the groups that Ruby makes of `\R`
//! and `\X`.

use super::Compiler;
use crate::parse::class::{Class, Item, Property};
use crate::parse::tree::{GroupKind, LookKind, Node, NodeId, Tree};
use crate::program::{CharSet, Loop, One, Op, RepeatBounds, SaveEnd};
use crate::resolve::resolve;

/// Properties of the groups of a tree, by number.
#[derive(Debug)]
pub(super) struct Groups {
    /// Set if its start is undone on backtracking.
    ///
    /// Ruby skips that where it can see that there is no alternative to try.
    is_start_pushed: Vec<bool>,
    /// Set if its end is undone on backtracking.
    is_end_pushed: Vec<bool>,
    is_called: Vec<bool>,
    is_recursive: Vec<bool>,
}

/// The context of a node.
#[derive(Clone, Copy, Default)]
struct NodeContext {
    /// Set inside a construct in which a group may be entered and left again.
    is_tried: bool,
    is_recursive: bool,
}

impl Groups {
    pub(super) fn new(tree: &Tree<'_>) -> Self {
        let none = vec![false; tree.n_groups() + 1];
        let mut groups = Self {
            is_start_pushed: none.clone(),
            is_end_pushed: none.clone(),
            is_called: none.clone(),
            is_recursive: none,
        };
        for node in &tree.nodes {
            groups.note_references(tree, node);
        }
        groups.visit(tree, tree.root, NodeContext::default());
        groups
    }

    pub(super) fn is_called(&self, number: usize) -> bool {
        self.is_called[number]
    }

    fn note_references(&mut self, tree: &Tree<'_>, node: &Node<'_>) {
        match node {
            Node::Call(call) => {
                if let Node::Group { kind: GroupKind::Capture { number, .. }, .. } =
                    tree.nodes[call.target]
                {
                    self.is_called[number] = true;
                    self.is_start_pushed[number] = true;
                }
            }
            Node::Backref(reference) => {
                for &number in tree.referred(&reference.to) {
                    if let Some(is_pushed) = self.is_start_pushed.get_mut(number) {
                        *is_pushed = true;
                        self.is_end_pushed[number] |= reference.level.is_some();
                    }
                }
            }
            _ => {}
        }
    }

    fn visit(&mut self, tree: &Tree<'_>, id: NodeId, around: NodeContext) {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            let mut inside = around;
            match &tree.nodes[id] {
                Node::Alternatives(_)
                | Node::Look { kind: LookKind::NotAhead | LookKind::NotBehind, .. } => {
                    inside.is_tried = true;
                }
                Node::Repeat(repeat) => inside.is_tried |= !repeat.is_fixed(),
                Node::Group { kind: GroupKind::Capture { number, .. }, .. } => {
                    self.is_start_pushed[*number] |= around.is_tried;
                    let is_recursive = tree.is_recursive.get(id).is_some_and(|&is| is);
                    self.is_recursive[*number] = is_recursive || around.is_recursive;
                    inside.is_tried |= self.is_called[*number];
                    inside.is_recursive |= is_recursive;
                }
                _ => {}
            }
            for &child in tree.nodes[id].children() {
                self.visit(tree, child, inside);
            }
        });
    }
}

impl Compiler<'_, '_> {
    /// Emits `(…)`. The body of a called group is called from its own place as well.
    pub(super) fn capture(&mut self, id: NodeId, number: usize, body: NodeId) -> Option<()> {
        if !self.groups.is_called[number] {
            return self.capture_body(number, body);
        }
        let call = self.emit(Op::Call(0))?;
        self.calls.push((call, id));
        let jump = self.emit(Op::Jump(0))?;
        self.addresses[id] = Some(self.here());
        self.capture_body(number, body)?;
        self.emit(Op::Return)?;
        self.land(jump);
        Some(())
    }

    fn capture_body(&mut self, number: usize, body: NodeId) -> Option<()> {
        let group = u32::try_from(number).ok()?;
        let is_pushed = self.groups.is_start_pushed[number];
        self.emit(Op::SaveStart { group, is_pushed })?;
        self.node(body)?;
        let is_pushed = self.groups.is_end_pushed[number];
        let is_recursive = self.groups.is_recursive[number];
        self.emit(Op::SaveEnd(SaveEnd { group, is_pushed, is_recursive })).map(drop)
    }

    /// Sets the addresses of all calls.
    pub(super) fn link_calls(&mut self) {
        for (at, target) in std::mem::take(&mut self.calls) {
            if let Some(address) = self.addresses[target] {
                self.ops[at] = Op::Call(address);
            }
        }
    }

    /// Emits `\R`: `(?>\r\n|[\n-\r\u{85}\u{2028}\u{2029}])`.
    pub(super) fn line_break(&mut self) -> Option<()> {
        self.emit(Op::Mark)?;
        self.alternatives(2, |compiler, index| {
            if index == 0 {
                return compiler.emit(Op::Bytes(b"\r\n".as_slice().into())).map(drop);
            }
            let ranges = [('\n', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')];
            let one = compiler.set_of(ranges.map(|(a, b)| Item::Range(a, b)).to_vec(), false);
            compiler.emit(Op::One(one)).map(drop)
        })?;
        self.emit(Op::Commit).map(drop)
    }

    /// Emits `\X`: an extended grapheme cluster.
    pub(super) fn cluster(&mut self) -> Option<()> {
        self.emit(Op::Mark)?;
        self.alternatives(4, |compiler, index| match index {
            0 => compiler.emit(Op::Bytes(b"\r\n".as_slice().into())).map(drop),
            1 => {
                let controls = compiler.set_of(controls(), false);
                compiler.emit(Op::One(controls)).map(drop)
            }
            2 => {
                compiler.repeat_property("Prepend", 0)?;
                compiler.cluster_core()?;
                let mut after = vec![property("graphemeclusterbreak=extend")];
                after.push(property("graphemeclusterbreak=spacingmark"));
                after.push(Item::Range('\u{200D}', '\u{200D}'));
                let one = compiler.set_of(after, false);
                compiler.emit_loop(one, 0, u32::MAX)
            }
            _ => compiler.emit(Op::One(One::Any)).map(drop),
        })?;
        self.emit(Op::Commit).map(drop)
    }

    /// Emits a Hangul syllable, a flag, a pictograph with its joined parts, or any character.
    fn cluster_core(&mut self) -> Option<()> {
        self.alternatives(6, |compiler, index| match index {
            0 => {
                compiler.repeat_property("L", 0)?;
                compiler.alternatives(3, |compiler, index| match index {
                    0 => compiler.repeat_property("V", 1),
                    1 => {
                        compiler.emit_property("graphemeclusterbreak=lv")?;
                        compiler.repeat_property("V", 0)
                    }
                    _ => compiler.emit_property("graphemeclusterbreak=lvt"),
                })?;
                compiler.repeat_property("T", 0)
            }
            1 => compiler.repeat_property("L", 1),
            2 => compiler.repeat_property("T", 1),
            3 => {
                let one = compiler.set_of(vec![property("regionalindicator")], false);
                compiler.emit_loop(one, 2, 2)
            }
            4 => compiler.pictographs(),
            _ => {
                let one = compiler.set_of(controls(), true);
                compiler.emit(Op::One(one)).map(drop)
            }
        })
    }

    /// Emits pictographs connected by zero-width joiners.
    fn pictographs(&mut self) -> Option<()> {
        self.emit_property("extendedpictographic")?;
        let again = self.here();
        let push = self.emit(Op::Push(0))?;
        self.repeat_property("Extend", 0)?;
        self.text("\u{200D}", false)?;
        self.emit_property("extendedpictographic")?;
        self.emit(Op::Jump(again))?;
        self.land(push);
        Some(())
    }

    fn repeat_property(&mut self, name: &str, lower: u32) -> Option<()> {
        let name = format!("graphemeclusterbreak={}", name.to_ascii_lowercase());
        let one = self.set_of(vec![property(&name)], false);
        self.emit_loop(one, lower, u32::MAX)
    }

    fn emit_property(&mut self, name: &str) -> Option<()> {
        let one = self.set_of(vec![property(name)], false);
        self.emit(Op::One(one)).map(drop)
    }

    fn emit_loop(&mut self, one: One, lower: u32, upper: u32) -> Option<()> {
        let repeat = RepeatBounds { lower, upper, is_greedy: true };
        self.emit(Op::Loop(Loop { one, repeat, is_possessive: false, next: None })).map(drop)
    }

    fn set_of(&mut self, items: Vec<Item>, is_negated: bool) -> One {
        let class = Class { is_negated, parts: vec![items], ignores_case: false };
        self.set(CharSet::new(&resolve(&class).set))
    }
}

fn property(name: &str) -> Item {
    let name = name.to_owned();
    Item::Property(Property { name, is_negated: false, is_ascii: false, folds_over_ascii: false })
}

/// Control characters with `\r` and `\n`.
fn controls() -> Vec<Item> {
    let breaks = [Item::Range('\n', '\n'), Item::Range('\r', '\r')];
    std::iter::once(property("graphemeclusterbreak=control")).chain(breaks).collect()
}
