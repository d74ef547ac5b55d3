//! Words that are near to one that was mistyped.

/// A word like this one among others, for somebody who mistyped it: a third of its letters may be
/// wrong.
pub fn nearest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let most = (typed.chars().count() / 3).max(1);
    let near = words
        .into_iter()
        .map(|word| (strsim::osa_distance(typed, word), word))
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
