"""Elimination against flint's matrices over the rationals, and in the field of the parameters by multiplying back."""

from __future__ import annotations

from flint import fmpq, fmpq_mat
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory.rates.elimination import determinant, echelon, solve
from theory.rates.field import Field
from theory.vocabulary import beta, d

entries = st.fractions(-3, 3, max_denominator=3).map(lambda f: fmpq(f.numerator, f.denominator))


@st.composite
def matrices(draw, square=False):
    height = draw(st.integers(1, 4))
    width = height if square else draw(st.integers(1, 5))
    return [[draw(entries) for _ in range(width)] for _ in range(height)]


@settings(max_examples=80, deadline=None)
@given(matrices(), st.data())
def test_an_echelon_form_is_flints_and_its_moves_make_it(matrix, data):
    found = echelon(matrix, fmpq(0))
    reduced, rank = fmpq_mat(matrix).rref()
    assert fmpq_mat(found.rows) == reduced
    assert found.rank == rank
    order = data.draw(st.permutations(range(len(matrix[0]))))
    for form in (found, echelon(matrix, fmpq(0), order)):
        assert form.rank == rank
        assert fmpq_mat(form.moves) * fmpq_mat(matrix) == fmpq_mat(form.rows)
        assert fmpq_mat(form.moves).det() != 0
        for i, column in enumerate(form.pivots):
            assert [row[column] for row in form.rows] == [int(i == j) for j in range(len(matrix))]


@settings(max_examples=60, deadline=None)
@given(matrices(square=True), st.data())
def test_a_regular_system_has_flints_solution_and_determinant(matrix, data):
    assume(fmpq_mat(matrix).det() != 0)
    rhs = [data.draw(entries) for _ in matrix]
    assert fmpq_mat([[x] for x in solve(matrix, rhs)]) == fmpq_mat(matrix).solve(fmpq_mat([[b] for b in rhs]))
    assert determinant(matrix) in (fmpq_mat(matrix).det(), -fmpq_mat(matrix).det())


@settings(max_examples=20, deadline=None)
@given(matrices(square=True), st.data())
def test_a_system_over_the_parameters_is_solved(matrix, data):
    field = Field((beta, d))
    places = data.draw(
        st.lists(
            st.sampled_from([field.one, field.read(beta), field.read(d / beta)]), min_size=16, max_size=16
        )
    )
    system = [
        [field.constant(x) * places[4 * i + j] for j, x in enumerate(row)] for i, row in enumerate(matrix)
    ]
    rhs = [field.read(beta + i) for i in range(len(matrix))]
    assume(echelon(system, field.zero).rank == len(matrix))
    solution = solve(system, rhs)
    for row, b in zip(system, rhs, strict=True):
        assert sum((a * x for a, x in zip(row, solution, strict=True)), start=field.zero) == b
