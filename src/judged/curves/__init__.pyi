from .classify import Classification as Classification
from .classify import classify as classify
from .classify import pr_curve as pr_curve
from .classify import roc_curve as roc_curve
from .points import Curves as Curves
from .run_curves import curve as curve
