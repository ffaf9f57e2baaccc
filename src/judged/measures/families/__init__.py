"""The measures, one file per family, in the order in which they are listed."""

# isort: off
from judged.measures.families import sets, binary, pairs, graded, cascade, cwl, positions, diversity  # noqa: F401
from judged.measures.families import effort, ideal_overlap, preferences, passages  # noqa: F401
