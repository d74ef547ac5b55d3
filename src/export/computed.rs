//! What a table says of each response besides what its rows state: the columns of the program's own
//! table that are counted or made of what is known, those of joined files, and which rules of findings
//! fire where a query asked for them.

use std::sync::Arc;

use crate::dataset::{Dataset, FoundFindings, Sample};
use crate::model::Verdict;
use crate::query::{self, Catalog, Field, FieldCell, FieldValue, Remarks};
use crate::table::{ColumnId, ColumnSource};
use crate::text::exact_number;

/// The heading of the names of the rules that fire.
const RULES: &str = "finding";

/// Columns for what is computed, under headings of their own.
#[derive(Default)]
pub(super) struct ComputedColumns {
    columns: Vec<(String, ColumnId)>,
    /// What rules found, where they were asked of all samples, under its heading.
    findings: Option<(String, Arc<FoundFindings>)>,
}

/// The values of a sample in those columns.
pub(super) struct ComputedValues(Vec<FieldCell>);

impl ComputedColumns {
    /// Those of a dataset that have no column among these headings: a value that stands there
    /// already is not written twice. A label that is called like one keeps its heading.
    pub(super) fn of(dataset: &Dataset, own: &[&str], header: &[String]) -> Self {
        let heading = |name: &str| match header.iter().any(|known| known == name) {
            true => format!("computed.{name}"),
            false => name.to_owned(),
        };
        let columns = ColumnId::built_in()
            .filter(|column| is_computed(dataset, *column) && !own.contains(&column.name))
            .filter(|column| dataset.has(*column));
        let columns = columns.map(|column| (heading(column.name), column));
        let catalog = Catalog::of_dataset(dataset);
        let described = catalog.labels().iter().chain(catalog.facts());
        let others = described
            .map(|column| column.def.id)
            .filter(|id| !is_own(*id));
        let others = others.map(|id| (id.name.to_owned(), id));
        Self {
            columns: columns.chain(others).collect(),
            findings: has_findings(dataset).then(|| (heading(RULES), dataset.findings())),
        }
    }

    pub(super) fn header(&self) -> impl Iterator<Item = String> {
        let headings = self.columns.iter().map(|(heading, _)| heading.clone());
        headings.chain(self.findings.iter().map(|(heading, _)| heading.clone()))
    }

    /// What a sample has, by its number from 0. Of the responses a file opened `--against` has, flags
    /// know nothing where the sample was read without them.
    pub(super) fn values(
        &self,
        dataset: &Dataset,
        sample: usize,
        read: Option<&Sample<'_>>,
    ) -> ComputedValues {
        let value = |(_, column): &(String, ColumnId)| match read
            .and_then(|read| flag_of(column.name, read))
        {
            Some(holds) => FieldCell::One(Some(FieldValue::Word(holds.to_string()))),
            None => query::cell(dataset, &Remarks::default(), Field::of(*column), sample),
        };
        let rules = self.findings.iter().map(|(_, found)| {
            let fires = found.of(sample as u32..sample as u32 + 1).iter();
            let names = fires.filter_map(|fired| found.names.get(usize::from(fired.rule)));
            let names: Vec<_> = names.map(|name| &**name).collect();
            FieldCell::One(Some(FieldValue::Word(names.join(" "))))
        });
        ComputedValues(self.columns.iter().map(value).chain(rules).collect())
    }
}

impl ComputedValues {
    /// Those of a response, by its place.
    pub(super) fn of(&self, response: usize) -> impl Iterator<Item = String> {
        self.0.iter().map(move |cell| {
            let value = match cell {
                FieldCell::One(value) => value.as_ref(),
                FieldCell::Responses(values) => values.get(response).and_then(Option::as_ref),
            };
            match value {
                Some(FieldValue::Number(number)) => exact_number(*number),
                Some(FieldValue::Word(word)) => word.clone(),
                None => String::new(),
            }
        })
    }
}

/// Whether a column has one of its own in every format: the rows themselves state it.
pub(super) fn is_own(column: ColumnId) -> bool {
    let source = &column.source;
    matches!(
        source,
        ColumnSource::Label | ColumnSource::Fact | ColumnSource::Field(_)
    )
}

