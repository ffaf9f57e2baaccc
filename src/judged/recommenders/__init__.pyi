from .beyond_accuracy import BeyondAccuracy as BeyondAccuracy
from .beyond_accuracy import beyond_accuracy as beyond_accuracy
from .gauc import GroupedAUC as GroupedAUC
from .gauc import gauc as gauc
from .top_scores import top_k as top_k
