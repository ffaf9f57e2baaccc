from .registry import MEASURES as MEASURES
from .registry import Definition as Definition
from .registry import Measure as Measure
from .registry import find as find
from .registry import measure as measure
from .registry import parse as parse
from .registry import parse_all as parse_all
from .registry import ranked as ranked
