# SPDX-License-Identifier: MIT
"""PyTorch's own operators in place of what the library does not compute."""

import warnings

import torch

from ck_tile._library import Error

_SAID = set()


@torch.compiler.disable
def _computed_or(function, compute, arguments):
    try:
        return compute(*arguments)
    except Error as error:
        reason = f"{function.__name__} falls back to PyTorch: {error}"
        if reason not in _SAID:
            _SAID.add(reason)
            warnings.warn(reason, stacklevel=4)
        return function(*arguments)


def or_fallback(fallback, function, compute, *arguments):
    """compute(*arguments), or, where that is an Error and a fallback is wanted, function(*arguments), and a warning the first time. What
    is not compiled is only known as it runs, so that a fallback breaks torch.compile's graphs."""
    return _computed_or(function, compute, arguments) if fallback else compute(*arguments)
