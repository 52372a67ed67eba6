# SPDX-License-Identifier: MIT
"""Threads, and on a GPU streams, graphs, and the operators beside PyTorch's."""

import threading
import unittest

from support import DTYPES, TestCase, needs, random
from modules_test import OPERATIONS, network
from convolution_test import CASES, pair
import torch

import ck_tile.torch

GPU = torch.cuda.is_available() and any(not target.startswith("host:") for target in ck_tile.targets())


def step(x, weight, scale, shift):
    """A result, and gradients."""
    given = [each.detach().requires_grad_() for each in (x, weight, scale, shift)]
    y = ck_tile.torch.max_pool2d(ck_tile.torch.group_norm(ck_tile.torch.conv2d(*given[:2], padding=1), 2, *given[2:]), 2)
    return [y.detach(), *torch.autograd.grad(y, given, torch.ones_like(y))]


def inputs(images, device, dtype=DTYPES[0]):
    return [random(*shape, dtype=dtype).to(device) for shape in ((images, 16, 8, 10), (32, 16, 3, 3), (32,), (32,))]


@needs(*OPERATIONS)
class Threads(TestCase):
    def check(self, device, rounds, within):
        """Two threads that compute different problems, again and again, have the bits of one alone."""
        problems = [inputs(images, device) for images in (1, 3)]
        alone = [step(*each) for each in problems]
        equal = [True, True]

        def work(turn):
            with within(turn):
                for _ in range(rounds):
                    equal[turn] &= all(torch.equal(a, b) for a, b in zip(step(*problems[turn]), alone[turn]))

        threads = [threading.Thread(target=work, args=(turn,)) for turn in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(equal, [True, True])

    def test_two_at_once(self):
        self.check("cpu", 5, lambda _: torch.enable_grad())

    @unittest.skipUnless(GPU, "there is no GPU that the library is built for")
    def test_two_with_streams_of_their_own(self):
        streams = [torch.cuda.Stream() for _ in range(2)]
        torch.cuda.synchronize()
        self.check("cuda", 50, lambda turn: torch.cuda.stream(streams[turn]))


@needs(*OPERATIONS)
@unittest.skipUnless(GPU, "there is no GPU that the library is built for")
class OnGpus(TestCase):
    def setUp(self):
        super().setUp()
        torch.backends.cudnn.allow_tf32 = False

    def test_work_follows_what_its_stream_has(self):
        given = inputs(2, "cuda")
        expected = step(*given)
        late = [torch.zeros_like(each) for each in given]
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.Stream()):
            torch.cuda._sleep(50_000_000)
            for empty, full in zip(late, given):
                empty.copy_(full)
            results = step(*late)
        torch.cuda.synchronize()
        for one, other in zip(results, expected):
            self.assertTrue(torch.equal(one, other))

    def test_graphs(self):
        given = inputs(2, "cuda")
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(2):
                step(*given)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            results = step(*given)
        given[0].neg_()
        graph.replay()
        torch.cuda.synchronize()
        for one, other in zip(results, step(*given)):
            self.assertTrue(torch.equal(one, other))

    def test_convolutions_are_pytorchs(self):
        for dtype in DTYPES:
            for x_shape, weight_shape, window in CASES:
                for channels_last in (False, True):
                    with self.subTest(dtype=dtype, x=x_shape, weight=weight_shape, channels_last=channels_last, **window):
                        ours, theirs = pair(x_shape)
                        given = [random(*shape, dtype=dtype, channels_last=channels_last) for shape in (x_shape, weight_shape)]
                        self.compare(lambda *a: ours(*a, **window), lambda *a: theirs(*a, **window),
                                     [each.cuda() for each in (*given, random(weight_shape[0], dtype=dtype))])

    def test_a_model_by_the_library(self):
        model, same, x = network().cuda(), network().cuda(), random(2, 3, 12, 12).cuda()
        with torch.autocast("cuda", DTYPES[0] if DTYPES[0] != torch.float32 else torch.bfloat16):
            report = ck_tile.torch.replace(model, x, measure=None)
            y, expected = model(x), same(x)
        self.assertEqual(len(report.replaced), 4, str(report))
        self.assert_near(y.float(), expected.float(), 64, dtype=torch.bfloat16)


if __name__ == "__main__":
    unittest.main()
