# SPDX-License-Identifier: MIT
"""What generate.py is made of: the configurations that files stand for, what C++ says of them, the sources of instances."""


class ConfigurationError(Exception):
    """Something that the caller must mend: a file, an argument, a compiler that is missing."""
