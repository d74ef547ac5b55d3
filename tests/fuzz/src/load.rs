//! Arbitrary files: no line is lost or read twice, and every sample can be shown or says why not.

use std::io::Write;
use std::ops::ControlFlow;

use flate2::Compression;
use flate2::write::GzEncoder;
use visavis::{Buffers, Dataset, Input, LoadEvent, Loader, SampleBody, lines};

/// Loads a file of these bytes, compressed or not depending on the first, and reads every sample.
pub fn load(data: &[u8]) {
    let Some((how, data)) = data.split_first() else {
        return;
    };
    let gzipped = how % 4 == 0;
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    if gzipped {
        let mut encoder = GzEncoder::new(&mut file, Compression::fast());
        encoder
            .write_all(data)
            .and_then(|()| encoder.finish().map(drop))
            .expect("room for it");
    } else {
        file.write_all(data).expect("room for it");
    }
    let loader = Loader {
        inputs: vec![Input::Path(file.path().to_owned())],
        ..Loader::default()
    };
    let Some((dataset, whole)) = dataset(&loader) else {
        return;
    };
    // Bytes that happen to be an archive contain other lines than they seem to.
    let is_archive = [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd"]
        .iter()
        .any(|magic| data.starts_with(magic));
    // Rows of a document or a table are not lines.
    let has_lines = (dataset.files().iter()).all(|file| file.unit() == "line");
    if whole && !is_archive && has_lines {
        check_lines(&dataset, data);
    }
    read_all(&dataset);
}

/// Returns the dataset and whether loading had no errors; `None` if it was rejected.
fn dataset(loader: &Loader) -> Option<(Dataset, bool)> {
    let (mut dataset, mut whole, mut done) = (Dataset::default(), true, false);
    let mut listener = |report| {
        dataset.add(&report);
        match report {
            LoadEvent::Error(_) => whole = false,
            LoadEvent::Done => done = true,
            _ => {}
        }
        ControlFlow::Continue(())
    };
    loader.run(&mut listener).ok()?;
    assert!(done, "the end was not reported");
    Some((dataset, whole))
}

/// Checks that every non-blank line is a row with its number and bytes.
fn check_lines(dataset: &Dataset, data: &[u8]) {
    let lines = data
        .split(|&byte| byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !lines::trim(line).is_empty());
    let mut row = 0;
    for (number, line) in lines {
        let place = dataset
            .place(row)
            .unwrap_or_else(|| panic!("line {} is lost", number + 1));
        assert_eq!(
            (place.row, place.line),
            (u64::from(row) + 1, number as u64 + 1)
        );
        let bytes = &data[place.bytes.start as usize..place.bytes.end as usize];
        assert_eq!(
            lines::of_row(bytes),
            lines::trim(line),
            "the bytes of line {}",
            number + 1
        );
        row += 1;
    }
    assert_eq!(dataset.rows(), row as usize, "rows that are no lines");
}

/// Checks that every row is in one sample, and that every sample can be read.
fn read_all(dataset: &Dataset) {
    let mut buffers = Buffers::default();
    let mut rows = Vec::new();
    let mut malformed = 0;
    for sample in 0..dataset.samples() {
        rows.extend(dataset.sample_rows(sample).expect("its rows").iter());
        let reading = dataset.read(sample, &mut buffers).expect("a sample");
        match reading.body {
            SampleBody::Sample(sample) => {
                assert!(!sample.responses.is_empty());
            }
            SampleBody::Malformed { .. } => malformed += 1,
            SampleBody::Unreadable(error) => panic!("{error}"),
        }
    }
    rows.sort_unstable();
    assert!(
        rows.iter().copied().eq(0..dataset.rows() as u32),
        "rows in no sample, or in two: {rows:?}"
    );
    assert!(
        malformed >= dataset.malformed(),
        "{} counted, {malformed} seen",
        dataset.malformed()
    );
    assert!(dataset.read(dataset.samples(), &mut buffers).is_none());
}
