"""What `route` promises in its docstring, on every implementation."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
import torch

from empirics.routing import route as anywhere

T, E, K = 37, 7, 3


def draw(*shape: int, seed: int = 20260409) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def logits_TE() -> torch.Tensor:
    return draw(T, E)


# Weights


def test_renormalised_softmax_weights_are_scores_over_their_sum(route, logits_TE):
    routing = route(logits_TE, K)
    chosen_TK = logits_TE.softmax(-1).gather(-1, routing.ids_TK)
    torch.testing.assert_close(routing.weights_TK, chosen_TK / chosen_TK.sum(-1, keepdim=True))


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
def test_weights_are_the_scores_without_renormalisation(route, logits_TE, gate):
    routing = route(logits_TE, K, gate=gate, renormalise=False)
    scores_TE = logits_TE.softmax(-1) if gate == "softmax" else logits_TE.sigmoid()
    torch.testing.assert_close(routing.weights_TK, scores_TE.gather(-1, routing.ids_TK))


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
def test_renormalised_weights_sum_to_one_where_every_score_underflows(route, gate):
    bias_E = torch.tensor([0.0, 5.0, 5.0])
    routing = route(torch.tensor([[500.0, -500.0, -501.0]]), 2, gate=gate, bias_E=bias_E)
    assert routing.ids_TK.tolist() == [[1, 2]]
    torch.testing.assert_close(
        routing.weights_TK, torch.tensor([[1.0, math.exp(-1.0)]]) / (1 + math.exp(-1.0))
    )


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_low_precision_logits_are_computed_with_in_float32(route, logits_TE, dtype):
    low, exact = route(logits_TE.to(dtype), K), route(logits_TE.to(dtype).float(), K)
    assert low.weights_TK.dtype == torch.float32
    assert torch.equal(low.weights_TK, exact.weights_TK)
    assert torch.equal(low.balance_loss, exact.balance_loss)


def test_autocast_rounds_nothing(route, logits_TE):
    plain = route(logits_TE, K)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = route(logits_TE, K)
    for name in ("weights_TK", "balance_loss", "z_loss", "entropy"):
        assert torch.equal(getattr(cast, name), getattr(plain, name)), name


# Selection


def test_experts_come_best_first_and_ties_go_to_the_smallest_index(route):
    logits_TE = torch.tensor([[1.0, 3.0, 1.0, 3.0, 0.0], [0.0, -0.0, 0.0, -0.0, 0.0]])
    assert route(logits_TE, 3).ids_TK.tolist() == [[1, 3, 0], [0, 1, 2]]


def test_saturated_scores_make_no_ties(route):
    """sigmoid(30) and sigmoid(31) are both 1 in float32."""
    assert route(torch.tensor([[30.0, 31.0]]), 1, gate="sigmoid").ids_TK.tolist() == [[1]]


def test_near_ties_keep_their_order(route):
    """Logits one unit in the last place apart; packing an index into their low bits would reorder them."""
    one = torch.tensor(1.0)
    above = torch.nextafter(one, torch.tensor(2.0))
    logits_TE = torch.stack([one, above, one, above, torch.nextafter(above, torch.tensor(2.0))])[None]
    assert route(logits_TE, 5).ids_TK.tolist() == [[4, 1, 3, 0, 2]]


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
def test_a_bias_changes_the_selection_and_not_the_weights(route, gate):
    logits_TE = torch.tensor([[2.0, 1.0, 0.0]])
    routing = route(logits_TE, 2, gate=gate, bias_E=torch.tensor([0.0, 0.0, 4.0]), renormalise=False)
    assert routing.ids_TK.tolist() == [[2, 0]]
    scores_TE = logits_TE.softmax(-1) if gate == "softmax" else logits_TE.sigmoid()
    torch.testing.assert_close(routing.weights_TK, scores_TE[:, [2, 0]])


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
@pytest.mark.parametrize("constant", [1e-3, -0.7, 12.0, -3e5, 1e30])
def test_a_bias_that_is_the_same_for_all_experts_changes_nothing(route, gate, constant):
    """Small scores would vanish in score + bias; equal ones that saturate are told apart by their logits."""
    logits_TE = torch.cat([draw(64, 16) - 14, draw(64, 16, seed=1), 30 + draw(8, 16, seed=2)])
    plain, shifted = (
        route(logits_TE, 4, gate=gate, bias_E=bias) for bias in (None, torch.full((16,), constant))
    )
    for name, value in vars(plain).items():
        assert torch.equal(getattr(shifted, name), value), name


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
def test_a_constant_added_to_a_bias_changes_no_selection(route, gate):
    """Sixteenths plus sixteenths are exact, so both biases differ from each other by exactly the constant."""
    bias_E = torch.randint(-4, 5, (16,), generator=torch.Generator().manual_seed(3)) / 16
    logits_TE = draw(128, 16) - 12
    first = route(logits_TE, 4, gate=gate, bias_E=bias_E)
    for constant in (0.25, -3.0, 4096.0):
        assert torch.equal(route(logits_TE, 4, gate=gate, bias_E=bias_E + constant).ids_TK, first.ids_TK)


def test_sums_that_rounding_makes_equal_keep_their_order(route):
    """1 + 3e-8 and 1 + 4e-8 are both 1 in float32."""
    logits_TE = torch.tensor([[3e-8, 4e-8, 0.5]]).logit()
    routing = route(logits_TE, 2, gate="sigmoid", bias_E=torch.tensor([1.0, 1.0, 0.0]))
    assert routing.ids_TK.tolist() == [[1, 0]]


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
@pytest.mark.parametrize("biased", [False, True])
def test_renumbered_experts_are_selected_under_their_new_numbers(route, gate, biased):
    """What must not change: without ties an expert's number says nothing."""
    logits_TE, order = draw(50, 11), torch.randperm(11, generator=torch.Generator().manual_seed(4))
    bias_E = draw(11, seed=5) / 8 if biased else None
    first = route(logits_TE, 3, gate=gate, bias_E=bias_E)
    renumbered = route(logits_TE[:, order], 3, gate=gate, bias_E=None if bias_E is None else bias_E[order])
    assert torch.equal(order[renumbered.ids_TK], first.ids_TK)
    torch.testing.assert_close(renumbered.weights_TK, first.weights_TK)
    torch.testing.assert_close(renumbered.balance_loss, first.balance_loss)


