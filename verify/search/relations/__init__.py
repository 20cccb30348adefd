"""Relations that the numbers of a table satisfy, found without being told, and the cells that break them."""
