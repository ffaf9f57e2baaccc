"""The beyond-accuracy measures, one file per family."""
