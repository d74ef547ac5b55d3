//! Pages of the large columns of a Parquet file, unpacked ahead by threads of their own: unpacking a
//! page is as much work as making rows of it.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};

use parquet::basic::Type as PhysicalType;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;

use super::parquet_json::TextKind;
use super::parquet_parts::PageParts;
use super::parquet_rows::{PlacedFile, without_panic};

/// Columns that are read ahead, at most: a thread and up to two pages in memory each, or some parts
/// of large ones.
const MOST_COLUMNS: usize = 2;
/// Bytes of a column, in all groups, for which a thread is worth while.
const LARGE: i64 = if cfg!(test) { 1 << 10 } else { 8 << 20 };
/// Pages that are done before one is taken, where large ones are cut into parts, so that neither
/// side waits for the other's every part. Of whole ones none: one is in use, and the next one done.
const MOST_PARTS: usize = 3;

/// A page of a row group, or the end of those of the group; or why it cannot be had.
type GroupPage = (usize, Result<Option<Page>, ParquetError>);

/// What a thread has for who reads its column.
type PageQueue = Arc<Mutex<Receiver<GroupPage>>>;

/// The columns that are read ahead; dropping this ends their threads.
pub(super) struct PagesAhead {
    columns: Vec<(usize, PageQueue)>,
}

impl PagesAhead {
    /// Begins with the largest columns of texts, if any is large.
    pub(super) fn start<'s>(
        bytes: &'s PlacedFile,
        file: &'s SerializedFileReader<PlacedFile>,
        wanted: &SchemaDescriptor,
        scope: &'s Scope<'s, '_>,
    ) -> Self {
        let mut columns = Vec::new();
        for column in large_columns(file, wanted) {
            let (done, pages) = sync_channel(if can_cut(file, column) { MOST_PARTS } else { 0 });
            let started = Builder::new()
                .name("visavis-pages".to_owned())
                .spawn_scoped(scope, move || read_pages(bytes, file, column, &done));
            // Where the system has no more threads, who makes rows reads them too.
            if started.is_ok() {
                columns.push((column, Arc::new(Mutex::new(pages))));
            }
        }
        Self { columns }
    }

    /// The pages of a column of a row group, where they are read ahead. Groups must be asked for in
    /// their order.
    pub(super) fn pages(&self, group: usize, column: usize) -> Option<Box<dyn PageReader>> {
        let (_, queue) = self.columns.iter().find(|(ahead, _)| *ahead == column)?;
        Some(Box::new(QueuedPages {
            queue: Arc::clone(queue),
            group,
            is_at_end: false,
        }))
    }
}

/// The largest columns of bytes that stand alone, by their places in the file.
fn large_columns(file: &SerializedFileReader<PlacedFile>, wanted: &SchemaDescriptor) -> Vec<usize> {
    let groups = file.metadata().row_groups();
    let descriptor = file.metadata().file_metadata().schema_descr();
    let is_candidate = |column: &usize| {
        let leaf = descriptor.column(*column);
        leaf.physical_type() == PhysicalType::BYTE_ARRAY
            && TextKind::of(leaf.converted_type()).is_some()
            && leaf.max_rep_level() == 0
            && leaf.path().parts().len() == 1
            && wanted
                .columns()
                .iter()
                .any(|other| other.path() == leaf.path())
    };
    let mut sizes: Vec<_> = (0..descriptor.num_columns())
        .filter(is_candidate)
        .map(|column| {
            let of_group = groups
                .iter()
                .filter_map(|group| group.columns().get(column));
            let sizes = of_group.map(|chunk| chunk.uncompressed_size().max(0));
            (sizes.fold(0, i64::saturating_add), column)
        })
        .filter(|(size, _)| *size >= LARGE)
        .collect();
    sizes.sort_unstable_by_key(|&(size, column)| (std::cmp::Reverse(size), column));
    let columns = sizes.into_iter().map(|(_, column)| column);
    columns.take(MOST_COLUMNS).collect()
}

/// Whether the pages of a column can be cut into parts, in all groups.
fn can_cut(file: &SerializedFileReader<PlacedFile>, column: usize) -> bool {
    let mut groups = file.metadata().row_groups().iter();
    groups.all(|group| group.columns().get(column).is_some_and(PageParts::can_cut))
}

/// Reads the pages of a column, group by group, until there are no more or nobody takes them.
fn read_pages(
    bytes: &PlacedFile,
    file: &SerializedFileReader<PlacedFile>,
    column: usize,
    done: &SyncSender<GroupPage>,
) {
    for group in 0..file.num_row_groups() {
        let mut pages = match without_panic(|| GroupPages::open(bytes, file, group, column)) {
            Ok(pages) => pages,
            Err(error) => {
                let _ = done.send((group, Err(error)));
                return;
            }
        };
        loop {
            let page = without_panic(|| pages.next());
            let (is_last, is_error) = (matches!(page, Ok(None)), page.is_err());
            if done.send((group, page)).is_err() || is_error {
                return;
            }
            if is_last {
                break;
            }
        }
    }
}

/// The pages of a column of a row group, as they are read ahead.
enum GroupPages {
    Parts(Box<PageParts>),
    Whole(Box<dyn PageReader>),
}

impl GroupPages {
    fn open(
        bytes: &PlacedFile,
        file: &SerializedFileReader<PlacedFile>,
        group: usize,
        column: usize,
    ) -> Result<Self, ParquetError> {
        let group = file.get_row_group(group)?;
        let chunk = group.metadata().column(column);
        if PageParts::can_cut(chunk) {
            let rows = usize::try_from(group.metadata().num_rows())?;
            return Ok(Self::Parts(Box::new(PageParts::open(bytes, chunk, rows)?)));
        }
        Ok(Self::Whole(group.get_column_page_reader(column)?))
    }

    fn next(&mut self) -> Result<Option<Page>, ParquetError> {
        match self {
            Self::Parts(pages) => pages.next(),
            Self::Whole(pages) => pages.get_next_page(),
        }
    }
}

/// The pages of one row group that come from a queue.
struct QueuedPages {
    queue: PageQueue,
    group: usize,
    is_at_end: bool,
}

impl PageReader for QueuedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        if self.is_at_end {
            return Ok(None);
        }
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let stopped = |_| ParquetError::General("reading stopped unexpectedly".to_owned());
            let (group, page) = queue.recv().map_err(stopped)?;
            // Of a group before this one, more may have been there than its rows needed.
            if group == self.group {
                self.is_at_end = !matches!(page, Ok(Some(_)));
                return page;
            }
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        Err(ParquetError::NYI(
            "pages read ahead are not peeked at".to_owned(),
        ))
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.get_next_page().map(drop)
    }
}

impl Iterator for QueuedPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
