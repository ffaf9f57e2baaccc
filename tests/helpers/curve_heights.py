"""Heights of curves, for tests that compare curves with points of other tools."""

import numpy as np


def height(line, x: float) -> float:
    """Return y at any x, by linear interpolation; the highest value where the curve is vertical."""
    later = int(np.searchsorted(line.x, x, "right"))
    if later in (0, len(line.x)):
        return float(line.y[max(later - 1, 0)])
    share = (x - line.x[later - 1]) / (line.x[later] - line.x[later - 1])
    return float(line.y[later - 1] + share * (line.y[later] - line.y[later - 1]))
