from .correlate import correlate_all as correlate_all
from .result import Correlation as Correlation
from .result import Correlations as Correlations
