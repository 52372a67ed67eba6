# SPDX-License-Identifier: MIT
"""A model's convolutions, group normalisations and poolings by the library, where that is measured to be faster."""

from dataclasses import dataclass, field

import torch
from torch.utils.benchmark import Timer

from ck_tile._library import Error
from ck_tile.torch.modules import REPLACEMENTS


def time_ms(work):
    """Milliseconds of a call of work() among others, on whatever device it works."""
    return Timer("work()", globals={"work": work}).blocked_autorange(min_run_time=0.05).median * 1e3


@dataclass(frozen=True)
class Seen:
    """What a module was called with."""

    shape: tuple
    stride: tuple
    dtype: torch.dtype
    device: torch.device
    requires_grad: bool

    @classmethod
    def of(cls, x):
        return cls(tuple(x.shape), tuple(x.stride()), x.dtype, x.device, x.requires_grad)

    def again(self):
        """Other numbers of the same kind."""
        x = torch.empty_strided(self.shape, self.stride, dtype=self.dtype, device=self.device).normal_()
        return x.requires_grad_(self.requires_grad)


@dataclass
class Row:
    """One module: milliseconds of a training step's calls by PyTorch and here, and why it stays where it does."""

    name: str
    module: str
    calls: list = field(default_factory=list)
    torch_ms: float = 0
    ms: float = 0
    reason: str = ""

    @property
    def replaced(self):
        return not self.reason


class Report:
    """What replace() has done: `rows`, one for each module that it could have replaced; as text, a table."""

    def __init__(self, rows):
        self.rows = rows

    @property
    def replaced(self):
        return [row for row in self.rows if row.replaced]

    def __str__(self):
        lines = [("module", "is", "PyTorch ms", "ck_tile ms", "gain", "replaced")]
        for row in self.rows:
            timed = row.ms > 0
            lines.append((row.name, row.module, f"{row.torch_ms:.3f}" if timed else "-", f"{row.ms:.3f}" if timed else "-",
                          f"{row.torch_ms / row.ms:.2f}" if timed else "-", "yes" if row.replaced else f"no: {row.reason}"))
        widths = [max(map(len, column)) for column in zip(*lines)]
        table = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        before, after = sum(row.torch_ms for row in self.replaced), sum(row.ms for row in self.replaced)
        gain = f": {before:.3f} ms became {after:.3f} ms" if after > 0 else ""
        return "\n".join([*table, f"{len(self.replaced)} of {len(self.rows)} modules replaced{gain}"])


def _see(model, rows, inputs):
    """Notes what the modules of rows are called with when the model computes; leaves its buffers as they were."""
    buffers = {name: each.clone() for name, each in model.named_buffers()}

    def note(row, arguments, named):
        row.calls.append(Seen.of(arguments[0] if arguments else next(iter(named.values()))))

    hooks = [module.register_forward_pre_hook(lambda _, arguments, named, row=row: note(row, arguments, named), with_kwargs=True)
             for module, row in rows.items()]
    try:
        model(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
        with torch.no_grad():
            for name, each in model.named_buffers():
                each.copy_(buffers[name])


def _step(module, seen):
    """A call, and its gradients where there are any, as a function of nothing. The module's own gradients stay as they are."""
    x = seen.again()
    wanted = [each for each in (x, *module.parameters()) if each.requires_grad]
    if not (torch.is_grad_enabled() and wanted):
        return lambda: module(x)
    dy = torch.randn_like(module(x))
    return lambda: torch.autograd.grad(module(x), wanted, dy)


def _swap(module, swapped=True):
    """Makes the module one of the library, or PyTorch's again. It stays the same object, so that whoever holds it, its hooks and
    its parameters need not know."""
    for theirs, ours in REPLACEMENTS.items():
        if type(module) is (theirs if swapped else ours):
            module.__class__ = ours if swapped else theirs
            return


def _times(module, seen, measure):
    """Milliseconds by PyTorch and by the library; an Error where the library does not compute it."""
    _swap(module)
    try:
        ours = measure(_step(module, seen))
    finally:
        _swap(module, False)
    return measure(_step(module, seen)), ours


def _reason(module, row, times, minimum_gain, measure):
    """Why a module is not to be replaced, or nothing. Fills in the row's milliseconds; times: those of equal modules."""
    if not row.calls:
        return "not called"
    if getattr(module, "return_indices", False):
        return "its indices are asked for, and the library's are others"
    try:
        for seen in row.calls:
            key = (row.module, seen, tuple(each.requires_grad for each in module.parameters()))
            if key not in times:
                times[key] = _times(module, seen, measure or _compute_once)
            row.torch_ms += times[key][0]
            row.ms += times[key][1]
    except Error as error:
        row.torch_ms = row.ms = 0
        return str(error)
    if row.torch_ms < row.ms:
        return "slower"
    return f"a gain below {minimum_gain}" if row.torch_ms < minimum_gain * row.ms else ""


def _compute_once(work):
    work()
    return 0.0


def replace(model, *inputs, minimum_gain=1.0, measure=time_ms):
    """Replaces, in place, each nn.Conv1d, Conv2d, Conv3d, GroupNorm, MaxPool2d and AvgPool2d of a model by the library's, where what it does
    in a step is measured to take PyTorch at least minimum_gain times as long: forward, and backward where gradients are on. The model runs
    on the inputs, once or twice, to see shapes; call it as the model will be called, under autocast for one. measure(work): milliseconds of
    work(); None measures nothing, and replaces whatever the library computes, the same modules every time. Returns a Report."""
    rows, times, swapped = {}, {}, []
    for name, module in model.named_modules():
        if type(module) in REPLACEMENTS:
            rows[module] = Row(name or "(the model)", str(module))
    # Under autocast PyTorch's norms leave fp32, the library's the type that they get: what follows them is seen after their turn.
    norms = {module: row for module, row in rows.items() if isinstance(module, torch.nn.GroupNorm)}
    others = {module: row for module, row in rows.items() if module not in norms}
    try:
        with torch.random.fork_rng():
            for turn in filter(None, (norms, others)):
                _see(model, turn, inputs)
                for module, row in turn.items():
                    row.reason = _reason(module, row, times, minimum_gain, measure)
                    if row.replaced:
                        _swap(module)
                        swapped.append(module)
    except BaseException:
        for module in swapped:
            _swap(module, False)
        raise
    return Report(list(rows.values()))
