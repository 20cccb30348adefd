"""The kernels of fused routing: four launches forward, one backward.

Shapes: T tokens, E experts, K active experts, N = T K assignments; a program owns a block of BT tokens and all experts,
so tiles are BT x BE with BE the next power of two. Sums over tokens are per block, then over blocks in a fixed order:
no atomics, the same bits every time. Row and column numbers are int64 before they meet a stride.

Whether these run on a GPU or in Triton's interpreter is decided when this module is imported (TRITON_INTERPRET=1).
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

import triton
import triton.language as tl

INFINITY = tl.constexpr(float("inf"))
LARGEST = tl.constexpr(2.0**128 - 2.0**104)
"""The largest number of float32, which a bias in float64 may exceed."""
LOWEST = tl.constexpr(-(2**31))
"""Below the sortable integer of every finite number."""
BITS = tl.constexpr(10)
"""What the number of an expert takes, and the rank within a block: both are below 1,024."""
LOW = tl.constexpr(1023)


@triton.jit
def load_rows(
    logits, allowed, t, e, T, stride_t, stride_e, stride_allowed_t, stride_allowed_e,
    E: tl.constexpr, K: tl.constexpr, HAS_ALLOWED: tl.constexpr,
):  # fmt: skip
    """A tile of logits in float32, which experts are allowed, and 1 per sound row: other rows are zeros and allow all.

    A row is sound that is finite and allows enough experts.
    """
    inside = (t < T)[:, None] & (e < E)[None, :]
    column = e.to(tl.int64)[None, :]
    x = tl.load(logits + t[:, None] * stride_t + column * stride_e, mask=inside, other=0.0).to(tl.float32)
    sound = tl.min((tl.abs(x) < INFINITY).to(tl.int32), axis=1)
    permitted = (t >= 0)[:, None] & (e < E)[None, :]
    if HAS_ALLOWED:
        given = tl.load(
            allowed + t[:, None] * stride_allowed_t + column * stride_allowed_e, mask=inside, other=0
        )
        enough = tl.sum((given != 0).to(tl.int32), axis=1) >= K
        sound = sound & enough.to(tl.int32)
        permitted = permitted & ((given != 0) | (sound == 0)[:, None])
    return tl.where(sound[:, None] != 0, x, 0.0), permitted, sound


@triton.jit
def load_real(real_tokens, t, T, stride_real, HAS_REAL: tl.constexpr):
    """Which tokens of a block count in losses and statistics: those that exist, and are no padding."""
    counted = t < T
    if HAS_REAL:
        counted = counted & (tl.load(real_tokens + t * stride_real, mask=counted, other=0) != 0)
    return counted


@triton.jit
def log_scores(x, SIGMOID: tl.constexpr):
    """Logarithm of the scores, up to a constant per token: the logits, or log sigmoid of them."""
    if SIGMOID:
        x = tl.minimum(x, 0.0) - tl.log(1.0 + tl.exp(-tl.abs(x)))
    return x


@triton.jit
def sigmoid(x):
    small = tl.exp(-tl.abs(x))
    return tl.where(x >= 0.0, 1.0, small) / (1.0 + small)


@triton.jit
def softmax_parts(x):
    """Maximum per row, distance to it, exponential of that, and its sum per row."""
    top = tl.max(x, axis=1)
    below = x - top[:, None]
    power = tl.exp(below)
    return top, below, power, tl.sum(power, axis=1)


@triton.jit
def sortable(x):
    """An integer per finite number, in the same order and equal where they are: GPUs reduce integers in one instruction."""
    bits = tl.where(x == 0.0, 0.0, x).to(tl.int32, bitcast=True)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


@triton.jit
def largest_of(keys, among):
    """Where, among some entries of each row, the largest key stands."""
    best = tl.max(tl.where(among, keys, LOWEST), axis=1)
    return among & (keys == best[:, None])


@triton.jit
def two_sum(x, y):
    """The rounded sum and its exact rounding error (Knuth), which in this order compare as exact sums do."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


