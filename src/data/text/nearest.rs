//! Suggestions for misspelled words.

/// Returns the most similar word; up to a third of the typed letters may be wrong.
pub fn nearest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let most = (typed.chars().count() / 3).max(1);
    let near = words
        .into_iter()
        .map(|word| (strsim::osa_distance(typed, word), word))
        .filter(|(distance, _)| *distance <= most);
    // Excludes words in which every letter differs. Ties prefer a word that only lacks letters, or
    // only has more.
    near.filter(|(distance, word)| *distance < word.chars().count())
        .min_by_key(|(distance, word)| {
            (
                *distance,
                !typed.starts_with(word) && !word.starts_with(typed),
            )
        })
        .map(|near| near.1)
}
