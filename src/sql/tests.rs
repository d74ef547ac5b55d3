//! What queries come to in SQL.
