"""The measures, one file per family, in the order in which they are listed; each file is imported when one of its measures may be meant."""

FILES = (
    "sets",
    "binary",
    "graded",
    "cascade",
    "cwl",
    "positions",
    "diversity",
    "effort",
    "ideal_overlap",
    "preferences",
)
