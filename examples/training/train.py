#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a network on generated images by PyTorch and by ck_tile, and prints both loss curves and images per second.

    examples/training/train.py [--network resnext50] [--batch 256] [--dtype bf16] [--steps 20]
    torchrun --nproc-per-node 2 examples/training/train.py ...      on as many GPUs, or processes of the CPU; --batch is that of all

The library's curve has the same bits on every run. PyTorch's is channels_last under autocast, with torch.compile for --compile.
"""

import argparse
import contextlib
import json
import os
import time

import torch
from networks import NETWORKS
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

import ck_tile.torch

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
NOISE = 0.5  # beside patterns of deviation 1
CLASSES = 10
WARM_UP = 5  # steps that are trained, but not timed: plans are made, cuDNN looks for algorithms


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", choices=NETWORKS, default="mobilenet_v2")
    parser.add_argument("--tiny", action="store_true", help="fewer and narrower layers, for the CPU")
    parser.add_argument("--batch", type=int, default=256, help="images a step, of all processes together")
    parser.add_argument("--size", type=int, default=224, help="pixels of an image's side")
    parser.add_argument("--steps", type=int, default=20, help=f"that are timed, after {WARM_UP} others")
    parser.add_argument("--dtype", choices=DTYPES, default="bf16", help="of autocast; fp32: none")
    parser.add_argument("--by", nargs="+", choices=("torch", "ck_tile", "faster"), default=["torch", "ck_tile"],
                        help="ck_tile: all modules that the library has; faster: those that are measured to be, of which there may be "
                             "others on each run")
    parser.add_argument("--compile", action="store_true", help="torch.compile for all")
    parser.add_argument("--report", action="store_true", help="print which modules were replaced, and why not the others")
    parser.add_argument("--json", metavar="FILE", help="write curves and images per second")
    return parser.parse_args()


class Images:
    """Batches of classes that are patterns, with noise. A step has the same images in any number of processes."""

    def __init__(self, batch, size, device):
        self.batch, self.size, self.device = batch, size, device
        coarse = torch.randn(CLASSES, 3, 8, 8, generator=torch.Generator().manual_seed(0))
        self.patterns = torch.nn.functional.interpolate(coarse, size).to(device)

    def of_step(self, step, rank, ranks):
        generator = torch.Generator(self.device).manual_seed(step)
        labels = torch.randint(CLASSES, (self.batch,), generator=generator, device=self.device)
        noise = torch.randn(self.batch, 3, self.size, self.size, generator=generator, device=self.device)
        mine = slice(rank * self.batch // ranks, (rank + 1) * self.batch // ranks)
        x = self.patterns[labels[mine]] + NOISE * noise[mine]
        return x.contiguous(memory_format=torch.channels_last), labels[mine]


def train(options, by, device, rank, ranks):
    """The losses of all steps, and images per second of those that are timed."""
    torch.manual_seed(0)
    model = NETWORKS[options.network](CLASSES, options.tiny).to(device, memory_format=torch.channels_last)
    images = Images(options.batch, options.size, device)
    dtype = DTYPES[options.dtype]

    def autocast():
        return contextlib.nullcontext() if dtype is torch.float32 else torch.autocast(device.type, dtype)

    if by != "torch":
        with autocast():
            report = ck_tile.torch.replace(model, images.of_step(0, rank, ranks)[0],
                                           **({"measure": None} if by == "ck_tile" else {}))
        if options.report and rank == 0:
            print(report)
    if options.compile:
        model.compile()
    trained = model
    if ranks > 1:
        trained = DistributedDataParallel(model, device_ids=[device.index] if device.type == "cuda" else None, gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
    scaler = torch.amp.GradScaler(device.type, init_scale=2.0**10, enabled=dtype is torch.float16)

    losses, began = [], None
    steps = range(WARM_UP + options.steps)
    for step in tqdm(steps, desc=by, unit="step", disable=None if rank == 0 else True):  # None: where stderr is a terminal
        if step == WARM_UP:
            synchronize(device)
            began = time.perf_counter()
        x, labels = images.of_step(step, rank, ranks)
        with autocast():
            loss = torch.nn.functional.cross_entropy(trained(x), labels)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.detach())
    synchronize(device)
    seconds = time.perf_counter() - began
    curve = torch.stack(losses)
    if ranks > 1:
        distributed.all_reduce(curve)
        curve /= ranks
    return {"by": by, "losses": curve.tolist(), "images_per_second": options.batch * options.steps / seconds}


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def show(options, results):
    print("step  " + "  ".join(f"{each['by']:>8}" for each in results))
    for step in range(WARM_UP + options.steps):
        print(f"{step:4}  " + "  ".join(f"{each['losses'][step]:8.4f}" for each in results))
    for each in results:
        ratio = each["images_per_second"] / results[0]["images_per_second"]
        print(f"{each['by']}: {each['images_per_second']:.1f} images per second, {ratio:.2f} of {results[0]['by']}'s")


def main():
    options = parse()
    ranks, rank, local = (int(os.environ.get(name, default)) for name, default in (("WORLD_SIZE", 1), ("RANK", 0), ("LOCAL_RANK", 0)))
    if options.batch % ranks:
        raise SystemExit(f"--batch must be a multiple of the processes, but is {options.batch} for {ranks}: choose another")
    device = torch.device("cuda", local) if torch.cuda.is_available() else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
        torch.backends.cudnn.benchmark = True
    if ranks > 1:
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        results = [train(options, by, device, rank, ranks) for by in options.by]
    finally:
        if ranks > 1:
            distributed.destroy_process_group()
    if rank == 0:
        show(options, results)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump({"options": vars(options), "processes": ranks, "results": results}, file, indent=2)


if __name__ == "__main__":
    main()
