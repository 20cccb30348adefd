"""The paper and its tables as printed."""

from verify import Paper

paper = Paper.open(__file__)
table1, table2, table3, table4, table5 = (paper.table(f"table{number}") for number in range(1, 6))

DATASETS = ("TinyStories", "WikiText-103", "OpenWebText")
CHOSEN_D = {"WikiText-103": "32", "OpenWebText": "45", "TinyStories": "23"}
SEQUENCE_LENGTH = 256

# Findings that claims in several files come to: a report tells each of them once

AT_FIXED_SIZE = "Table 4: at fixed size the data exponent is 1, above a floor; the sweep cannot test alpha_D"
ON_ACTIVE_COMPUTE = "Abstract: on active compute the risk falls with alpha_D; alpha_C needs M/k fixed"
SAYS_NOTHING = (
    "Table 4: the bound is at least ten times a risk of 1 in every run and so says nothing about them"
)
