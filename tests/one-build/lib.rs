//! This package only turns on features of its dependencies.
