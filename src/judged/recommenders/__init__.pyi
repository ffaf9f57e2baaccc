from .beyond_accuracy import BeyondAccuracy as BeyondAccuracy
from .beyond_accuracy import beyond_accuracy as beyond_accuracy
from .gauc import GroupedAUC as GroupedAUC
from .gauc import gauc as gauc
from .lists import top_k as top_k
