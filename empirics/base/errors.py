"""The base of this project's errors, where `empirics` exports it from."""

from theory.errors import MoelawsError as MoelawsError
