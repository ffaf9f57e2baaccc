"""A table as plain data, and every format that a result is written in."""
