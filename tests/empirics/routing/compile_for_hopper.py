"""Compile every form of the routing kernels for an H100 or H200 without having one; print what was made of each, as JSON.

A script, since the process must not have asked for Triton's interpreter.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from empirics.routing import triton_kernels
from empirics.routing.fused import ASSIGNMENTS, blocks_for

KERNELS = ("select_experts", "prefix_over_blocks", "offsets_and_losses", "permute", "gradient_of_logits")
POINTERS = {
    "i64": ("assignments", "ids", "counts", "cleaned", "offsets", "permutation", "inverse"),
    "i32": (
        "block_counts",
        "block_real",
        "block_tokens",
        "block_cleaned",
        "block_base",
        "real_counts",
        "ends",
    ),
    "i1": ("allowed", "real_tokens"),
}
INTEGERS = ("T", "N", "blocks")
GATES = {"SIGMOID": (False, True), "RENORMALISE": (True, False), "HAS_BIAS": (False, True)}
LOSSES = ("HAS_WEIGHTS", "HAS_BALANCE", "HAS_Z")
RESTRICTIONS = ("HAS_ALLOWED", "HAS_REAL", "GROUPED")
SHAPES = ((16384, 128, 8), (1, 3, 2), (70, 1024, 64), (1, 1, 1))
"""T, E, K: many tokens; one, and experts that are no power of two; the most experts and active ones; one of each."""
LOGITS = ("bf16", "fp32", "fp16")


class Form(NamedTuple):
    """One kernel as one call would specialise it."""

    kernel: str
    shape: tuple[int, int, int]
    logits: str
    switches: dict[str, bool]
    bias: str = "fp32"

    def __str__(self) -> str:
        on = ", ".join(name for name, value in self.switches.items() if value)
        return f"{self.kernel}, T, E, K = {self.shape}, {self.logits} logits, {self.bias} bias, on: {on}"


def forms(kernel: str, *, every: bool) -> Iterator[Form]:
    """Each setting of a kernel's switches once, with shapes and dtypes in turn; every combination where asked.

    The first has the default switches. Of the losses all are used, or one; of the restrictions none, or each in turn.
    """
    names = getattr(triton_kernels, kernel).arg_names
    offered = [name for name in RESTRICTIONS if name in names or (name == "GROUPED" and "GROUPS" in names)]
    gates = {name: values for name, values in GATES.items() if name in names}
    settings = [dict(zip(gates, values, strict=True)) for values in itertools.product(*gates.values())]
    if "HAS_WEIGHTS" in names:
        alone = [{name: name == used for name in LOSSES} for used in LOSSES]
        settings = [setting | dict.fromkeys(LOSSES, True) for setting in settings] + [
            setting | one for setting, one in zip(settings, itertools.cycle(alone), strict=False)
        ]
    if offered:
        turns = itertools.cycle([{name: name == used for name in offered} for used in offered])
        unrestricted = dict.fromkeys(offered, False)
        settings = [s | unrestricted for s in settings] + [
            s | one for s, one in zip(settings, turns, strict=False)
        ]
    if every or "logits" not in names:
        dtypes = LOGITS if "logits" in names else LOGITS[:1]
        for setting, shape, logits in itertools.product(settings, SHAPES, dtypes):
            yield Form(kernel, shape, logits, setting)
        return
    for i, setting in enumerate(settings):
        yield Form(kernel, SHAPES[(i + i // 4) % 4], LOGITS[i % 3], setting)
    if "HAS_BIAS" in names:
        yield Form(kernel, SHAPES[1], "fp32", settings[0] | {"SIGMOID": True, "HAS_BIAS": True}, "fp64")


def compile_form(form: Form) -> dict[str, object]:
    """What the compiler makes of a kernel: its size, and instructions that should not be there."""
    tokens, experts, k = form.shape
    block = blocks_for(*form.shape)
    constants: dict[str, int] = {"E": experts, "K": k, "BT": block.tokens, "BE": block.experts}
    constants |= {"BK": block.slots, "BX": block.few, "CHUNK": block.chunk, "BN": ASSIGNMENTS}
    constants |= form.switches
    groups = (
        min((n for n in range(2, experts + 1) if experts % n == 0), default=1)
        if constants.pop("GROUPED", 0)
        else 1
    )
    # Of one group a token uses all; of more, as many as hold k experts.
    constants |= {
        "GROUPS": groups,
        "GROUPS_ACTIVE": -(-k * groups // experts),
        "BG": triton.next_power_of_2(groups),
    }
    integers = {
        "T": tokens,
        "N": tokens * k,
        "blocks": triton.cdiv(tokens, block.tokens),
        "stride_t": experts,
    }
    integers |= {"stride_e": 1, "stride_bias": 1, "stride_grad_t": k, "stride_grad_k": 1}
    integers |= {"stride_allowed_t": experts, "stride_allowed_e": 1, "stride_real": 1}
    constants |= {name: 1 for name, value in integers.items() if value == 1}  # as a launch specialises them
    kernel = getattr(triton_kernels, form.kernel)
    constants = {name: value for name, value in constants.items() if name in kernel.arg_names}
    types = {"logits": f"*{form.logits}", "grad_logits": f"*{form.logits}", "bias": f"*{form.bias}"}
    source = ASTSource(
        kernel,
        {n: "constexpr" if n in constants else types.get(n) or type_of(n) for n in kernel.arg_names},
        constexprs={(kernel.arg_names.index(n),): value for n, value in constants.items()},
    )
    warps = block.warps if "logits" in kernel.arg_names else 4
    options = {"num_warps": warps, "enable_fp_fusion": False}
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    return {
        "bytes": len(compiled.asm["cubin"]),
        "atomics": re.findall(r"\b(?:atom|red)\.\S+", compiled.asm["ptx"]),
        "doubles": re.findall(r"\b\w+\S*\.f64\b", compiled.asm["ptx"]),
        "narrow_products": re.findall(r"%\S+ = arith\.muli .* : .*i32.*", compiled.asm["ttir"]),
    }


def type_of(name: str) -> str:
    if name in INTEGERS or name.startswith("stride_"):
        return "i32"
    return next((f"*{kind}" for kind, names in POINTERS.items() if name in names), "*fp32")


def main() -> None:
    full = os.environ.get("MOELAWS_PROFILE") == "full"
    chosen = [form for kernel in KERNELS for form in forms(kernel, every=full)]
    with ProcessPoolExecutor(2) as pool:
        made = pool.map(compile_form, chosen)
        print(json.dumps(dict(zip(map(str, chosen), made, strict=True))))


if __name__ == "__main__":
    main()
