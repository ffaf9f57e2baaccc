from .judged import Judged as Judged
from .native import NATIVE as NATIVE
from .policy import Policy as Policy
from .tables import Qrels as Qrels
from .tables import Run as Run
