"""How do I stop LightGBM's training by nDCG@5 as I report it?

python examples/lightgbm_metric.py
"""

import lightgbm as lgb
import numpy as np
from sklearn.datasets import load_svmlight_file

import judged as jd


def read(name):
    features, grades, query = load_svmlight_file(str(jd.sample_path(f"lightgbm/{name}.letor")), query_id=True)
    return features.toarray(), grades, query, np.unique(query, return_counts=True)[1]


train, valid, test = map(read, ("train", "valid", "test"))
data = lgb.Dataset(train[0], train[1], group=train[3])
model = lgb.train(
    {"objective": "lambdarank", "metric": "None", "num_leaves": 7, "num_threads": 1, "verbose": -1},
    data,
    num_boost_round=100,
    valid_sets=[lgb.Dataset(valid[0], valid[1], group=valid[3], reference=data)],
    feval=jd.integrations.lightgbm.metric("nDCG@5"),
    callbacks=[lgb.early_stopping(10, verbose=False)],
)
by_model = jd.score(test[1], model.predict(test[0]), "nDCG@5", qid=test[2])
by_hand = jd.score(test[1], test[0][:, 0] + test[0][:, 1], "nDCG@5", qid=test[2])
print(jd.compare({"by hand": by_hand, "by model": by_model}).headline()[0])
