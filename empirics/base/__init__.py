"""What every measurement stands on: files, named random streams, processes, and where a number comes from."""
