"""Dense and MoE models of the Step Law: a grid of learning rates and batch sizes for each size and number of tokens."""

from __future__ import annotations

from empirics.fitting.tables import Table
from empirics.public.adapting import best_of_each, quotient
from empirics.public.table import PublicTable

_ADDRESS = "https://raw.githubusercontent.com/step-law/steplaw/32a8f4cc50247695fb56cc6c9117abdf67c97763/data/"
_CITATION = "Step Law, arXiv 2503.04715"
_CAVEATS = (
    "the least smoothed loss of each cell, over learning rate and batch size: a minimum of noisy values lies low",
    "parameters leave the vocabulary out",
)


def _adapt_dense(table: Table) -> Table:
    best = best_of_each(table, ("N", "D"), "smooth loss")
    return {"parameters": best["N"], "tokens": best["D"], "loss": best["smooth loss"]}


def _adapt_moe(table: Table) -> Table:
    best = best_of_each(table, ("moe_name", "D"), "smooth loss")
    return {
        "active_parameters": best["Na"],
        "total_parameters": best["N"],
        "tokens": best["D"],
        "expansion": quotient(best, "nume", "topk"),
        "loss": best["smooth loss"],
    }


steplaw_dense = PublicTable(
    name="steplaw-dense",
    words="the best of 1,911 dense runs in each of 17 cells of size and tokens",
    folder="steplaw",
    url=f"{_ADDRESS}dense_lr_bs_loss.csv",
    sha256="9e46181076c04d450294d75dfe6f72adc416e231e154a07b337e378f9410002c",
    licence="none stated",
    citation=_CITATION,
    caveats=_CAVEATS,
    adapt=_adapt_dense,
)
steplaw_moe = PublicTable(
    name="steplaw-moe",
    words="the best of 708 MoE runs in each of 16 cells of sparsity and tokens, 2.15e9 parameters in all",
    folder="steplaw",
    url=f"{_ADDRESS}moe_lr_bs_loss.csv",
    sha256="653d585244a7b227423007e8b796bc16d76f6d24eb87b1919b8f048a91897b92",
    licence="none stated",
    citation=_CITATION,
    caveats=(
        *_CAVEATS,
        "total parameters do not vary, and active ones only with sparsity: a law in both is not identified",
        "shared experts are part of the active parameters and not of the expansion rate",
    ),
    adapt=_adapt_moe,
)
