# The public names of `judged`, once: `__init__.py` loads each of them when it is first used.
import judged.evaluation.array_functions as _functions

from . import clicks as clicks
from . import compat as compat
from . import curves as curves
from . import integrations as integrations
from . import measures as measures
from . import rag as rag
from . import recommenders as recommenders
from . import stats as stats
from . import typing as typing
from ._version import __version__ as __version__
from .citations import cite as cite
from .comparison.compare import compare as compare
from .comparison.comparison import Comparison as Comparison
from .comparison.leaderboard import leaderboard as leaderboard
from .comparison.power import power as power
from .comparison.variance import variance as variance
from .core.judged import Judged as Judged
from .core.policy import Policy as Policy
from .correlation.correlate import correlate as correlate
from .curves.run_curves import curve as curve
from .distributed.executors import Threads as Threads
from .distributed.spark_executor import Spark as Spark
from .errors import DataError as DataError
from .errors import EngineError as EngineError
from .errors import FileError as FileError
from .errors import JudgedError as JudgedError
from .errors import UsageError as UsageError
from .evaluation.arrays import score as score
from .evaluation.conventions import conventions as conventions
from .evaluation.describe import describe as describe
from .evaluation.evaluate import evaluate as evaluate
from .evaluation.evaluate import join as join
from .evaluation.explain import explain as explain
from .evaluation.stream import Evaluator as Evaluator
from .evaluation.values import Values as Values
from .evaluation.values import load as load
from .fusion.fuse import fuse as fuse
from .fusion.fuse import tune_fusion as tune_fusion
from .io.questions import read_questions as read_questions
from .io.read import Qrels as Qrels
from .io.read import Run as Run
from .io.read import read_qrels as read_qrels
from .io.read import read_run as read_run
from .io.sample import sample_path as sample_path
from .io.write import write_qrels as write_qrels
from .io.write import write_run as write_run
from .judging.agreement import agree as agree
from .judging.merge import merge_judgments as merge_judgments
from .judging.model_judge import model_judge as model_judge
from .judging.pool import pool as pool
from .judging.pool import pool_bias as pool_bias
from .measures import Measure as Measure
from .measures import measure as measure
from .measures import parse as parse
from .measures.profiles import PROFILES as PROFILES
from .page.label_page import label as label
from .page.report import report as report
from .quality_gate.decision import Gate as Gate
from .quality_gate.gate import baseline as baseline
from .quality_gate.gate import gate as gate