def test_a_constant_added_to_a_tokens_logits_changes_no_selection_and_no_softmax(route):
    logits_TE = torch.randint(-64, 64, (40, 9), generator=torch.Generator().manual_seed(6)) / 16
    first, moved = route(logits_TE, 3), route(logits_TE + 5.5, 3)
    assert torch.equal(moved.ids_TK, first.ids_TK)
    torch.testing.assert_close(moved.weights_TK, first.weights_TK)
    torch.testing.assert_close(moved.balance_loss, first.balance_loss)


# Restrictions and padding


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
@pytest.mark.parametrize("bias", [None, -5.0])
def test_a_forbidden_expert_is_never_selected_whatever_the_sign_of_scores(route, gate, bias):
    allowed_TE = torch.rand(200, 9, generator=torch.Generator().manual_seed(7)) < 0.5
    allowed_TE[:, :3] = True
    bias_E = None if bias is None else bias + draw(9, seed=8)
    logits_TE = draw(200, 9) - 3
    routing = route(logits_TE, 3, gate=gate, bias_E=bias_E, allowed_TE=allowed_TE)
    assert allowed_TE.gather(-1, routing.ids_TK).all()
    everything = route(logits_TE, 3, gate=gate, bias_E=bias_E)
    assert torch.equal(routing.mean_probability_E, everything.mean_probability_E)
    untouched_T = allowed_TE.gather(-1, everything.ids_TK).all(-1)
    assert untouched_T.any()
    assert torch.equal(routing.ids_TK[untouched_T], everything.ids_TK[untouched_T])


