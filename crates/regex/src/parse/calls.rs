//! Calls of groups (`\g<name>`): resolution, and detection of endless recursion.

use super::lengths::Lengths;
use super::problem::{self, Problem};
use super::tree::{Call, Node, NodeId, Repeat, Tree};

/// The maximum number of visited nodes in the search for endless recursion.
///
/// The number of paths through calls can be exponential, and Ruby tries them all. A pattern that takes longer than this
/// counts as valid; Ruby would not finish in reasonable time.
const MAX_VISITS: usize = 2_000_000;

/// Resolves all calls and refuses those that can't end.
pub(super) fn check(tree: &mut Tree<'_>) -> Result<(), Problem> {
    if tree.n_calls == 0 {
        return Ok(());
    }
    let mut is_called = vec![false; tree.nodes.len()];
    for id in 0..tree.nodes.len() {
        if let Node::Call(call) = tree.nodes[id] {
            let target = target(tree, call)?;
            is_called[target] = true;
            tree.nodes[id] = Node::Call(Call { target, ..call });
        }
    }
    let mut search = RecursionSearch::new(tree, is_called);
    if search.mark_recursion(tree.root).is_err() {
        return Ok(());
    }
    let RecursionSearch { is_recursive, n_visits, .. } = search;
    for (node, is_recursive) in tree.nodes.iter_mut().zip(&is_recursive) {
        if let Node::Call(call) = node {
            call.is_recursive = *is_recursive;
        }
    }
    tree.is_recursive.clone_from(&is_recursive);
    let mut search = RecursionSearch { n_visits, ..RecursionSearch::new(tree, is_recursive) };
    match search.find_endless(tree.root) {
        Ok(()) | Err(SearchStop::TooLong) => Ok(()),
        Err(SearchStop::WrongBackref | SearchStop::Endless) => Err(problem::NEVER_ENDING),
    }
}

/// Returns the called group.
fn target(tree: &Tree<'_>, call: Call<'_>) -> Result<NodeId, Problem> {
    let number = if call.number != 0 {
        if tree.n_named > 0 {
            return Err(problem::NUMBER_BESIDE_NAMES);
        }
        if call.number > tree.n_groups() {
            return Err(Problem::undefined_group(call.name));
        }
        call.number
    } else if call.name.is_empty() {
        0
    } else {
        let index = tree.name_indices.get(call.name);
        let &index = index.ok_or_else(|| Problem::undefined_name(call.name))?;
        match tree.names[index].groups[..] {
            [number] => number,
            _ => return Err(Problem::ambiguous_call(call.name)),
        }
    };
    Ok(tree.groups[number].expect("all groups are closed"))
}

/// The reason why a search did not finish.
enum SearchStop {
    TooLong,
    Endless,
    WrongBackref,
}

/// The effect of a part of the tree on the group that is searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leads {
    /// Some path does not come back to the group.
    Away,
    /// All paths come back to it.
    Back,
    /// Some path comes back to it without consuming anything.
    BackAtOnce,
}

struct RecursionSearch<'t, 'p> {
    tree: &'t Tree<'p>,
    /// The nodes to begin at.
    is_start: Vec<bool>,
    /// The groups between the start and here.
    is_on_path: Vec<bool>,
    start: NodeId,
    is_recursive: Vec<bool>,
    lengths: Lengths<'t, 'p>,
    n_visits: usize,
}

impl<'t, 'p> RecursionSearch<'t, 'p> {
    fn new(tree: &'t Tree<'p>, is_start: Vec<bool>) -> Self {
        let n_nodes = tree.nodes.len();
        Self {
            tree,
            is_start,
            is_on_path: vec![false; n_nodes],
            start: NodeId::MAX,
            is_recursive: vec![false; n_nodes],
            lengths: Lengths::new(tree),
            n_visits: 0,
        }
    }

    fn visit<T>(
        &mut self,
        go: impl FnOnce(&mut Self) -> Result<T, SearchStop>,
    ) -> Result<T, SearchStop> {
        self.n_visits += 1;
        if self.n_visits > MAX_VISITS {
            return Err(SearchStop::TooLong);
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || go(self))
    }

    /// Marks the groups and calls below `id` that can lead to themselves.
    fn mark_recursion(&mut self, id: NodeId) -> Result<(), SearchStop> {
        self.visit(|search| {
            if let (Node::Group { body, .. }, true) = (&search.tree.nodes[id], search.is_start[id])
            {
                search.start = id;
                search.is_recursive[id] = search.comes_back(*body)?;
            }
            for &child in search.tree.nodes[id].children() {
                search.mark_recursion(child)?;
            }
            Ok(())
        })
    }