# Written by tools/make_stubs.py: measures, and their functions of labels and scores.
# ruff: noqa: N816
accuracy = _functions.accuracy
all_hit = _functions.all_hit
any_set = _functions.any_set
ap = _functions.ap
arp = _functions.arp
average_precision = _functions.average_precision
average_relevance_position = _functions.average_relevance_position
balanced_accuracy = _functions.balanced_accuracy
bejewelled_player = _functions.bejewelled_player
binary_g = _functions.binary_g
binary_preference = _functions.binary_preference
bpm = _functions.bpm
bpref = _functions.bpref
capped_recall = _functions.capped_recall
cg = _functions.cg
compatibility = _functions.compatibility
complete = _functions.complete
cumulated_gain = _functions.cumulated_gain
dcg = _functions.dcg
dcg_burges = _functions.dcg_burges
decision_accuracy = _functions.decision_accuracy
eleven_point_average = _functions.eleven_point_average
err = _functions.err
expected_reciprocal_rank = _functions.expected_reciprocal_rank
f1 = _functions.f1
f_measure = _functions.f_measure
fall_out = _functions.fall_out
fallout = _functions.fallout
first_hit = _functions.first_hit
full_recall = _functions.full_recall
g_measure = _functions.g_measure
gap = _functions.gap
geometric_bpref = _functions.geometric_bpref
geometric_map = _functions.geometric_map
gmap = _functions.gmap
graded_average_precision = _functions.graded_average_precision
hit_rate = _functions.hit_rate
idcg = _functions.idcg
ideal_dcg = _functions.ideal_dcg
ift = _functions.ift
inferred_ap = _functions.inferred_ap
information_foraging = _functions.information_foraging
informedness = _functions.informedness
insq = _functions.insq
inst = _functions.inst
interpolated_precision = _functions.interpolated_precision
last_hit = _functions.last_hit
mar = _functions.mar
matthews = _functions.matthews
mcc = _functions.mcc
mean_average_precision = _functions.mean_average_precision
mean_average_recall = _functions.mean_average_recall
mean_reciprocal_rank = _functions.mean_reciprocal_rank
mrr = _functions.mrr
ms_ndcg = _functions.ms_ndcg
ncu_early_blended = _functions.ncu_early_blended
ncu_early_precision = _functions.ncu_early_precision
ncu_graded_blended = _functions.ncu_graded_blended
ncu_graded_precision = _functions.ncu_graded_precision
ndcg = _functions.ndcg
ndcg_at_levels = _functions.ndcg_at_levels
ndcg_at_relevant = _functions.ndcg_at_relevant
ndcg_burges = _functions.ndcg_burges
nearly_err_10 = _functions.nearly_err_10
nearly_err_11 = _functions.nearly_err_11
nearly_err_8 = _functions.nearly_err_8
nearly_err_9 = _functions.nearly_err_9
nerr10 = _functions.nerr10
nerr11 = _functions.nerr11
nerr8 = _functions.nerr8
nerr9 = _functions.nerr9
normalised_cumulated_gain = _functions.normalised_cumulated_gain
normalised_err = _functions.normalised_err
normalised_rbp = _functions.normalised_rbp
o_measure = _functions.o_measure
opa = _functions.opa
ordered_pair_accuracy = _functions.ordered_pair_accuracy
p_found = _functions.p_found
p_measure = _functions.p_measure
p_plus = _functions.p_plus
pair_accuracy = _functions.pair_accuracy
position_weighted_average = _functions.position_weighted_average
precision = _functions.precision
pwa = _functions.pwa
q_measure = _functions.q_measure
r_precision = _functions.r_precision
rank_biased_precision = _functions.rank_biased_precision
ranking_loss = _functions.ranking_loss
rbp = _functions.rbp
rbp_residual = _functions.rbp_residual
recall = _functions.recall
recall_at_precision = _functions.recall_at_precision
reciprocal_rank = _functions.reciprocal_rank
rndcg = _functions.rndcg
roc_auc = _functions.roc_auc
rprec = _functions.rprec
rr = _functions.rr
scaled_dcg = _functions.scaled_dcg
sdcg = _functions.sdcg
search_economics = _functions.search_economics
set_accuracy = _functions.set_accuracy
set_average_precision = _functions.set_average_precision
set_f = _functions.set_f
set_precision = _functions.set_precision
set_recall = _functions.set_recall
set_relative_precision = _functions.set_relative_precision
specificity = _functions.specificity
stop = _functions.stop
stopping_probability = _functions.stopping_probability
success = _functions.success
tbg = _functions.tbg
time_biased_gain = _functions.time_biased_gain
u_measure = _functions.u_measure
utility = _functions.utility
youden = _functions.youden
SetP: Measure
SetR: Measure
SetF: Measure
SetAP: Measure
SetRelP: Measure
FallOut: Measure
Specificity: Measure
SetAccuracy: Measure
BalancedAccuracy: Measure
Youden: Measure
MCC: Measure
Utility: Measure
NumQ: Measure
NumRet: Measure
NumRel: Measure
NumRelRet: Measure
MeanRelRet: Measure
NumNonRelRet: Measure
NumWrongRet: Measure
NumRelMissed: Measure
NumNonRelLeft: Measure
P: Measure
R: Measure
RCap: Measure
F: Measure
Success: Measure
RR: Measure
FirstHit: Measure
AP: Measure
GMAP: Measure
yaap: Measure
Rprec: Measure
IPrec: Measure
IPrec11: Measure
binG: Measure
relstring: Measure
Bpref: Measure
GBpref: Measure
infAP: Measure
CG: Measure
nCG: Measure
DCG: Measure
IDCG: Measure
nDCG: Measure
nDCG_burges: Measure
MSnDCG: Measure
DCG_burges: Measure
nDCG_rel: Measure
Rndcg: Measure
G: Measure
Unjudged: Measure
Hole: Measure
Q: Measure
GAP: Measure
ERR: Measure
nERR: Measure
Stop: Measure
PFound: Measure
RBP: Measure
nRBP: Measure
RBPResidual: Measure
SDCG: Measure
INSQ: Measure
SearchEconomics: Measure
BPM: Measure
INST: Measure
NERR8: Measure
NERR9: Measure
NERR10: Measure
NERR11: Measure
MAR: Measure
RecallAtPrecision: Measure
ARP: Measure
PWA: Measure
AUC: Measure
RankingLoss: Measure
LastHit: Measure
Accuracy: Measure
OPA: Measure
alpha_DCG: Measure
ERR_IA: Measure
NRBP: Measure
alpha_nDCG: Measure
nERR_IA: Measure
nNRBP: Measure
P_IA: Measure
AP_IA: Measure
StRecall: Measure
IFT: Measure
TBG: Measure
U: Measure
Complete: Measure
CharRecall: Measure
CharPrecision: Measure
CharIoU: Measure
Compat: Measure
O_measure: Measure
P_measure: Measure
P_plus: Measure
NCUguP: Measure
NCUguBR: Measure
NCUrbP: Measure
NCUrbBR: Measure
NumPrefs: Measure
NumPrefsMet: Measure
NumPrefsMetRet: Measure
Prefs: Measure
PrefsPair: Measure
PrefsAvg: Measure
PrefsAvgR: Measure
PrefsRet: Measure
PrefsPairRet: Measure
PrefsAvgRet: Measure
PrefsAvgRRet: Measure
PrefsImp: Measure
PrefsPairImp: Measure
PrefsAvgImp: Measure
APAvg: Measure
PAvg: Measure
RprecAvg: Measure
