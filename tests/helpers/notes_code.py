"""The functions of the third note (S3), as they stand in it."""

import numpy as np
from needs import optional

torch = optional("torch")


def rele_gain(rele_level, gain_base=2.0):
    return np.power(gain_base, rele_level) - 1.0


def tor_discounted_cumu_gain_at_ks(sorted_labels, max_cutoff, multi_level_rele=True):
    nums = torch.pow(2.0, sorted_labels[0:max_cutoff]) - 1.0 if multi_level_rele else sorted_labels[0:max_cutoff]
    denoms = torch.log2(torch.arange(max_cutoff, dtype=torch.float) + 2.0)
    return torch.cumsum(nums / denoms, dim=0)


def tor_p_at_ks(sys_sorted_labels, ks=None):
    valid_max = sys_sorted_labels.size(0)
    used_ks = [k for k in ks if k <= valid_max] if valid_max < max(ks) else ks

    max_cutoff = max(used_ks)
    inds = torch.from_numpy(np.asarray(used_ks) - 1)
    rele_ones = torch.ones(max_cutoff)
    non_rele_zeros = torch.zeros(max_cutoff)
    positions = torch.arange(max_cutoff) + 1.0

    sys_sorted_labels = sys_sorted_labels[0:max_cutoff]
    binarized_sys = torch.where(sys_sorted_labels > 0, rele_ones, non_rele_zeros)
    cumu_binarized_sys = torch.cumsum(binarized_sys, dim=0)

    sys_positionwise_precision = cumu_binarized_sys / positions
    sys_p_at_ks = sys_positionwise_precision[inds]
    if valid_max < max(ks):
        padded_p_at_ks = torch.zeros(len(ks))
        padded_p_at_ks[0 : len(used_ks)] = sys_p_at_ks
        return padded_p_at_ks
    return sys_p_at_ks


def tor_ap_at_ks(sys_sorted_labels, ks=None):
    valid_max = sys_sorted_labels.size(0)
    used_ks = [k for k in ks if k <= valid_max] if valid_max < max(ks) else ks

    max_cutoff = max(used_ks)
    inds = torch.from_numpy(np.asarray(used_ks) - 1)
    rele_ones = torch.ones(max_cutoff)
    non_rele_zeros = torch.zeros(max_cutoff)
    positions = torch.arange(max_cutoff) + 1.0

    sys_sorted_labels = sys_sorted_labels[0:max_cutoff]
    binarized_sys = torch.where(sys_sorted_labels > 0, rele_ones, non_rele_zeros)
    cumu_binarized_sys = torch.cumsum(binarized_sys, dim=0)

    sys_poswise_precision = cumu_binarized_sys / positions
    zeroed_sys_poswise_precision = torch.where(sys_sorted_labels > 0, sys_poswise_precision, non_rele_zeros)

    cumsum_sys_poswise_precision = torch.cumsum(zeroed_sys_poswise_precision, dim=0)
    sys_poswise_ap = cumsum_sys_poswise_precision / positions
    sys_ap_at_ks = sys_poswise_ap[inds]

    if valid_max < max(ks):
        padded_ap_at_ks = torch.zeros(len(ks))
        padded_ap_at_ks[0 : len(used_ks)] = sys_ap_at_ks
        return padded_ap_at_ks
    return sys_ap_at_ks


def tor_err_at_ks(sys_sorted_labels, ks=None, multi_level_rele=True, max_rele_level=None):
    valid_max = sys_sorted_labels.size(0)
    used_ks = [k for k in ks if k <= valid_max] if valid_max < max(ks) else ks

    max_cutoff = max(used_ks)
    inds = torch.from_numpy(np.asarray(used_ks) - 1)
    if multi_level_rele:
        positions = torch.arange(max_cutoff) + 1.0
        expt_ranks = 1.0 / positions

        tor_max_rele = torch.Tensor([max_rele_level]).float()
        satis_pros = (torch.pow(2.0, sys_sorted_labels[0:max_cutoff]) - 1.0) / torch.pow(2.0, tor_max_rele)
        non_satis_pros = torch.ones(max_cutoff) - satis_pros
        cum_non_satis_pros = torch.cumprod(non_satis_pros, dim=0)

        cascad_non_satis_pros = positions
        cascad_non_satis_pros[1:max_cutoff] = cum_non_satis_pros[0 : max_cutoff - 1]
        expt_satis_ranks = expt_ranks * satis_pros * cascad_non_satis_pros
        err_at_ranks = torch.cumsum(expt_satis_ranks, dim=0)

        err_at_ks = err_at_ranks[inds]
        if valid_max < max(ks):
            padded_err_at_ks = torch.zeros(len(ks))
            padded_err_at_ks[0 : len(used_ks)] = err_at_ks
            return padded_err_at_ks
        return err_at_ks
    raise NotImplementedError
