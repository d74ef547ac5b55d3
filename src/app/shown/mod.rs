//! Which samples are shown: filter, search, order, the selected one and its place in the list.

pub(super) mod dropping;
pub(super) mod filtering;
pub(super) mod following;
pub(super) mod list;
pub(super) mod query_job;
pub(super) mod searching;
pub(super) mod selection;
pub(super) mod session;
pub(super) mod sorting;
pub(super) mod word_index;
