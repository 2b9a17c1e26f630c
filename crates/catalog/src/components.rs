//! Strongly connected components of a graph.

/// Returns the components of more than one point, and points with an edge to themselves; the points of each are sorted.
///
/// Tarjan's algorithm, without recursion since catalogs are deep.
pub(crate) fn components(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = ComponentSearch {
        graph,
        number: vec![0; graph.len()],
        lowest: vec![0; graph.len()],
        is_open: vec![false; graph.len()],
        open: Vec::new(),
        n_seen: 0,
        components: Vec::new(),
    };
    for start in 0..graph.len() {
        if search.number[start] == 0 {
            search.from(start);
        }
    }
    search.components
}

struct ComponentSearch<'a> {
    graph: &'a [Vec<usize>],
    /// The order in which points were visited, from 1 on.
    number: Vec<usize>,
    /// The earliest point that is reachable from each.
    lowest: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    n_seen: usize,
    components: Vec<Vec<usize>>,
}

impl ComponentSearch<'_> {
    fn from(&mut self, start: usize) {
        self.see(start);
        let mut way = vec![(start, 0)];
        while let Some((at, n_done)) = way.last_mut() {
            let at = *at;
            if let Some(&next) = self.graph[at].get(*n_done) {
                *n_done += 1;
                if self.number[next] == 0 {
                    self.see(next);
                    way.push((next, 0));
                } else if self.is_open[next] {
                    self.lowest[at] = self.lowest[at].min(self.number[next]);
                }
            } else {
                way.pop();
                if let Some(&(before, _)) = way.last() {
                    self.lowest[before] = self.lowest[before].min(self.lowest[at]);
                }
                self.close(at);
            }
        }
    }

    fn see(&mut self, at: usize) {
        self.n_seen += 1;
        self.number[at] = self.n_seen;
        self.lowest[at] = self.n_seen;
        self.is_open[at] = true;
        self.open.push(at);
    }

    fn close(&mut self, at: usize) {
        if self.lowest[at] != self.number[at] {
            return;
        }
        let start = self.open.iter().rposition(|&point| point == at).unwrap_or(0);
        let mut component = self.open.split_off(start);
        component.iter().for_each(|&point| self.is_open[point] = false);
        if component.len() > 1 || self.graph[at].contains(&at) {
            component.sort_unstable();
            self.components.push(component);
        }
    }
}
