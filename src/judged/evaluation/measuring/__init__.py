"""One measure on one `Judged`; expected values over ties; bounds."""
