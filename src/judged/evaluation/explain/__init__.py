"""The arithmetic behind the value of a query."""
