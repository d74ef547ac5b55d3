//! The sentences that the program shows, one section per subject.

// Opening and following the file
// Filters and search
// Commands and the input line
// Lists, columns and menus
// Findings and spot checks
