"""Other libraries' columns to `StringColumn` and back: one module for each library, one way in and one way out."""