/// Whether a flag that speaks of all responses holds of a sample as it was read; `None` for others.
fn flag_of(name: &str, read: &Sample<'_>) -> Option<bool> {
    let verdict = read.outcome.as_ref().map(|outcome| outcome.verdict);
    match name {
        "is:single" => Some(read.responses.len() == 1),
        "is:tie" => Some(verdict == Some(Verdict::Tie)),
        "is:several" => Some(matches!(verdict, Some(Verdict::Best(best)) if best.count() > 1)),
        _ => None,
    }
}

/// Whether a column is told by columns alone, of each sample for itself. What reviewers said has
/// columns of its own; for what is counted in texts all of these would be read, and so for comparisons and
/// findings that no query asked for.
fn is_computed(dataset: &Dataset, column: ColumnId) -> bool {
    let source = &column.source;
    // What all samples were compared for already costs nothing more.
    let is_known = |comparison| dataset.has_compared(comparison);
    let is_at_hand = match source {
        ColumnSource::Findings(_) => has_findings(dataset),
        _ => !source.is_found_on_demand(),
    };
    is_at_hand
        && !matches!(source, ColumnSource::Review(_))
        && source.comparison().is_none_or(is_known)
}

/// Whether all rules were asked of all samples.
fn has_findings(dataset: &Dataset) -> bool {
    let found = dataset.findings();
    found.is_of_all(dataset.samples()) && !found.names.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;
    use crate::dataset::tests::dataset;

    const ROW: &str = r#"{"prompt": "p", "response": "one", "helpfulness": 1, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 2}"#;

    #[test]
    fn a_column_of_the_table_has_one_in_every_export() {
        let data = dataset(&[ROW.to_owned()]);
        let own = table::own();
        let computed: Vec<_> = ComputedColumns::of(&data, &own, &[]).header().collect();
        for column in ColumnId::built_in().filter(|column| data.files()[0].schema.has(*column)) {
            let headings = own
                .iter()
                .copied()
                .chain(computed.iter().map(String::as_str));
            let times = headings.filter(|heading| *heading == column.name).count();
            // Marks and tags have columns under other names; see `is_computed` for duplicates.
            let others = !is_computed(&data, column);
            assert_eq!(times, usize::from(!others), "{}", column.name);
        }
        assert!(
            !computed.contains(&"quotes".to_owned()),
            "no response here has any"
        );
    }

    #[test]
    fn a_label_that_is_called_like_a_column_keeps_its_heading() {
        let data = dataset(&[ROW.to_owned()]);
        let taken = ["turns".to_owned(), "line".to_owned()];
        let headings: Vec<_> = ComputedColumns::of(&data, &[], &taken).header().collect();
        for heading in ["computed.turns", "computed.line", "len.prompt"] {
            assert!(headings.contains(&heading.to_owned()), "{headings:?}");
        }
    }

    #[test]
    fn what_rules_found_stands_there_once_they_were_asked() {
        let data = dataset(&[ROW.to_owned()]);
        let headings = |data: &Dataset| {
            let columns = ComputedColumns::of(data, &[], &[]);
            let values = columns.values(data, 0, None);
            let cells: Vec<_> = columns.header().zip(values.of(0)).collect();
            cells
                .into_iter()
                .filter(|(name, _)| ["findings", "suspicion", RULES].contains(&&**name))
                .collect::<Vec<_>>()
        };
        assert_eq!(headings(&data), []);
        let found = |rule, weight| crate::dataset::FoundFinding {
            sample: 0,
            rule,
            weight,
            responses: crate::model::ResponseSet::first(1),
        };
        data.keep_findings(Arc::new(FoundFindings {
            all: vec![found(0, 100), found(1, 1)],
            asked: [1; 3],
            names: ["right-but-useless".into(), "hidden-characters".into()].into(),
            ..FoundFindings::default()
        }));
        let cell = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            headings(&data),
            [
                cell("findings", "2"),
                cell("suspicion", "101"),
                cell(RULES, "right-but-useless hidden-characters"),
            ]
        );
        let taken = ComputedColumns::of(&data, &[], &[RULES.to_owned()]);
        assert_eq!(taken.header().last().as_deref(), Some("computed.finding"));
    }
}
