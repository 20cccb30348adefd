"""Published configurations give the published parameter counts."""

from __future__ import annotations

import pytest

from theory.models.published import latent_attention, published_model, published_models


@pytest.mark.parametrize("name", published_models())
def test_counts_are_those_printed(name):
    model = published_model(name)
    assert model.agrees(), (model.total_parameters(), model.active_parameters())
    assert model.source


def test_counts_of_models_whose_exact_size_is_known():
    assert published_model("mixtral-8x7b").total_parameters() == 46_702_792_704
    assert published_model("gpt-oss-120b").total_parameters() == 116_829_156_672
    assert published_model("gpt-oss-20b").total_parameters() == 20_914_757_184


def test_a_count_that_prints_otherwise_is_noticed():
    from dataclasses import replace

    model = published_model("mixtral-8x7b")
    assert not replace(model, printed_total="46.8B").agrees()
    assert not replace(model, printed_active="12.7B").agrees()


def test_latent_attention_with_full_ranks_and_no_rope_is_plain_attention_with_two_more_maps():
    full = latent_attention(d_model=8, heads=2, head_dim=4, query_rank=0, kv_rank=8, rope_dim=0)
    assert full == 8 * 8 + (8 * 8 + 8 + 8 * 16) + 8 * 8


def test_an_unknown_model_is_refused_with_near_names():
    with pytest.raises(ValueError, match="mixtral-8x7b"):
        published_model("mixtral-8x7")
