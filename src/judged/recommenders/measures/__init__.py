"""The beyond-accuracy measures, one file per family; each file is imported when one of its measures may be meant."""
