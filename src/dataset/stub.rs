//! stub
use super::*;
use crate::schema::Row;
/// stub
pub fn in_parallel<T: Sync, U: Send>(list: &[T], f: impl Fn(&T) -> U + Sync) -> Vec<U> {
    list.iter().map(f).collect()
}
/// stub
pub struct SweptRows<'d> {
    schema: &'d Schema,
    lines: Vec<&'d [u8]>,
}
impl<'d> SweptRows<'d> {
    /// stub
    pub fn schema(&self) -> &'d Schema {
        self.schema
    }
    /// stub
    pub fn lines(&self) -> impl Iterator<Item = &'d [u8]> {
        self.lines.clone().into_iter()
    }
}
impl Dataset {
    /// stub
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }
    /// stub
    pub fn sweep(
        &self,
        samples: Range<usize>,
        wanted: &dyn Fn(usize) -> bool,
        visit: &mut dyn FnMut(usize, SweptRows<'_>),
    ) {
        let _ = (samples, wanted, visit);
    }
}
impl Chunk {
    /// stub
    pub fn columns(&self) -> &Columns {
        todo!()
    }
    /// stub
    pub fn file(&self) -> usize {
        self.file
    }
    /// stub
    pub fn first_sample(&self) -> usize {
        self.first_sample as usize
    }
    /// stub
    pub fn sample_rows(&self) -> &[SampleRows] {
        &self.samples
    }
}
