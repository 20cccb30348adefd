"""The paper and its tables as printed."""

from verify import Paper

paper = Paper.open(__file__)
table1, table2, table3, table4, table5 = (paper.table(f"table{number}") for number in range(1, 6))

DATASETS = ("TinyStories", "WikiText-103", "OpenWebText")
CHOSEN_D = {"WikiText-103": "32", "OpenWebText": "45", "TinyStories": "23"}
SEQUENCE_LENGTH = 256
