"""Papers of measures, tests and methods: declarations name them by key, and `references.bib` has them."""
