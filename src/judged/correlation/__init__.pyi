from .correlate import Correlation as Correlation
from .correlate import Correlations as Correlations
from .correlate import correlate_all as correlate_all
