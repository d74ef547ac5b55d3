//! Readings of a filter, by their text and their meaning.

use super::{catalog, read};

#[test]
fn each_filter_has_its_readings() {
    let tables: &[(&str, &[(&str, &str)])] = &[
        ("", &[("", "")]),
        (
            "helpfulness>=3",
            &[
                ("helpfulness>=3", "A or B"),
                ("both.helpfulness>=3", "A and B"),
                ("winner.helpfulness>=3", "the winner"),
                ("loser.helpfulness>=3", "the loser"),
                ("gap.helpfulness>=3", "A and B differ by 3 or 4"),
            ],
        ),
        (
            "winner.helpfulness=1 sort:turns",
            &[
                ("winner.helpfulness=1 sort:turns", "the winner"),
                ("helpfulness=1 sort:turns", "A or B"),
                ("both.helpfulness=1 sort:turns", "A and B"),
                ("loser.helpfulness=1 sort:turns", "the loser"),
                ("gap.helpfulness=1 sort:turns", "A and B differ by 1"),
            ],
        ),
        // Every difference is at least 0, and a list of values is no difference.
        (
            "helpfulness>=0",
            &[
                ("helpfulness>=0", "A or B"),
                ("both.helpfulness>=0", "A and B"),
                ("winner.helpfulness>=0", "the winner"),
                ("loser.helpfulness>=0", "the loser"),
            ],
        ),
        (
            "gap.helpfulness>=2",
            &[("gap.helpfulness>=2", "A and B differ by 2 to 4")],
        ),
        (
            "len>500",
            &[
                ("len.response>500", "A or B"),
                ("both.len.response>500", "A and B"),
                ("winner.len.response>500", "the winner"),
                ("loser.len.response>500", "the loser"),
                ("gap.len.response>500", "A and B differ by more than 500"),
            ],
        ),
        (
            "helpfulness>=3 verbosity<=1",
            &[
                ("helpfulness>=3 verbosity<=1", "one response has both"),
                ("both.helpfulness>=3 both.verbosity<=1", "A and B"),
                ("winner.helpfulness>=3 winner.verbosity<=1", "the winner"),
                ("verbosity<=1", "without helpfulness>=3"),
                ("helpfulness>=3", "without verbosity<=1"),
            ],
        ),
        (
            "helpfulness>=3 winner.verbosity<=1",
            &[
                ("helpfulness>=3 winner.verbosity<=1", ""),
                ("both.helpfulness>=3 both.verbosity<=1", "A and B"),
                ("winner.helpfulness>=3 winner.verbosity<=1", "the winner"),
                ("winner.verbosity<=1", "without helpfulness>=3"),
                ("helpfulness>=3", "without winner.verbosity<=1"),
            ],
        ),
        (
            "is:tie salt",
            &[
                ("is:tie salt", ""),
                ("salt", "without is:tie"),
                ("is:tie", "without salt"),
            ],
        ),
        ("salt", &[("salt", "words in the texts")]),
        ("turns>1", &[("turns>1", "")]),
        (
            "helpfulness>3 or turns>1",
            &[("helpfulness>3 or turns>1", "")],
        ),
    ];
    for (text, expected) in tables {
        let readings = read(text).expect("a query").readings(&catalog());
        let spelled: Vec<_> = readings
            .iter()
            .map(|one| {
                (
                    one.query.spelled(&catalog()).to_string(),
                    one.meaning.as_str(),
                )
            })
            .collect();
        let spelled: Vec<_> = spelled
            .iter()
            .map(|(query, words)| (query.as_str(), *words))
            .collect();
        assert_eq!(spelled, *expected, "{text}");
    }
}
