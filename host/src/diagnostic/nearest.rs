//! "Did you mean": the known word nearest to a mistaken one.

/// The candidate at the smallest edit distance, when it is near enough to be meant.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_a_slip_of_the_finger_and_nothing_far() {
        assert_eq!(
            nearest("descripton", ["description", "name"]),
            Some("description")
        );
        assert_eq!(nearest("nmae", ["description", "name"]), Some("name"));
        assert_eq!(nearest("zzz", ["description", "name"]), None);
    }
}
