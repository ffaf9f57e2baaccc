from . import catboost as catboost
from . import lightgbm as lightgbm
from . import sklearn as sklearn
from . import torchmetrics as torchmetrics
from . import xgboost as xgboost
