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
        // A term with `any.` need not hold for the same response as the others.
        (
            "any.helpfulness>=4 any.verbosity<=1",
            &[
                ("any.helpfulness>=4 any.verbosity<=1", ""),
                ("both.helpfulness>=4 both.verbosity<=1", "A and B"),
                ("winner.helpfulness>=4 winner.verbosity<=1", "the winner"),
                ("any.verbosity<=1", "without any.helpfulness>=4"),
                ("any.helpfulness>=4", "without any.verbosity<=1"),
            ],
        ),
        (
            "any.helpfulness=4",
            &[
                ("any.helpfulness=4", "A or B"),
                ("both.helpfulness=4", "A and B"),
                ("winner.helpfulness=4", "the winner"),
                ("loser.helpfulness=4", "the loser"),
                ("gap.helpfulness=4", "A and B differ by 4"),
            ],
        ),
        // Texts of a response are asked of the same response as its labels.
        (
            "helpfulness>=4 response:salt has:code",
            &[
                (
                    "helpfulness>=4 response:salt has:code",
                    "one response has all",
                ),
                (
                    "both.helpfulness>=4 both.response:salt both.has:code",
                    "A and B",
                ),
                (
                    "winner.helpfulness>=4 winner.response:salt winner.has:code",
                    "the winner",
                ),
                ("response:salt has:code", "without helpfulness>=4"),
                ("helpfulness>=4 has:code", "without response:salt"),
                ("helpfulness>=4 response:salt", "without has:code"),
            ],
        ),
        // One that cannot be asked of the winner alone keeps the others where they are.
        (
            "helpfulness>=4 (verbosity>3 or has:code)",
            &[
                (
                    "helpfulness>=4 (verbosity>3 or has:code)",
                    "one response has both",
                ),
                ("verbosity>3 or has:code", "without helpfulness>=4"),
                ("helpfulness>=4", "without (verbosity>3 or has:code)"),
            ],
        ),
        ("row=7", &[("row=7", "")]),
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
