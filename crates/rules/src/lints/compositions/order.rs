//! A directed graph over few numbers: cycles, and who comes before whom.

use std::collections::BTreeMap;

/// A graph whose edges lead from what is first to what follows.
pub(super) struct Order {
    successors: Vec<Vec<usize>>,
    /// The nodes so that every edge leads forward, without those that a cycle holds back.
    sorted: Vec<usize>,
}

impl Order {
    pub(super) fn new(nodes: usize, edges: &[(usize, usize)]) -> Order {
        let mut successors = vec![Vec::new(); nodes];
        let mut open_edges = vec![0_usize; nodes];
        for &(first, then) in edges {
            successors[first].push(then);
            open_edges[then] += 1;
        }
        let mut sorted: Vec<usize> = (0..nodes).filter(|&node| open_edges[node] == 0).collect();
        let mut next = 0;
        while let Some(&node) = sorted.get(next) {
            for &then in &successors[node] {
                open_edges[then] -= 1;
                if open_edges[then] == 0 {
                    sorted.push(then);
                }
            }
            next += 1;
        }
        Order { successors, sorted }
    }

    /// Whether some nodes wait for each other.
    pub(super) fn is_cyclic(&self) -> bool {
        self.sorted.len() < self.successors.len()
    }

    /// For each pair, whether a way leads from its first node to its second one. The graph has no cycle.
    ///
    /// One pass over the graph answers for 64 first nodes at a time.
    pub(super) fn leads(&self, pairs: &[(usize, usize)]) -> Vec<bool> {
        let mut by_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, (source, _)) in pairs.iter().enumerate() {
            by_source.entry(*source).or_default().push(index);
        }
        let sources: Vec<(usize, Vec<usize>)> = by_source.into_iter().collect();
        let mut answers = vec![false; pairs.len()];
        for chunk in sources.chunks(64) {
            let reached = self.reached_from(chunk.iter().map(|(source, _)| *source));
            for (bit, (_, indexes)) in chunk.iter().enumerate() {
                for &index in indexes {
                    answers[index] = reached[pairs[index].1] >> bit & 1 == 1;
                }
            }
        }
        answers
    }

    /// For each node, a bit per source from which a way leads there.
    fn reached_from(&self, sources: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut reached = vec![0_u64; self.successors.len()];
        for (bit, source) in sources.enumerate() {
            reached[source] |= 1 << bit;
        }
        for &node in &self.sorted {
            for &then in &self.successors[node] {
                reached[then] |= reached[node];
            }
        }
        reached
    }

    /// For each node the number of its group: nodes that a way leads from and back to share one.
    ///
    /// Two walks without recursion (Kosaraju): the first orders the nodes by when they are done, the second collects
    /// along the reversed edges.
    pub(super) fn groups(&self) -> Vec<usize> {
        let mut predecessors = vec![Vec::new(); self.successors.len()];
        for (node, successors) in self.successors.iter().enumerate() {
            for &then in successors {
                predecessors[then].push(node);
            }
        }
        let mut group = vec![usize::MAX; self.successors.len()];
        for (number, &root) in self.by_completion().iter().rev().enumerate() {
            let mut open = vec![root];
            while let Some(node) = open.pop() {
                if group[node] == usize::MAX {
                    group[node] = number;
                    open.extend(&predecessors[node]);
                }
            }
        }
        group
    }

    fn by_completion(&self) -> Vec<usize> {
        let mut seen = vec![false; self.successors.len()];
        let mut done = Vec::with_capacity(seen.len());
        for root in 0..seen.len() {
            let mut open = vec![(root, 0)];
            while let Some((node, next)) = open.pop() {
                if next == 0 && std::mem::replace(&mut seen[node], true) {
                    continue;
                }
                match self.successors[node].get(next) {
                    Some(&then) => open.extend([(node, next + 1), (then, 0)]),
                    None => done.push(node),
                }
            }
        }
        done
    }

    /// The nodes of the shortest way from `from` to `to` inside one group, both included.
    pub(super) fn way(&self, from: usize, to: usize, groups: &[usize]) -> Vec<usize> {
        let mut came_from = BTreeMap::from([(from, from)]);
        let mut reached = vec![from];
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            for &then in &self.successors[node] {
                if groups[then] == groups[from] && !came_from.contains_key(&then) {
                    came_from.insert(then, node);
                    reached.push(then);
                }
            }
            next += 1;
        }
        let mut way = vec![to];
        let mut node = to;
        while let Some(&before) = came_from.get(&node).filter(|before| **before != node) {
            way.push(before);
            node = before;
        }
        way.reverse();
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_and_groups() {
        let order = Order::new(5, &[(0, 1), (1, 2), (0, 3)]);
        assert!(!order.is_cyclic());
        assert_eq!(order.leads(&[(0, 2), (2, 0), (1, 3), (3, 3)]), [true, false, false, true]);
        let order = Order::new(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]);
        let groups = order.groups();
        assert!(order.is_cyclic());
        assert_eq!(groups[1], groups[2]);
        assert!(groups[0] != groups[1] && groups[3] != groups[1]);
        assert_eq!(order.way(1, 2, &groups), [1, 2]);
    }
}
