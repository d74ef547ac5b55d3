//! Words that are near to one that was mistyped.

/// A word like this one among others, for somebody who mistyped it: a third of its letters may be
/// wrong.
pub fn nearest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let most = (typed.chars().count() / 3).max(1);
    let near = words
        .into_iter()
        .map(|word| (distance(typed, word), word))
        .filter(|(distance, _)| *distance <= most);
    // `xy` is as near to `a` as to anything else of two letters.
    // Of words that are as near, one that only lacks letters or has too many of them.
    near.filter(|(distance, word)| *distance < word.chars().count())
        .min_by_key(|(distance, word)| {
            (
                *distance,
                !typed.starts_with(word) && !word.starts_with(typed),
            )
        })
        .map(|near| near.1)
}

/// How many letters must be put in, left out, changed or swapped with the next one
/// (Damerau–Levenshtein, adjacent swaps).
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    if from.len().abs_diff(to.len()) > from.len().max(to.len()) / 2 {
        return usize::MAX;
    }
    let (mut before_last, mut last): (Vec<usize>, Vec<usize>) =
        (Vec::new(), (0..=to.len()).collect());
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut cost = (last[j] + usize::from(a != b))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && from[i - 1] == *b && to[j - 1] == *a {
                cost = cost.min(before_last[j - 1] + 1);
            }
            row.push(cost);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}
