"""Published MoE Transformers as architectures: sizes from their papers and configuration files, with the counts printed there.

``published.csv`` holds one model a row and the source of each. Attention that is not four plain projections is counted outright:
latent attention (DeepSeek) from its ranks, its norms included, and biases, sinks and query-key norms in the column
``attention_extra``. What is left out is below the rounding of the printed totals (biases of routers, relative positions).

Sources differ on active parameters: some count the input embedding, some the head only. ``active_embeddings`` is how many of
the two matrices the source counts. ``sequence`` is the length of pre-training sequences where the source gives it (the first and
longest stage), else the context.
"""

from __future__ import annotations

__all__ = ["PublishedModel", "published_model", "published_models"]

import csv
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files

from theory.errors import MoelawsError, meant, suggest
from theory.models.architecture import (
    LLAMA_CONVENTION,
    Convention,
    Embedding,
    Expert,
    MoETransformer,
    Norm,
    Router,
)

GPT_OSS_CONVENTION = Convention(
    expert=Expert.GATED,
    expert_bias=True,
    router=Router.WEIGHTS_AND_BIAS,
    norm=Norm.SCALE,
    embedding=Embedding.UNTIED,
)
CONVENTIONS = {"llama": LLAMA_CONVENTION, "gpt-oss": GPT_OSS_CONVENTION}
_UNITS = {"M": 10**6, "B": 10**9, "T": 10**12}


@dataclass(frozen=True)
class PublishedModel:
    """A published model: its architecture, how its parameters are counted, and the counts as printed (such as "46.7B")."""

    name: str
    title: str
    architecture: MoETransformer
    convention: Convention
    active_embeddings: int
    printed_total: str
    printed_active: str
    printed_tokens: str
    sequence: int
    source: str

    @property
    def training_tokens(self) -> int | None:
        """Training tokens as printed; None where the source does not say."""
        return (
            int(Fraction(self.printed_tokens[:-1]) * _UNITS[self.printed_tokens[-1]])
            if self.printed_tokens
            else None
        )

    def total_parameters(self) -> int:
        """N_tot, embedding and head included."""
        return int(self.architecture.total_parameters(self.convention))

    def active_parameters(self) -> int:
        """Active parameters of a token, as the source counts them."""
        both = int(self.architecture.active_parameters(self.convention))
        one = int(self.architecture.vocabulary * self.architecture.d_model)
        return both - (2 - self.active_embeddings) * one

    def agrees(self) -> bool:
        """Whether both counts print as they are printed, rounded or truncated."""
        return _prints_as(self.total_parameters(), self.printed_total) and (
            not self.printed_active or _prints_as(self.active_parameters(), self.printed_active)
        )


def published_models() -> dict[str, PublishedModel]:
    """Every published model by name."""
    return dict(_read())


@lru_cache(maxsize=1)
def _read() -> dict[str, PublishedModel]:
    text = (files("theory.models") / "published.csv").read_text(encoding="utf-8")
    return {row["name"]: _model(row) for row in csv.DictReader(text.splitlines())}


def published_model(name: str) -> PublishedModel:
    """The published model of this name; ValueError with the nearest known names."""
    known = published_models()
    name = meant(name, known)
    if name not in known:
        raise MoelawsError(f"model {name!r}: expected one of {', '.join(known)}.{suggest(name, known)}")
    return known[name]


def latent_attention(
    *, d_model: int, heads: int, head_dim: int, query_rank: int, kv_rank: int, rope_dim: int
) -> int:
    """Parameters of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434), without biases; ``query_rank`` 0: full rank."""
    wide = heads * (head_dim + rope_dim)
    query = d_model * query_rank + query_rank + query_rank * wide if query_rank else d_model * wide
    keys_and_values = d_model * (kv_rank + rope_dim) + kv_rank + kv_rank * heads * 2 * head_dim
    return query + keys_and_values + heads * head_dim * d_model


def _model(row: dict[str, str]) -> PublishedModel:
    size = {name: int(row[name]) for name in row if row[name].isdigit()}
    shape = {
        name: size[name]
        for name in (
            "layers", "dense_layers", "d_model", "d_ff", "dense_d_ff", "experts", "active", "shared_experts",
            "heads", "kv_heads", "head_dim", "vocabulary", "context",
        )
        if name in size
    }  # fmt: skip
    plain = MoETransformer(**shape)
    attention = None
    if "kv_rank" in size:
        attention = latent_attention(
            d_model=size["d_model"],
            heads=size["heads"],
            head_dim=size["head_dim"],
            query_rank=size.get("query_rank", 0),
            kv_rank=size["kv_rank"],
            rope_dim=size["rope_dim"],
        )
    elif size["attention_extra"]:
        attention = plain.attention_parameters(LLAMA_CONVENTION) + size["attention_extra"]
    return PublishedModel(
        name=row["name"],
        title=row["title"],
        architecture=MoETransformer(**shape, attention=attention),
        convention=CONVENTIONS[row["convention"]],
        active_embeddings=size["active_embeddings"],
        printed_total=row["total"],
        printed_active=row["active_total"],
        printed_tokens=row["tokens"],
        sequence=size.get("training_sequence", size["context"]),
        source=row["source"],
    )


def _prints_as(count: int, printed: str) -> bool:
    digits, unit = Fraction(printed[:-1]), _UNITS[printed[-1]]
    step = Fraction(1, 10 ** len(printed[:-1].partition(".")[2]))
    value = Fraction(count, unit)
    return abs(value - digits) <= step / 2 or digits <= value < digits + step
