"""The command line: one file per command; the only package that prints or exits."""
