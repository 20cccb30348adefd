"""Compile the routing kernels for an H100 or H200 without having one; print what was made of each, as JSON.

A script, since the process must not have asked for Triton's interpreter.
"""

from __future__ import annotations

import json
import re

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from empirics.routing import triton_kernels
from empirics.routing.fused import ASSIGNMENTS, blocks_for

KERNELS = ("select_experts", "prefix_over_blocks", "offsets_and_losses", "permute", "gradient_of_logits")
TOKENS, EXPERTS, ACTIVE = 16384, 128, 8
POINTERS = {
    "i64": ("assignments", "ids", "counts", "cleaned", "offsets", "permutation", "inverse"),
    "i32": ("block_counts", "block_cleaned", "block_base", "ends"),
}
INTEGERS = ("T", "N", "blocks", "stride_t", "stride_e", "stride_bias", "stride_grad_t", "stride_grad_k")
FLOATS = ("load_scale", "balance_scale", "z_scale")


def main() -> None:
    block = blocks_for(TOKENS, EXPERTS, ACTIVE)
    sizes = {"E": EXPERTS, "K": ACTIVE, "BT": block.tokens, "BE": block.experts, "BK": block.slots}
    sizes |= {"BX": block.few, "CHUNK": block.chunk, "BN": ASSIGNMENTS}
    used = {"HAS_BIAS": True, "HAS_WEIGHTS": True, "HAS_BALANCE": True, "HAS_Z": True}
    made = {}
    for name in KERNELS:
        kernel = getattr(triton_kernels, name)
        gate = {"SIGMOID": name == "select_experts", "RENORMALISE": True}
        constants = {n: v for n, v in (sizes | used | gate).items() if n in kernel.arg_names}
        source = ASTSource(
            kernel,
            {n: "constexpr" if n in constants else type_of(n) for n in kernel.arg_names},
            constexprs={(kernel.arg_names.index(n),): value for n, value in constants.items()},
        )
        options = {"num_warps": block.warps, "enable_fp_fusion": False}
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
        made[name] = {
            "bytes": len(compiled.asm["cubin"]),
            "atomics": re.findall(r"\b(?:atom|red)\.\S+", compiled.asm["ptx"]),
            "doubles": re.findall(r"\b\w+\S*\.f64\b", compiled.asm["ptx"]),
            "narrow_products": re.findall(r"%\S+ = arith\.muli .* : .*i32.*", compiled.asm["ttir"]),
        }
    print(json.dumps(made))


def type_of(name: str) -> str:
    if name in INTEGERS:
        return "i32"
    if name in FLOATS:
        return "fp32"
    if name in ("logits", "grad_logits"):
        return "*bf16"
    return next((f"*{kind}" for kind, names in POINTERS.items() if name in names), "*fp32")


if __name__ == "__main__":
    main()
