//! Acts of several journals in one order.

use std::collections::HashSet;

use super::record::ActRecord;

/// The acts of several journals, each once by its name: always the earliest of those that stand
/// first, so that the acts of each journal keep their order, in which one may undo another.
pub fn merged(journals: Vec<Vec<ActRecord>>) -> Vec<ActRecord> {
    let mut known = HashSet::new();
    let mut rest: Vec<_> = journals
        .into_iter()
        .map(|acts| acts.into_iter().peekable())
        .collect();
    let mut all = Vec::new();
    loop {
        let heads = rest.iter_mut().enumerate();
        let heads = heads.filter_map(|(at, acts)| Some((acts.peek()?.time.clone(), at)));
        let Some((_, at)) = heads.min() else {
            return all;
        };
        let act = rest.get_mut(at).and_then(Iterator::next);
        all.extend(act.filter(|act| known.insert(act.id.clone())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Act, ActId};

    fn act(id: &str, time: &str) -> ActRecord {
        ActRecord {
            id: ActId(id.into()),
            time: time.to_owned(),
            reviewer: "ann".into(),
            sample_ref: None,
            act: Act::Undo {
                entry: ActId("x".into()),
            },
        }
    }

    #[test]
    fn acts_stand_once_in_the_order_of_their_times_and_files() {
        let one = vec![act("a", "2"), act("b", "1"), act("c", "5")];
        let two = vec![act("d", "3"), act("a", "2"), act("e", "6")];
        let order = |journals| {
            let acts = merged(journals);
            acts.iter()
                .map(|act| act.id.to_string())
                .collect::<String>()
        };
        // The clock of the first went back: its acts stay as they were.
        assert_eq!(order(vec![one.clone(), two.clone()]), "abdce");
        assert_eq!(order(vec![two, one]), "abdce");
        assert_eq!(order(Vec::new()), "");
    }
}
