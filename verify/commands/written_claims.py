"""Relations found in tables, as the claims of a ``claims.py``: what a person would write of them, and can switch off.

Whatever comes from the paper stands between quotes, as `repr` puts it there: nothing of it is executed when the file is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verify.commands.written_code import call, equation, expression, quoted, rows_in_code, symbols_for
from verify.commands.written_tables import WrittenTable, distinct, slug
from verify.search.relations.candidates import ALIKE
from verify.search.relations.evaluation import Instance, Relation
from verify.search.relations.find import Findings, Suspect, accusing
from verify.search.relations.formulas import GEOMETRIC_MEAN, MEAN

HEAD = '''\
"""Relations that `moelaws check` found in the tables beside this file. Write on=False in a claim to leave it out."""

'''
PLACES = '''

def at(table, row, column):
    """The symbol of a printed number."""
    return sp.Symbol(f"{column} at {table.label(row)}")


def places(table, exact=()):
    """The cell behind each symbol; those of exact columns are counts."""
    columns = [name for name in table.names if name not in table.key]
    cells = {
        at(table, row, name): table.cell(row, name, exact=name in exact)
        for row in range(len(table))
        for name in columns
    }
    return {symbol: cell for symbol, cell in cells.items() if not cell.is_blank}

'''


@dataclass(frozen=True)
class WrittenClaim:
    """A relation as a claim: its id, and its lines. ``broken`` are the instances that refute it."""

    slug: str
    relation: Relation
    broken: tuple[Instance, ...]
    source: str


def claims_source(written: Sequence[WrittenTable], claims: Sequence[WrittenClaim]) -> str:
    """The whole ``claims.py``."""
    body = "\n".join(claim.source for claim in claims)
    imports = ["import sympy as sp\n"] if "sp." in body or "at(" in body else []
    imports += ["from theory.relation import eq"] if "eq(" in body else []
    wanted = [name for name in ("Consistent", "Paper", "PrintedTable", "Verdict") if f"{name}" in body]
    imports.append(f"from verify import {', '.join(sorted({*wanted, 'Paper'}))}")
    tables = [f"{variable(table)} = paper.table({quoted(table.stem)})" for table in written]
    helpers = PLACES if "at(" in body else ""
    return "\n".join([HEAD + "\n".join(imports), helpers, "paper = Paper.open(__file__)", *tables, "", body])


def written_claims(
    written: WrittenTable, findings: Findings, off: Mapping[str, str] | None = None
) -> list[WrittenClaim]:
    """The claims of one table; ``off`` says of a claim's id why it is switched off."""
    names = distinct([f"{written.stem}/{_about(relation, findings)}" for relation in findings.relations])
    found = []
    for name, relation in zip(names, findings.relations, strict=True):
        broken = tuple(accusing(findings.table, relation))
        kept = [instance for instance in relation.instances if instance.fits or instance in broken]
        if source := _claim(
            written, relation, name, kept, broken, findings.suspects, (off or {}).get(name, "")
        ):
            found.append(WrittenClaim(name, relation, broken, source))
    return found


def variable(written: WrittenTable) -> str:
    """What the table is called in the claims."""
    stem = written.stem.replace("-", "_")
    return stem if stem.startswith("table") else f"table_{stem}"


def _about(relation: Relation, findings: Findings) -> str:
    outputs = {instance.output for instance in relation.instances}
    columns, rows = {column for _, column in outputs}, {row for row, _ in outputs}
    table = findings.table
    name = table.columns[columns.pop()] if len(columns) == 1 else table.rows[min(rows)]
    return slug(name) or slug(relation.formula.name)


