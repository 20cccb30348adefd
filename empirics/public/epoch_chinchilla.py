"""The runs of Hoffmann et al. 2022, read off their Figure 4."""

from __future__ import annotations

from empirics.fitting.tables import Table
from empirics.public.adapting import quotient
from empirics.public.table import PublicTable


def _adapt(table: Table) -> Table:
    parameters, flops = table["Model Size"], table["Training FLOP"]
    tokens = quotient({"C": flops, "N": parameters}, "C", "N", 6)
    worst = sorted(map(float, table["loss"]))[-5]
    refitted = [str(int(float(loss) < worst)) for loss in table["loss"]]
    return {
        "parameters": parameters,
        "tokens": tokens,
        "flops": flops,
        "loss": table["loss"],
        "refitted": refitted,
    }


epoch_chinchilla = PublicTable(
    name="epoch-chinchilla",
    words="245 dense models, N and C read off a figure, D = C/(6 N)",
    folder="epoch_chinchilla",
    url="https://raw.githubusercontent.com/epoch-research/analyzing-chinchilla/"
    "92258837425e1b5f2851d624287f0120583a3d0e/data/svg_extracted_data.csv",
    sha256="193478df4e90f040016431996c45682659306840ecdadf83cfb9cd5ca0aa1b30",
    licence="none stated; figures of a publication",
    citation="Besiroglu et al. 2024, arXiv 2404.10102; after Hoffmann et al. 2022, arXiv 2203.15556",
    caveats=(
        "sizes and compute are read off a picture; tokens follow from 6 N D = C, which leaves attention out",
        "the second fit leaves out the five points of highest loss: column refitted is 1 for the 240 others",
        "hyper-parameters, seeds and reruns are not recorded",
    ),
    adapt=_adapt,
)
