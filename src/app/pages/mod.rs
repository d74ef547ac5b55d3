//! Pages instead of the panes, one file each.

pub(super) mod difference_page;
pub(super) mod findings;
pub(super) mod layout_page;
pub(super) mod layout_preview;
pub(super) mod page_doc;
pub(super) mod record;
pub(super) mod responses_page;
pub(super) mod statistics;