def _claim(
    written: WrittenTable,
    relation: Relation,
    name: str,
    kept: Sequence[Instance],
    broken: Sequence[Instance],
    suspects: Sequence[Suspect],
    off: str,
) -> str:
    """The lines of a claim; empty where a column mixes scales, so that no one formula gives it."""
    table = written.table
    columns = {column for instance in kept for _, column in instance.places}
    if any(written.factor(column) is None for column in columns):
        return ""
    made = _as_columns(written, relation, kept) or _as_places(written, relation, kept)
    outputs = {instance.output[1] for instance in kept}
    subject = written.names[outputs.pop()] if len(outputs) == 1 else table.rows[kept[0].output[0]]
    lines = [
        "paper.claim(",
        f"    {quoted(name)},",
        f"    {quoted(f'{subject} is the {relation.words}' if relation.formula in ALIKE else f'{subject} is {relation.words}')},",
        f"    where={quoted(table.name)},",
        f"    check={made.check},",
    ]
    if broken:
        sentences = [_sentence(written, instance) for instance in broken]
        more = f"; and {len(broken) - 1} more" if len(broken) > 1 else ""
        cells = dict.fromkeys(_cell(written, instance, suspects) for instance in broken)
        changed = "".join(f".with_cell({cell})" for cell in cells)
        lines += [
            "    expect=Verdict.REFUTED,",
            f"    headline={quoted(f'{table.name}: {sentences[0]}{more}')},",
            f"    because={quoted('; '.join(sentences) + f'. It holds in {relation.fits} other places.')},",
            f'    repairs={{"the value that follows": {made.repaired(variable(written) + changed)}}},',
        ]
    else:
        lines.append(f'    mutants={{"twice that": {made.doubled}}},')
    if off:
        lines.append(f"    on=False,  # {off}")
    return "\n".join([*made.before, *lines, ")", ""])


def _sentence(written: WrittenTable, instance: Instance) -> str:
    """What is printed and what follows, in words."""
    row, column = instance.output
    number = written.table.number(instance.output)
    low, high = (number.reading(end) for end in instance.computed.bounds)
    follows = low if low == high else f"{low} to {high}"
    return f"{written.table.rows[row]}, {written.names[column]} prints {number.text}; {follows} follows"


def _cell(written: WrittenTable, instance: Instance, suspects: Sequence[Suspect]) -> str:
    """Row, column and text of a cell that repairs it: that of the suspect that explains it, else its own value."""
    place, computed = instance.output, instance.computed
    for suspect in suspects:
        if suspect.place in instance.places and suspect.repair:
            place, computed = suspect.place, suspect.computed
            break
    low, high = computed.bounds
    fitting = written.table.number(place).reading((low + high) / 2)
    return f"{place[0]}, {quoted(written.names[place[1]])}, {quoted(fitting)}"


@dataclass(frozen=True)
class _Made:
    """The code of a check; of its mutant; of its repair, given the changed table; and the lines that stand before it."""

    check: str
    doubled: str
    repaired: Callable[[str], str]
    before: tuple[str, ...]


def _as_columns(written: WrittenTable, relation: Relation, kept: Sequence[Instance]) -> _Made | None:
    """A `PrintedTable`: one column is a formula in others, in every row that prints them all."""
    columns = {tuple(column for _, column in instance.places) for instance in kept}
    if len(columns) > 1 or any(row != i.output[0] for i in kept for row, _ in i.inputs):
        return None
    [(output, *read)] = columns
    full = {r for r, row in enumerate(written.table.cells) if all(row[c] for c in (output, *read))}
    if full != {instance.output[0] for instance in kept}:
        return None
    symbols = symbols_for([written.names[c] for c in read])
    formula = expression(written, relation, kept[0], symbols)
    names = {s: written.names[c] for s, c in zip(symbols, read, strict=True) if s != written.names[c]}
    table, column = variable(written), quoted(written.names[output])
    named = ", ".join(f"{quoted(symbol)}: {quoted(name)}" for symbol, name in names.items())
    arguments = [table, f"{{{column}: {formula}}}", f"names={{{named}}}" if names else ""]
    arguments.append(_exact(written, relation, read))
    one, several = symbols[0], len(symbols) > 1
    before = (
        f'{", ".join(symbols)} = sp.symbols("{" ".join(symbols)}")'
        if several
        else f'{one} = sp.Symbol("{one}")'
    )
    return _Made(
        call("PrintedTable", arguments),
        f'{{"formulas": {{{column}: 2 * ({formula})}}}}',
        lambda changed: f'{{"table": {changed}}}',
        (before,),
    )