@triton.jit
def in_best_groups(
    sums, e, E: tl.constexpr, BT: tl.constexpr, BE: tl.constexpr,
    GROUPS: tl.constexpr, GROUPS_ACTIVE: tl.constexpr, BG: tl.constexpr,
):  # fmt: skip
    """Whether an expert stands in one of its token's best groups: those whose two largest sums add up to most."""
    column = tl.arange(0, BG)[None, :]
    group = (e // (E // GROUPS))[None, :]
    keys = tl.full((BT, BG), LOWEST, tl.int32)
    for j in range(GROUPS):
        member = tl.where((group == j) & (e < E)[None, :], sums, -INFINITY)
        total = tl.max(member, axis=1)
        if E // GROUPS > 1:
            place = tl.min(tl.where(member == total[:, None], e[None, :], BE), axis=1)
            total += tl.max(tl.where(e[None, :] == place[:, None], -INFINITY, member), axis=1)
        keys = tl.where(column == j, sortable(total)[:, None], keys)
    left = keys != LOWEST
    permitted = tl.full((BT, BE), 0, tl.int32)
    for _ in range(GROUPS_ACTIVE):
        best = tl.min(tl.where(largest_of(keys, left), column, BG), axis=1)
        left = left & (column != best[:, None])
        permitted = tl.where(group == best[:, None], 1, permitted)
    return permitted != 0


@triton.jit
def pack(weight, rank_and_expert):
    """Both in 64 bits; `permute` takes them apart."""
    return (weight.to(tl.int32, bitcast=True).to(tl.int64) << 32) | rank_and_expert


@triton.jit
def select_experts(
    logits, bias, allowed, real_tokens,
    assignments, block_counts, block_real, block_probability, block_z, block_entropy, block_cleaned, block_tokens,
    T, stride_t, stride_e, stride_bias, stride_allowed_t, stride_allowed_e, stride_real,
    E: tl.constexpr, K: tl.constexpr, BT: tl.constexpr, BE: tl.constexpr,
    GROUPS: tl.constexpr, GROUPS_ACTIVE: tl.constexpr, BG: tl.constexpr,
    SIGMOID: tl.constexpr, RENORMALISE: tl.constexpr,
    HAS_BIAS: tl.constexpr, HAS_ALLOWED: tl.constexpr, HAS_REAL: tl.constexpr,
):  # fmt: skip
    """The assignments of a block of tokens; its counts per expert and its sums for the statistics.

    An assignment is its weight, expert and rank in one integer: there are as many scattered stores as assignments. The
    rank is how many tokens before it in the block hold the same expert. A token holds an expert at most once, so
    counting tokens counts assignments.
    """
    block = tl.program_id(0).to(tl.int64)
    t = block * BT + tl.arange(0, BT)
    e = tl.arange(0, BE)
    inside = t < T
    real = (e < E)[None, :]
    logit, permitted, sound = load_rows(
        logits, allowed, t, e, T, stride_t, stride_e, stride_allowed_t, stride_allowed_e, E, K, HAS_ALLOWED
    )
    counted = load_real(real_tokens, t, T, stride_real, HAS_REAL)
    score = tl.where(real, log_scores(logit, SIGMOID), -INFINITY)
    top, below, power, total = softmax_parts(score)
    probability = power * (1.0 / total)[:, None]

    # Sums over the block's real tokens
    entropy = tl.log(total) - tl.sum(probability * tl.where(probability > 0.0, below, 0.0), axis=1)
    log_sum = top + tl.log(total)
    if SIGMOID:
        logit_top, _, _, logit_total = softmax_parts(tl.where(real, logit, -INFINITY))
        log_sum = logit_top + tl.log(logit_total)
    probability_E = tl.sum(tl.where(counted[:, None], probability, 0.0), axis=0)
    tl.store(block_probability + block * E + e, probability_E, mask=e < E)
    tl.store(block_z + block, tl.sum(tl.where(counted, log_sum * log_sum, 0.0), axis=0))
    tl.store(block_entropy + block, tl.sum(tl.where(counted, entropy, 0.0), axis=0))
    tl.store(block_cleaned + block, tl.sum(tl.where(counted, 1 - sound, 0), axis=0))

    # K rounds of the best expert that is left: by score + bias, by what rounding took from it, by logit, by index
    sums = sigmoid(logit) if SIGMOID else probability
    if HAS_BIAS:
        given = tl.load(bias + e.to(tl.int64) * stride_bias, mask=e < E, other=0.0)
        shift = tl.minimum(tl.maximum(given.to(tl.float32), -LARGEST), LARGEST)
        shift = tl.where(tl.abs(given) < INFINITY, shift, 0.0)
        lowest = tl.min(tl.where(e < E, shift, INFINITY), axis=0)
        varies = tl.max(tl.where(e < E, shift, -INFINITY), axis=0) != lowest
        sums, errors = two_sum(sums, tl.where(varies, shift, 0.0)[None, :])
        first, second = sortable(tl.where(varies, sums, 0.0)), sortable(errors)
    if GROUPS > 1:
        permitted = permitted & in_best_groups(sums, e, E, BT, BE, GROUPS, GROUPS_ACTIVE, BG)
    keys = tl.where(permitted, sortable(logit), LOWEST)
    slot = tl.where(keys == LOWEST, -1, K)  # of each expert in its token's choice; K where it is not selected
    for j in range(K):
        left = slot == K
        if HAS_BIAS:
            left = largest_of(second, largest_of(first, left))
        best = tl.min(tl.where(largest_of(keys, left), e[None, :], BE), axis=1)
        slot = tl.where(e[None, :] == best[:, None], j, slot)
    selected = (slot >= 0) & (slot < K)
    taken = selected & inside[:, None]
    count = taken.to(tl.int32)
    tl.store(block_counts + block * E + e, tl.sum(count, axis=0), mask=e < E)
    if HAS_REAL:
        real_count = tl.where(counted[:, None], count, 0)
        tl.store(block_real + block * E + e, tl.sum(real_count, axis=0), mask=e < E)
        tl.store(block_tokens + block, tl.sum(counted.to(tl.int32), axis=0))

    # Weights of the selected
    if RENORMALISE and (HAS_BIAS or HAS_ALLOWED or GROUPS > 1):
        _, _, weight, weight_total = softmax_parts(tl.where(selected, score, -INFINITY))
        weight = weight * (1.0 / weight_total)[:, None]
    elif RENORMALISE:  # the selected ones include the largest score
        weight = power * (1.0 / tl.sum(tl.where(selected, power, 0.0), axis=1))[:, None]
    elif SIGMOID:
        weight = tl.exp(score)
    else:
        weight = probability
    rank = tl.cumsum(count, axis=0) - count
    packed = pack(weight, (rank << BITS) | e[None, :])
    tl.store(assignments + t[:, None] * K + slot, packed, mask=taken)


@triton.jit
def sum_over_blocks(values, blocks, CHUNK: tl.constexpr):
    """The sum of ``blocks`` values, in a fixed order."""
    row = tl.arange(0, CHUNK)
    total = tl.zeros((CHUNK,), values.dtype.element_ty)
    start = 0
    while start < blocks:  # with numpy 2.4, Triton 3.6's interpreter takes no range up to an argument
        total += tl.load(values + start + row, mask=start + row < blocks, other=0)
        start += CHUNK
    return tl.sum(total, axis=0)


@triton.jit
def prefix_over_blocks(
    block_counts, block_real, block_probability, block_tokens, block_base,
    counts, real_counts, mean_probability,
    T, blocks,
    E: tl.constexpr, BX: tl.constexpr, CHUNK: tl.constexpr, HAS_REAL: tl.constexpr,
):  # fmt: skip
    """For a few experts: where each block's assignments begin among the expert's own, and totals over blocks."""
    e = tl.program_id(0).to(tl.int64) * BX + tl.arange(0, BX)
    row = tl.arange(0, CHUNK).to(tl.int64)
    count_E = tl.zeros((BX,), tl.int32)
    real_E = tl.zeros((BX,), tl.int32)
    probability_E = tl.zeros((BX,), tl.float32)
    start = 0
    while start < blocks:
        inside = (start + row < blocks)[:, None] & (e < E)[None, :]
        place = (start + row)[:, None] * E + e[None, :]
        count = tl.load(block_counts + place, mask=inside, other=0)
        tl.store(block_base + place, count_E[None, :] + tl.cumsum(count, axis=0) - count, mask=inside)
        count_E += tl.sum(count, axis=0)
        if HAS_REAL:
            real_E += tl.sum(tl.load(block_real + place, mask=inside, other=0), axis=0)
        probability_E += tl.sum(tl.load(block_probability + place, mask=inside, other=0.0), axis=0)
        start += CHUNK
    tl.store(counts + e, count_E.to(tl.int64), mask=e < E)
    if HAS_REAL:
        tl.store(real_counts + e, real_E, mask=e < E)
        T = tl.maximum(sum_over_blocks(block_tokens, blocks, CHUNK), 1)
    tl.store(mean_probability + e, probability_E / T, mask=e < E)


@triton.jit
def offsets_and_losses(
    counts, real_counts, mean_probability, block_z, block_entropy, block_cleaned, block_tokens,
    offsets, ends, loads, balance_loss, z_loss, mean_entropy, max_load, cleaned, share,
    T, blocks,
    E: tl.constexpr, K: tl.constexpr, BE: tl.constexpr, CHUNK: tl.constexpr, HAS_REAL: tl.constexpr,
):  # fmt: skip
    """One program: the prefix over experts, the loads (count over mean count), and the sums that leave one number."""
    e = tl.arange(0, BE)
    count = tl.load(counts + e, mask=e < E, other=0).to(tl.int32)
    end = tl.cumsum(count, axis=0)
    tl.store(offsets + e, (end - count).to(tl.int64), mask=e < E)
    tl.store(offsets + e + 1, end.to(tl.int64), mask=e == E - 1)
    tl.store(ends + e, end, mask=e < E)
    if HAS_REAL:
        count = tl.load(real_counts + e, mask=e < E, other=0)
        T = tl.maximum(sum_over_blocks(block_tokens, blocks, CHUNK), 1)
    tl.store(share, 1.0 / T)
    load = (
        count.to(tl.float32) * E / (T * 1.0 * K)
    )  # in floats: T K may pass 2^31, and an even load is exactly 1
    tl.store(loads + e, load, mask=e < E)
    tl.store(balance_loss, tl.sum(load * tl.load(mean_probability + e, mask=e < E, other=0.0), axis=0))
    tl.store(max_load, tl.max(load, axis=0))
    tl.store(z_loss, sum_over_blocks(block_z, blocks, CHUNK) / T)
    tl.store(mean_entropy, sum_over_blocks(block_entropy, blocks, CHUNK) / T)
    tl.store(cleaned, sum_over_blocks(block_cleaned, blocks, CHUNK).to(tl.int64))


@triton.jit
def permute(
    assignments, block_base, offsets, weights, ids, permutation, inverse,
    N,
    E: tl.constexpr, K: tl.constexpr, BT: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Each assignment goes to: its expert's offset + the blocks before + the tokens before in the block."""
    n = tl.program_id(0).to(tl.int64) * BN + tl.arange(0, BN)
    inside = n < N
    packed = tl.load(assignments + n, mask=inside, other=0)
    index, rank = packed & LOW, (packed >> BITS) & LOW
    tl.store(weights + n, (packed >> 32).to(tl.int32).to(tl.float32, bitcast=True), mask=inside)
    tl.store(ids + n, index, mask=inside)
    row = tl.load(offsets + index, mask=inside, other=0) + rank
    row += tl.load(block_base + n // (BT * K) * E + index, mask=inside, other=0)
    tl.store(inverse + n, row, mask=inside)
    tl.store(permutation + row, n, mask=inside)


@triton.jit
def gradient_of_logits(
    logits, allowed, real_tokens, ids, weights, loads, share, grad_weights, grad_balance, grad_z, grad_logits,
    T, stride_t, stride_e, stride_allowed_t, stride_allowed_e, stride_real, stride_grad_t, stride_grad_k,
    E: tl.constexpr, K: tl.constexpr, BT: tl.constexpr, BE: tl.constexpr, BK: tl.constexpr,
    SIGMOID: tl.constexpr, RENORMALISE: tl.constexpr,
    HAS_WEIGHTS: tl.constexpr, HAS_BALANCE: tl.constexpr, HAS_Z: tl.constexpr,
    HAS_ALLOWED: tl.constexpr, HAS_REAL: tl.constexpr,
):  # fmt: skip
    """The three losses' gradients in one pass: through the softmax of the chosen, through that of all, through the z-loss."""
    block = tl.program_id(0).to(tl.int64)
    t = block * BT + tl.arange(0, BT)
    e = tl.arange(0, BE)
    column = tl.arange(0, BK)
    inside = t < T
    real = (e < E)[None, :]
    logit, _, sound = load_rows(
        logits, allowed, t, e, T, stride_t, stride_e, stride_allowed_t, stride_allowed_e, E, K, HAS_ALLOWED
    )
    counted = load_real(real_tokens, t, T, stride_real, HAS_REAL)
    each = tl.where(counted, tl.load(share), 0.0)  # of a mean over real tokens
    top, _, power, total = softmax_parts(tl.where(real, log_scores(logit, SIGMOID), -INFINITY))
    probability = power * (1.0 / total)[:, None]
    result = probability * 0.0
    if HAS_BALANCE:
        load = tl.load(loads + e, mask=e < E, other=0.0)
        pull = load * tl.load(grad_balance).to(tl.float32)
        result = (
            probability
            * (pull[None, :] - tl.sum(probability * pull[None, :], axis=1)[:, None])
            * each[:, None]
        )
    if HAS_WEIGHTS:
        given = inside[:, None] & (column < K)[None, :]
        address = grad_weights + t[:, None] * stride_grad_t + column.to(tl.int64)[None, :] * stride_grad_k
        grad = tl.load(address, mask=given, other=0.0)
        weight = tl.load(weights + t[:, None] * K + column[None, :], mask=given, other=0.0)
        mean = tl.sum(grad * weight, axis=1)
        if not (RENORMALISE or SIGMOID):
            result -= probability * mean[:, None]
        slot = grad_weights + t * stride_grad_t
        for j in range(K):
            index = tl.load(ids + t * K + j, mask=inside, other=-1).to(tl.int32)
            slope = tl.load(slot, mask=inside, other=0.0)
            slot += stride_grad_k
            if RENORMALISE:
                slope -= mean
            slope *= tl.load(weights + t * K + j, mask=inside, other=0.0)
            result += tl.where(e[None, :] == index[:, None], slope[:, None], 0.0)
    if SIGMOID:
        result = result * sigmoid(-logit)
    if HAS_Z:
        if SIGMOID:
            top, _, power, total = softmax_parts(tl.where(real, logit, -INFINITY))
            probability = power * (1.0 / total)[:, None]
        pull_z = tl.load(grad_z).to(tl.float32) * (2.0 * each) * (top + tl.log(total))
        result += probability * pull_z[:, None]
    result = tl.where(sound[:, None] != 0, result, 0.0)
    tl.store(
        grad_logits + t[:, None] * E + e[None, :],
        result.to(grad_logits.dtype.element_ty),
        mask=inside[:, None] & real,
    )
