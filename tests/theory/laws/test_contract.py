"""Every law that is defined keeps the contract of `Law`; a law of another shape fits it, and broken laws are caught."""

from __future__ import annotations

import runpy
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from theory.laws.elementwise import check_positive, exp, is_number, log
from theory.laws.joint_moe import JMSL
from theory.laws.law import LAWS, Allocation, Law, Quantity, coefficient, law_kinds
from theory.laws.looped_moe import LoopedMoELaw
from theory.laws.separable import SeparableLaw

faults = runpy.run_path(str(Path(__file__).with_name("contract.py")))["faults"]


@pytest.mark.parametrize("name", LAWS)
def test_a_published_law_keeps_the_contract(name):
    published = LAWS[name]
    assert list(faults(published.law)) == []
    assert published.source.reference
    assert published.source.place


UNPUBLISHED = [LoopedMoELaw(**asdict(JMSL), k1=0.7, k2=1.5, th=0.2)]
"""Laws whose sources print no coefficients, at values of the right sign."""


@pytest.mark.parametrize("law", UNPUBLISHED, ids=lambda law: type(law).__name__)
def test_a_law_without_published_coefficients_keeps_the_contract(law):
    assert list(faults(law)) == []
    assert type(law) not in {type(published.law) for published in LAWS.values()}


def test_every_kind_of_law_is_held_to_the_contract():
    kinds = law_kinds()
    assert {"SeparableLaw", "JointMoELaw"} <= set(kinds)
    assert {type(law) for law in [*UNPUBLISHED, *(p.law for p in LAWS.values())]} == set(kinds.values())
    assert all(kind.__doc__ for kind in kinds.values())


def test_standard_errors_are_of_coefficients():
    for published in LAWS.values():
        assert set(published.standard_errors) <= {quantity.name for quantity in published.law.coefficients()}
        assert all(error > 0 for error in published.standard_errors.values())


@dataclass(frozen=True)
class Repeated(Law):
    """A toy of another shape: repeated data, after Muennighoff et al. 2023, in a model that loops over its layers."""

    inputs = (
        Quantity("parameters", "model size", "parameters"),
        Quantity("tokens", "training tokens, repeats counted", "tokens"),
        Quantity("unique", "distinct training tokens", "tokens"),
        Quantity("loops", "passes through the layers", "1", least=1),
    )
    a: float = coefficient("scale of size", "nats", "positive")
    b: float = coefficient("scale of data", "nats", "positive")
    worth: float = coefficient("passes over the data after which more teach little", "1", "positive")
    gain: float = coefficient("what a loop adds", "1", "positive")
    power: float = coefficient("minus the exponent of size and data", "1", "negative")

    def loss(self, parameters, tokens, unique, loops):
        check_positive("Repeated", parameters=parameters, tokens=tokens, unique=unique, loops=loops)
        fresh = unique * self.worth * (1 - exp(-tokens / unique / self.worth))
        size = parameters * (1 + self.gain * log(loops))
        return self.a * size**self.power + self.b * fresh**self.power

    def flops(self, parameters, tokens, unique, loops):
        return 6 * parameters * tokens * loops

    def compute_optimal(self, flops, unique, loops):
        def at(log_size):
            tokens = flops / (6 * loops * np.exp(log_size))
            return self.loss(np.exp(log_size), tokens, unique, loops)

        low, high = 0.0, float(np.log(flops / (6 * loops)))
        for _ in range(200):
            third = (high - low) / 3
            low, high = (low, high - third) if at(low + third) < at(high - third) else (low + third, high)
        size = float(np.exp(low))
        return Allocation(size, flops / (6 * loops * size), float(at(low)))


TOY = Repeated(a=400.0, b=410.0, worth=15.0, gain=0.3, power=-0.31)


def test_a_law_of_another_shape_fits_the_contract():
    assert list(faults(TOY)) == []


class AddedSlope(Repeated):
    def gradient(self, *inputs, **named):
        found = super().gradient(*inputs, **named)
        return found | {"worth": found["worth"] * 1.001}


class Dense(Repeated):
    def compute_optimal(self, flops, unique, loops):
        best = super().compute_optimal(flops, unique, loops)
        size = best.parameters * 1.05
        tokens = flops / (6 * loops * size)
        return Allocation(size, tokens, self.loss(size, tokens, unique, loops))


class Lax(Repeated):
    def loss(self, parameters, tokens, unique, loops):
        return super().loss(parameters, tokens, unique, loops if is_number(loops) else 1)


class OnlyNumbers(Repeated):
    def loss(self, parameters, tokens, unique, loops):
        total = super().loss(parameters, tokens, unique, loops)
        return total if isinstance(total, sp.Basic) else total + 0 * float(np.max(parameters)) + 1e-6


class WrongSign(Repeated):
    @classmethod
    def coefficients(cls):
        return tuple(Quantity(q.name, q.words, q.unit, "positive") for q in super().coefficients())


class Overspent(Repeated):
    def flops(self, parameters, tokens, unique, loops):
        return 6 * parameters * tokens


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (AddedSlope, "the slope in worth"),
        (Dense, "has a lower loss"),
        (Lax, "loops='8' is accepted"),
        (OnlyNumbers, "as a formula the loss"),
        (WrongSign, "power = -0.31 is not positive"),
        (Overspent, "FLOPs costs"),
    ],
)
def test_a_broken_law_is_caught(broken, said):
    law = broken(*(getattr(TOY, quantity.name) for quantity in TOY.coefficients()))
    assert any(said in fault for fault in faults(law)), list(faults(law))


def test_a_gradient_is_a_formula_where_an_input_is_one():
    size = sp.Symbol("P", positive=True)
    law = SeparableLaw(2, sp.Rational(1, 2), 3, 1, floor=1)
    gradient = law.gradient(size, 4)
    assert gradient["parameters"] == -1 / size ** sp.Rational(3, 2)
    assert gradient["tokens"] == -sp.Rational(3, 16)
    assert gradient["floor"] == 1