def _exact(written: WrittenTable, relation: Relation, read: Sequence[int]) -> str:
    """The argument that names the columns of counts, where the relation holds only if these are exact."""
    cells = written.table.cells
    counts = [c for c in dict.fromkeys(read) if all(n.count for row in cells if (n := row[c]))]
    names = ", ".join(quoted(written.names[c]) for c in counts)
    return f"exact=[{names}]" if relation.exact_counts else ""


def _as_places(written: WrittenTable, relation: Relation, kept: Sequence[Instance]) -> _Made:
    """A `Consistent`: one relation a place."""
    table = variable(written)
    found = _down(written, relation, kept) or list(_along(written, relation, kept))
    if len(found) == 1:
        lines = equation(*found[0])
    else:
        lines = [line for one in found for line in ("*(", *equation(*one), "),")]
    exact = _exact(written, relation, [column for i in kept for _, column in i.inputs])
    return _Made(
        f"Consistent({call('places', [table, exact])}, relations)",
        '{"relations": [eq(r.lhs, 2 * r.rhs) for r in relations]}',
        lambda changed: f'{{"places": {call("places", [changed, exact])}}}',
        ("relations = [", *(f"    {line}" for line in lines), "]"),
    )


def _along(
    written: WrittenTable, relation: Relation, kept: Sequence[Instance]
) -> Iterator[tuple[str, str, str]]:
    """The relations of one column, row after row: an input stands in the same row, in the one above, or in a fixed one."""
    for group in _alike(kept):
        first = group[0]
        terms = [_at(written, [i.inputs[k] for i in group], group) for k in range(len(first.inputs))]
        value = _at(written, [i.output for i in group], group)
        rows = rows_in_code([i.output[0] for i in group])
        yield value, expression(written, relation, first, terms), f"for row in {rows}"


def _alike(kept: Sequence[Instance]) -> list[list[Instance]]:
    """The instances whose columns are the same."""
    found: dict[tuple[int, ...], list[Instance]] = {}
    for instance in kept:
        found.setdefault(tuple(column for _, column in instance.places), []).append(instance)
    return list(found.values())


def _at(written: WrittenTable, places: Sequence[tuple[int, int]], group: Sequence[Instance]) -> str:
    steps = {place[0] - instance.output[0] for place, instance in zip(places, group, strict=True)}
    shift = steps.pop() if len(steps) == 1 else None
    row = (
        str(places[0][0])
        if shift is None
        else f"row {'+' if shift > 0 else '-'} {abs(shift)}"
        if shift
        else "row"
    )
    return f"at({variable(written)}, {row}, {quoted(written.names[places[0][1]])})"


def _down(written: WrittenTable, relation: Relation, kept: Sequence[Instance]) -> list[tuple[str, str, str]]:
    """Sums and means down the rows: for each row that closes some, the columns in which it does."""
    if any(column != i.output[1] for i in kept for _, column in i.inputs):
        return []
    groups: dict[tuple[int, ...], list[Instance]] = {}
    for instance in kept:
        rows = (instance.output[0], *(row for row, _ in instance.inputs))
        groups.setdefault(rows, []).append(instance)
    table = variable(written)
    found = []
    for (closing, *over), group in groups.items():
        values = f"at({table}, row, column) for row in {rows_in_code(over)}"
        value = {
            MEAN: f"sum({values}) / {len(over)}",
            GEOMETRIC_MEAN: f"sp.prod({values}) ** sp.Rational(1, {len(over)})",
        }.get(relation.formula, f"sum({values})")
        columns = ", ".join(quoted(written.names[i.output[1]]) for i in group)
        found.append((f"at({table}, {closing}, column)", value, f"for column in [{columns}]"))
    return found
