"""What a kind of number has to answer, so that a `CompiledExpression` can run on it.

Sums and products are the numbers' own operators; everything else is asked here. A value that does not exist (the
logarithm of -1, a pole) is ``undefined``, which every operation passes on, so that a product can still be 0 where a
factor is exactly 0 and a logarithm beside it has no value.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

Exact = int | Fraction
Number = Any
_COUNTED = 200


class OutsideDomain(ValueError):
    """An expression has no finite value where it was asked for (a pole, the log of a number that is not positive)."""


class Arithmetic(ABC):
    """Elementary functions of one kind of number. Use inside `working`."""

    undefined: Number
    """The number that stands for no value: nan."""

    @contextmanager
    def working(self) -> Iterator[None]:
        """The precision of this arithmetic, inside the block; that of before is restored whatever happens."""
        yield

    @abstractmethod
    def bits(self) -> int:
        """The working precision at this moment, in bits: constants converted at another one are converted again."""

    @abstractmethod
    def exact(self, value: Exact) -> Number:
        """A rational."""

    def computed(self, value: Callable[[], Exact]) -> Number:
        """A rational that is computed exactly; ``undefined`` at a pole."""
        try:
            return self.exact(value())
        except ZeroDivisionError:
            return self.undefined

    @abstractmethod
    def is_zero(self, x: Number) -> bool:
        """Whether the number is known to be 0."""

    @abstractmethod
    def is_finite(self, x: Number) -> bool:
        """Whether the number is a value: neither infinite nor undefined."""

    @abstractmethod
    def whole(self, x: Number) -> int | None:
        """The integer that the number is known to be, else None."""

    @abstractmethod
    def as_float(self, x: Number) -> float:
        """The nearest float, or one close to it; OverflowError where there is none."""

    @abstractmethod
    def pi(self) -> Number: ...

    @abstractmethod
    def exp(self, x: Number) -> Number: ...

    @abstractmethod
    def log(self, x: Number) -> Number: ...

    @abstractmethod
    def log1p(self, x: Number) -> Number: ...

    @abstractmethod
    def sqrt(self, x: Number) -> Number: ...

    @abstractmethod
    def power(self, x: Number, exponent: int) -> Number:
        """x to a whole power; 1 for the power 0."""

    @abstractmethod
    def real_power(self, x: Number, exponent: Number) -> Number:
        """x to a real power, for x > 0, or x = 0 and a power that is not negative, or a whole power."""

    @abstractmethod
    def absolute(self, x: Number) -> Number: ...

    @abstractmethod
    def sign(self, x: Number) -> Number: ...

    @abstractmethod
    def floor(self, x: Number) -> Number: ...

    @abstractmethod
    def ceiling(self, x: Number) -> Number: ...

    @abstractmethod
    def largest(self, *values: Number) -> Number: ...

    @abstractmethod
    def smallest(self, *values: Number) -> Number: ...

    @abstractmethod
    def erf(self, x: Number) -> Number: ...

    @abstractmethod
    def erfc(self, x: Number) -> Number: ...

    @abstractmethod
    def upper_gamma(self, s: Number, x: Number) -> Number:
        """The incomplete gamma function from x on, for s > 0 and x >= 0: over gamma(s), a tail of chi-square."""

    def lower_gamma(self, s: Number, x: Number) -> Number:
        """The incomplete gamma function up to x."""
        return self.gamma(s) - self.upper_gamma(s, x)

    @abstractmethod
    def beta_share(self, a: Number, b: Number, low: Number, high: Number) -> Number:
        """The regularised incomplete beta function between two places in [0, 1], for a, b > 0: the tails of t and F."""

    @abstractmethod
    def gamma(self, x: Number) -> Number: ...

    @abstractmethod
    def log_gamma(self, x: Number) -> Number:
        """log of the gamma function, for x > 0."""

    @abstractmethod
    def polygamma(self, order: int, x: Number) -> Number:
        """The derivative of this order of the digamma function (order 0), for x > 0."""

    def binomial(self, n: Number, k: Number) -> Number:
        """n over k: counted where few are chosen of a whole number, else by the gamma function, for -1 < k < n + 1."""
        counted = self._counted(n, k)
        return self.exp(self.log_binomial(n, k)) if counted is None else self.exact(counted)

    def log_binomial(self, n: Number, k: Number) -> Number:
        """log of n over k, which may be beyond the range of these numbers."""
        counted = self._counted(n, k)
        if counted is not None:
            return self.log_computed(lambda: counted)
        one = self.exact(1)
        return self.log_gamma(n + one) - self.log_gamma(k + one) - self.log_gamma(n - k + one)

    def _counted(self, n: Number, k: Number) -> int | None:
        above, below = self.whole(n), self.whole(k)
        if above is None or below is None or not (0 <= below < _COUNTED or 0 <= above - below < _COUNTED):
            return None
        return math.comb(above, below) if above >= 0 and below >= 0 else None

    def log_computed(self, value: Callable[[], Exact]) -> Number:
        """log of a rational that is computed exactly, and may be beyond the range of these numbers."""
        return self.log(self.computed(value))

    def log_of_sum(self, logs: Sequence[Number]) -> Number:
        """log of a sum of positive numbers given by their logarithms, none of which is formed."""
        largest, *rest = sorted(logs, key=self.as_float, reverse=True)
        for part in rest:
            largest = largest + self.log1p(self.exp(part - largest))
        return largest
