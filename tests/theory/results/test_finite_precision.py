"""Networks of few bits, all of them: how many functions there are, and which size counts them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from theory.rates.consistency import PairVerdict, minimax_consistency
from theory.rates.minimise import minimise
from theory.results.finite_precision import finite_precision_entropy, pruned_entropy
from theory.vocabulary import M, N_tot, beta, bits, d, k, n

INPUTS = np.linspace(-1, 1, 9)


def layer(x, experts, router):
    """A hard top-1 layer with a trained router; ties go to the lower expert."""
    logits = np.outer(x, router)
    return x + np.asarray(experts)[np.argmax(logits, axis=1)]


def functions(levels, experts, blocks):
    """Every function on INPUTS of `blocks` top-1 layers of constant experts with weights among `levels`."""
    found = set()
    for weights in itertools.product(levels, repeat=2 * experts * blocks):
        x = INPUTS
        for block in range(blocks):
            mine = weights[2 * experts * block : 2 * experts * (block + 1)]
            x = layer(x, mine[:experts], mine[experts:])
        found.add(tuple(x))
    return found


@pytest.mark.parametrize(
    ("levels", "experts", "blocks"), [((-1.0, 0.5), 2, 1), ((-1.0, 0.5), 2, 2), ((-1, -0.4, 0.3, 1), 3, 1)]
)
def test_there_are_no_more_functions_than_the_weights_have_values(levels, experts, blocks):
    width = int(math.log2(len(levels)))
    bound = finite_precision_entropy.bound.subs({bits: width, N_tot: 2 * experts * blocks})
    count = len(functions(levels, experts, blocks))
    assert math.log(count) <= float(bound)
    one_expert = 2 * blocks  # an expert and its row of the router in each block: what one token uses
    assert count > len(levels) ** one_expert


def test_pruned_networks_are_no_more_than_their_bound():
    total, width = 8, 1
    for kept in range(1, total + 1):
        vectors = {
            tuple(dict(zip(places, values, strict=True)).get(i, 0) for i in range(total))
            for places in itertools.combinations(range(total), kept)
            for values in itertools.product((0, 1), repeat=kept)
        }
        symbols = {s.name: s for s in pruned_entropy.bound.free_symbols}
        bound = pruned_entropy.bound.subs({symbols["total"]: total, symbols["kept"]: kept, bits: width})
        assert math.log(len(vectors)) <= float(bound)


def test_total_parameters_give_the_minimax_rate_and_active_ones_would_beat_it():
    risk = M ** (-2 * beta / d)
    assert repr(minimise(risk + M / n, over=M, given=n)).startswith("n^(-2β/(2β+d))")
    assert minimax_consistency(risk + M / n, over=M, given=n).verdict is PairVerdict.CONSISTENT
    assert minimax_consistency(risk + k / n, over=(k, M), given=n).verdict is PairVerdict.BROKEN