def test_allowing_every_expert_changes_nothing(route, logits_TE):
    plain, allowed = route(logits_TE, K), route(logits_TE, K, allowed_TE=torch.ones(T, E, dtype=torch.bool))
    for name, value in vars(plain).items():
        torch.testing.assert_close(getattr(allowed, name), value, msg=name)


def test_a_row_that_allows_too_few_experts_is_named_or_cleaned(route, logits_TE):
    allowed_TE = torch.ones(T, E, dtype=torch.bool)
    allowed_TE[4, 1:] = False
    with pytest.raises(ValueError, match=r"allowed_TE\[4\] allows 1 of 7 experts.*at least k=3"):
        route(logits_TE, K, allowed_TE=allowed_TE)
    routing = route(logits_TE, K, allowed_TE=allowed_TE, nonfinite="clean")
    assert routing.cleaned.item() == 1
    assert routing.ids_TK[4].tolist() == [0, 1, 2]


def test_groups_are_chosen_by_their_two_best_experts(route):
    """The best single expert stands in the first group, the best pair in the second."""
    logits_TE = torch.tensor([[2.0, -9.0, -9.0, 1.5, 1.4, -9.0, 1.0, 1.0, 1.0]])
    assert route(logits_TE, 2, groups=(3, 1)).ids_TK.tolist() == [[3, 4]]
    assert route(logits_TE, 4, groups=(3, 2)).ids_TK.tolist() == [[0, 3, 4, 1]]
    assert route(logits_TE, 2, groups=(3, 3)).ids_TK.tolist() == [[0, 3]]
    bias_E = torch.tensor([0.0] * 6 + [0.5] * 3)
    assert route(logits_TE, 2, groups=(3, 1), bias_E=bias_E).ids_TK.tolist() == [[6, 7]]


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
def test_all_groups_are_no_limit_and_experts_come_from_no_more_groups_than_asked(route, gate):
    logits_TE = draw(60, 12)
    plain, limited = route(logits_TE, 4, gate=gate), route(logits_TE, 4, gate=gate, groups=(4, 4))
    assert torch.equal(plain.ids_TK, limited.ids_TK)
    torch.testing.assert_close(plain.weights_TK, limited.weights_TK)
    routing = route(logits_TE, 4, gate=gate, groups=(4, 2), bias_E=torch.full((12,), 3.0))
    assert all(len({id_ // 3 for id_ in row}) <= 2 for row in routing.ids_TK.tolist())
    assert torch.equal(routing.ids_TK, route(logits_TE, 4, gate=gate, groups=(4, 2)).ids_TK)


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
def test_padding_takes_no_part_in_losses_and_statistics(route, gate):
    """As if only the real tokens were there, whatever the padding holds; shapes and counts stay those of all tokens."""
    real_T = torch.rand(T, generator=torch.Generator().manual_seed(9)) < 0.6
    logits_TE = draw(T, E).requires_grad_()
    alone_TE = logits_TE.detach()[real_T].requires_grad_()
    rubbish_TE = logits_TE.where(real_T[:, None], torch.tensor([1e30, torch.nan, -7, torch.inf, 0, 3, 1]))
    padded, alone = route(rubbish_TE, K, gate=gate, real_T=real_T), route(alone_TE, K, gate=gate)
    for name in ("balance_loss", "z_loss", "mean_probability_E", "entropy", "max_load", "cleaned"):
        torch.testing.assert_close(getattr(padded, name), getattr(alone, name), msg=name)
    assert torch.equal(padded.ids_TK[real_T], alone.ids_TK)
    assert padded.counts_E.sum().item() == T * K
    for routing, real in ((padded, real_T), (alone, slice(None))):
        (routing.weights_TK[real].square().sum() + routing.balance_loss + 0.1 * routing.z_loss).backward()
    torch.testing.assert_close(logits_TE.grad[real_T], alone_TE.grad)
    assert not logits_TE.grad[~real_T].any()


def test_padding_alone_has_no_losses(route, logits_TE):
    routing = route(logits_TE, K, real_T=torch.zeros(T, dtype=torch.bool))
    for name in ("balance_loss", "z_loss", "entropy", "max_load", "cleaned"):
        assert getattr(routing, name).item() == 0, name
    assert routing.counts_E.sum().item() == T * K


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": (3, 1)}, "divisor of E=7"),
        ({"groups": (7, 8)}, "from 1 to all of them"),
        ({"groups": (7, 2)}, "fewer than k=3"),
        ({"groups": 7}, "two whole numbers"),
        ({"groups": (7, 3), "allowed_TE": torch.ones(T, E, dtype=torch.bool)}, "not taken together"),
        (
            {"allowed_TE": torch.ones(T, E)},
            r"torch.float32 .*: expected a torch.bool tensor of shape \(37, 7\)",
        ),
        ({"real_T": torch.ones(E, dtype=torch.bool)}, r"expected a torch.bool tensor of shape \(37,\)"),
        ({"real_T": [True] * T}, "real_T is list"),
    ],
)
def test_restrictions_that_are_none_are_named(route, logits_TE, options, message):
    with pytest.raises(ValueError, match=message):
        route(logits_TE, K, **options)


# Bookkeeping


def test_counts_offsets_and_permutation_describe_the_ids(route, logits_TE):
    routing = route(logits_TE, K)
    flat_N = routing.ids_TK.flatten().tolist()
    stable = sorted(range(T * K), key=lambda i: flat_N[i])
    assert routing.permutation_N.tolist() == stable
    assert routing.counts_E.tolist() == [flat_N.count(e) for e in range(E)]
    assert routing.offsets_E.tolist() == [sum(id_ < e for id_ in flat_N) for e in range(E + 1)]
    assert routing.ends_E.tolist() == routing.offsets_E[1:].tolist()
    assert routing.ends_E.dtype == torch.int32
    assert routing.inverse_N[routing.permutation_N].tolist() == list(range(T * K))
    assert routing.tokens_N.tolist() == [i // K for i in stable]


def test_experts_without_tokens_own_no_rows(route):
    routing = route(torch.tensor([[0.0, -1.0, 9.0, -1.0]] * 5), 1)
    assert routing.counts_E.tolist() == [0, 0, 5, 0]
    assert routing.offsets_E.tolist() == [0, 0, 0, 5, 5]


def test_every_expert_active(route, logits_TE):
    routing = route(logits_TE, E)
    assert routing.counts_E.tolist() == [T] * E
    torch.testing.assert_close(routing.weights_TK, logits_TE.softmax(-1).sort(descending=True).values)


def test_one_expert(route):
    logits_TE = draw(5, 1).requires_grad_()
    routing = route(logits_TE, 1)
    assert routing.weights_TK.tolist() == [[1.0]] * 5
    (routing.weights_TK.sum() + routing.balance_loss).backward()
    assert logits_TE.grad.tolist() == [[0.0]] * 5


def test_no_tokens(route):
    logits_TE = torch.zeros(0, 4, requires_grad=True)
    routing = route(logits_TE, 2)
    assert routing.weights_TK.shape == routing.ids_TK.shape == (0, 2)
    assert routing.offsets_E.tolist() == [0] * 5
    assert routing.permutation_N.shape == routing.inverse_N.shape == (0,)
    for statistic in (routing.balance_loss, routing.z_loss, routing.entropy, routing.max_load):
        assert statistic.item() == 0
    (routing.weights_TK.sum() + routing.balance_loss + routing.z_loss).backward()
    assert logits_TE.grad.shape == (0, 4)


@pytest.mark.parametrize("view", ["transposed", "strided", "reversed experts of a slice", "expanded"])
def test_strides_are_respected(route, logits_TE, view):
    """Poison lies between the entries of the view."""
    poisoned = torch.full((2 * T, 2 * E), torch.nan)
    if view == "transposed":
        logits = logits_TE.T.contiguous().T
    elif view == "strided":
        poisoned[::2, 1::2] = logits_TE
        logits = poisoned[::2, 1::2]
    elif view == "expanded":
        logits, logits_TE = logits_TE[:1].expand(T, E), logits_TE[:1].repeat(T, 1)
    else:
        poisoned[:T, E:] = logits_TE
        logits = poisoned[:T, E:]
    found, expected = route(logits, K), route(logits_TE.contiguous(), K)
    assert torch.equal(found.weights_TK, expected.weights_TK)
    assert torch.equal(found.ids_TK, expected.ids_TK)


# Statistics


def test_the_balance_loss_is_one_when_even_and_e_over_k_at_worst(route):
    even = route(torch.eye(4).repeat(3, 1) * 50, 1)
    assert even.balance_loss.item() == pytest.approx(1)
    assert even.max_load.item() == 1
    collapsed = route(torch.tensor([[50.0, 0.0, 0.0, 0.0]] * 6), 1)
    assert collapsed.balance_loss.item() == pytest.approx(4)
    assert collapsed.max_load.item() == 4


def test_statistics_are_what_their_definitions_say(route, logits_TE):
    routing, p_TE = route(logits_TE, K), logits_TE.softmax(-1)
    torch.testing.assert_close(routing.mean_probability_E, p_TE.mean(0))
    torch.testing.assert_close(routing.entropy, -(p_TE * p_TE.log()).sum(-1).mean())
    torch.testing.assert_close(routing.z_loss, logits_TE.exp().sum(-1).log().square().mean())
    torch.testing.assert_close(routing.max_load, routing.counts_E.max() * E / (T * K))
    torch.testing.assert_close(routing.balance_loss, E * (routing.counts_E / (T * K) * p_TE.mean(0)).sum())


def test_the_gradient_of_the_z_loss_keeps_its_digits_at_large_logits(route):
    """Through torch.logsumexp it is off by 0.2% here."""
    logits_TE = torch.tensor([[60000.0, 60000.0]], requires_grad=True)
    route(logits_TE, 1).z_loss.backward()
    torch.testing.assert_close(logits_TE.grad, torch.full((1, 2), 60000 + math.log(2)), rtol=1e-6, atol=0)


def test_probabilities_of_sigmoid_gates_are_scores_over_their_sum(route, logits_TE):
    p_TE = logits_TE.sigmoid() / logits_TE.sigmoid().sum(-1, keepdim=True)
    torch.testing.assert_close(route(logits_TE, K, gate="sigmoid").mean_probability_E, p_TE.mean(0))


@pytest.mark.parametrize("name", ["counts_E", "mean_probability_E", "entropy", "max_load", "cleaned"])
def test_what_is_counted_may_be_changed_in_place_before_the_backward_pass(route, logits_TE, name):
    """As all-reducing it for a log does."""
    gradients = []
    for added in (0, 5):
        leaf_TE = logits_TE.clone().requires_grad_()
        routing = route(leaf_TE, K)
        getattr(routing, name).add_(added)
        (routing.weights_TK[:, 0].sum() + routing.balance_loss + routing.z_loss).backward()
        gradients.append(leaf_TE.grad)
    assert torch.equal(*gradients)


# What is refused, what is cleaned


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_row_that_is_not_finite_is_refused_with_its_number(route, logits_TE, value):
    logits_TE[11, 4] = value
    with pytest.raises(ValueError, match=r"logits_TE\[11, 4\]=.*: row 11 is not finite"):
        route(logits_TE, K)


@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_cleaned_row_is_a_row_of_zeros_without_gradient(route, logits_TE, value, gate):
    zeroed_TE = logits_TE.clone()
    zeroed_TE[11], zeroed_TE[30] = 0, 0
    logits_TE[11, 4], logits_TE[30] = value, value
    logits_TE.requires_grad_()
    found = route(logits_TE, K, gate=gate, nonfinite="clean")
    expected = route(zeroed_TE, K, gate=gate)
    assert found.cleaned.item() == 2
    assert expected.cleaned.item() == 0
    for name in ("weights_TK", "ids_TK", "permutation_N", "balance_loss", "z_loss", "entropy"):
        assert torch.equal(getattr(found, name), getattr(expected, name)), name
    (found.weights_TK[:, 0].sum() + found.balance_loss + found.z_loss).backward()
    assert logits_TE.grad.isfinite().all()
    assert logits_TE.grad[[11, 30]].eq(0).all()
    assert logits_TE.grad[10].ne(0).all()


def test_a_bias_that_is_not_finite_is_refused_or_counts_as_zero(route, logits_TE):
    bias_E = torch.tensor([0.0, math.nan, 0.1, -math.inf, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match=r"bias_E\[1\]=nan"):
        route(logits_TE, K, bias_E=bias_E)
    cleaned = route(logits_TE, K, bias_E=bias_E, nonfinite="clean")
    assert torch.equal(cleaned.ids_TK, route(logits_TE, K, bias_E=bias_E.nan_to_num(0, neginf=0)).ids_TK)


@pytest.mark.parametrize("excluded", [-1e39, -1e300])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_bias_beyond_float32_still_excludes_its_expert(route, logits_TE, excluded, dtype):
    logits_TE[:, 2] = 20
    bias_E = torch.zeros(E, dtype=torch.float64)
    bias_E[2], bias_E[4] = excluded, -excluded
    for gate in ("softmax", "sigmoid"):
        routing = route(logits_TE.to(dtype), 1, gate=gate, bias_E=bias_E)
        assert routing.ids_TK.eq(4).all()
        assert not route(logits_TE.to(dtype), E - 1, gate=gate, bias_E=bias_E).counts_E[2]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"k": 0}, "k=0: expected a whole number from 1 to E=7"),
        ({"k": 8}, "k=8: expected a whole number from 1 to E=7"),
        ({"k": True}, "k=True"),
        ({"logits_TE": torch.zeros(2, 3, 4)}, r"shape \(2, 3, 4\): expected two dimensions"),
        ({"logits_TE": torch.zeros(2, 7, dtype=torch.int32)}, "dtype torch.int32: expected floating-point"),
        ({"logits_TE": torch.zeros(2, 0)}, "at least one expert"),
        ({"logits_TE": torch.zeros(1, 7).expand(2**31 - 1, 7)}, r"fewer than 2\^31 assignments"),
        ({"bias_E": torch.zeros(6)}, r"bias_E of shape \(6,\)"),
        (
            {"bias_E": torch.zeros(7, dtype=torch.float8_e4m3fn)},
            r"bias_E of shape .* torch.float8_e4m3fn: expected E=7",
        ),
        (
            {"logits_TE": torch.zeros(2, 7).to(torch.float8_e4m3fn)},
            "float8_e4m3fn: expected floating-point .* in bfloat16",
        ),
        ({"renormalise": "no"}, "renormalise='no': expected True or False"),
        ({"gate": "tanh"}, "gate='tanh': expected one of 'softmax', 'sigmoid'"),
        ({"nonfinite": "ignore"}, "nonfinite='ignore': expected one of"),
    ],
)
def test_bad_arguments_are_named(route, arguments, named):
    with pytest.raises(ValueError, match=named):
        route(**{"logits_TE": torch.zeros(2, 7), "k": 2, **arguments})


@pytest.mark.parametrize("value", [[[1.0, 2.0]], np.zeros((1, 2))])
def test_what_is_no_tensor_is_named(value):
    with pytest.raises(ValueError, match=r"logits_TE is a (list|ndarray): expected a tensor"):
        anywhere(value, 1)
    with pytest.raises(ValueError, match=r"bias_E is a (list|ndarray): expected a tensor"):
        anywhere(torch.zeros(1, 2), 1, bias_E=value[0])


def test_the_example_in_the_docstring():
    from empirics.routing import interface

    found = doctest.testmod(interface)
    assert found.attempted
    assert not found.failed
