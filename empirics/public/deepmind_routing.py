"""Routed Transformers of Clark et al. 2022, at the last step."""

from __future__ import annotations

from empirics.fitting.tables import Table
from empirics.public.adapting import chosen
from empirics.public.table import PublicTable

_LAST = 249_000


def _adapt(table: Table) -> Table:
    last = chosen(table, lambda row: float(row["step"]) == _LAST)
    return {
        "active_parameters": last["dense_parameter_count"],
        "total_parameters": last["total_parameter_count"],
        "expansion": last["num_experts"],
        "active": last["k"],
        "router": last["router_type"],
        "loss": last["loss_validation"],
    }


deepmind_routing = PublicTable(
    name="deepmind-routing",
    words="221 dense and routed models (S-Base, Hash, RL-R) of 16M to 1.3B active parameters, at step 249,000",
    folder="deepmind_routing",
    url="https://raw.githubusercontent.com/google-deepmind/scaling_laws_for_routing/"
    "42da0c392b127df2c01fa7b705f72396050d05e5/data/curves.csv.gz",
    sha256="c03e7531add85e594f368d33bac4a0220280be858a7ed12d147cf73af6a3819f",
    licence="CC-BY-4.0",
    citation="Clark et al. 2022, arXiv 2202.01169",
    caveats=(
        "one number of tokens (about 130B by the paper; it is no column), so no law in D is identified",
        "expansion is the number of experts, as in the paper, also in the 17 runs that route to k > 1 of them",
        "active parameters are those of the dense model, also where k > 1 experts are active",
        "earlier steps of a run are left out: their learning rate had not yet fallen",
    ),
    adapt=_adapt,
)
