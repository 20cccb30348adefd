"""Commands of `moelaws` that are more than one function; `verify.commands.app` registers them."""
