"""Commands of `moelaws` that are more than one function; `verify.cli` registers them."""
