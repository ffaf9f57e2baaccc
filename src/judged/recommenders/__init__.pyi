from .beyond_accuracy import beyond_accuracy as beyond_accuracy
from .beyond_accuracy import top_k as top_k
from .evaluate_from_samples import SampledEstimates as SampledEstimates
from .evaluate_from_samples import evaluate_from_samples as evaluate_from_samples
from .gauc import GroupedAUC as GroupedAUC
from .gauc import gauc as gauc
from .result import BeyondAccuracy as BeyondAccuracy
