"""The beyond-accuracy measures, one file per family."""

from judged.recommenders.measures import calibration, concentration, diversity, fairness, novelty  # noqa: F401