    /// Returns true if a path leads from here to the start; marks the calls on it.
    fn comes_back(&mut self, id: NodeId) -> Result<bool, SearchStop> {
        self.visit(|search| match &search.tree.nodes[id] {
            Node::Call(call) => {
                let comes_back = search.comes_back(call.target)?;
                search.is_recursive[id] |= comes_back;
                Ok(comes_back)
            }
            Node::Group { .. } if search.is_on_path[id] => Ok(false),
            Node::Group { .. } if id == search.start => Ok(true),
            Node::Group { body, .. } => {
                search.is_on_path[id] = true;
                let comes_back = search.comes_back(*body);
                search.is_on_path[id] = false;
                comes_back
            }
            node => {
                let mut comes_back = false;
                for &child in node.children() {
                    comes_back |= search.comes_back(child)?;
                }
                Ok(comes_back)
            }
        })
    }

    /// Refuses a recursive group below `id` that can't end.
    fn find_endless(&mut self, id: NodeId) -> Result<(), SearchStop> {
        self.visit(|search| {
            if let (Node::Group { body, .. }, true) = (&search.tree.nodes[id], search.is_start[id])
            {
                search.start = id;
                search.lengths.enter(id);
                match search.leads(*body, true) {
                    Ok(Leads::Back | Leads::BackAtOnce) => return Err(SearchStop::Endless),
                    Err(SearchStop::TooLong) => return Err(SearchStop::TooLong),
                    // Ruby forgets a wrong back-reference that it meets here, and finds it later.
                    Ok(Leads::Away) | Err(SearchStop::WrongBackref | SearchStop::Endless) => {}
                }
                search.lengths.leave(id);
            }
            for &child in search.tree.nodes[id].children() {
                search.find_endless(child)?;
            }
            Ok(())
        })
    }

    /// Returns the effect of `id`; with `is_head`, nothing was consumed since the start.
    fn leads(&mut self, id: NodeId, is_head: bool) -> Result<Leads, SearchStop> {
        self.visit(|search| match &search.tree.nodes[id] {
            Node::List(list) => search.list_leads(list, is_head),
            Node::Alternatives(alternatives) => search.alternatives_lead(alternatives, is_head),
            Node::Repeat(Repeat { lower, body, .. }) => Ok(match search.leads(*body, is_head)? {
                Leads::Back if *lower == 0 => Leads::Away,
                leads => leads,
            }),
            Node::Look { body, .. } => search.leads(*body, is_head),
            Node::Call(call) => search.leads(call.target, is_head),
            Node::Group { .. } if search.is_on_path[id] => Ok(Leads::Away),
            Node::Group { .. } if id == search.start => {
                Ok(if is_head { Leads::BackAtOnce } else { Leads::Back })
            }
            Node::Group { body, .. } => {
                search.is_on_path[id] = true;
                let leads = search.leads(*body, is_head);
                search.is_on_path[id] = false;
                leads
            }
            Node::Text { .. }
            | Node::Any { .. }
            | Node::Set(_)
            | Node::LineBreak
            | Node::Cluster
            | Node::Backref(_)
            | Node::Anchor(_) => Ok(Leads::Away),
        })
    }

    fn list_leads(&mut self, list: &[NodeId], is_head: bool) -> Result<Leads, SearchStop> {
        let (mut is_head, mut leads) = (is_head, Leads::Away);
        for &child in list {
            match self.leads(child, is_head)? {
                Leads::BackAtOnce => return Ok(Leads::BackAtOnce),
                Leads::Back => leads = Leads::Back,
                Leads::Away => {}
            }
            is_head =
                is_head && !self.lengths.consumes(child).map_err(|_| SearchStop::WrongBackref)?;
        }
        Ok(leads)
    }

    fn alternatives_lead(&mut self, list: &[NodeId], is_head: bool) -> Result<Leads, SearchStop> {
        let mut leads = Leads::Back;
        for &child in list {
            match self.leads(child, is_head)? {
                Leads::BackAtOnce => return Ok(Leads::BackAtOnce),
                Leads::Away => leads = Leads::Away,
                Leads::Back => {}
            }
        }
        Ok(leads)
    }
}
