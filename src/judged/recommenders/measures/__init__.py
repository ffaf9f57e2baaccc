"""The beyond-accuracy measures, one file per family."""

from judged.recommenders.measures import calibration, concentration, diversity, novelty  # noqa: F401
