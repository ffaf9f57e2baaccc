from . import beir as beir
from . import ir_measures as ir_measures
from . import pytrec_eval as pytrec_eval
from . import ranx as ranx
from . import sklearn as sklearn
