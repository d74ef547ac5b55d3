//! What is offered.
