# SPDX-License-Identifier: MIT
"""Two networks with group normalisation, of torch.nn alone: what replaces their modules is not their business."""

from torch import nn


def normalized(channels, activation=None):
    """A group normalisation of groups of 8 channels, and the activation."""
    norm = nn.GroupNorm(channels // 8, channels)
    return [norm, activation] if activation else [norm]


def begins_as_identity(layers):
    """Layers of a residual block whose last normalisation has a scale of 0 before training, as is usual: of deep networks that begin so,
    the gradients stay small."""
    nn.init.zeros_(layers[-1].weight)
    return layers


class InvertedResidual(nn.Module):
    """MobileNetV2's block: 1x1 to more channels, depthwise 3x3, 1x1 to fewer."""

    def __init__(self, channels, out, stride, expansion):
        super().__init__()
        inside = channels * expansion
        layers = [nn.Conv2d(channels, inside, 1, bias=False), *normalized(inside, nn.ReLU6())] if expansion > 1 else []
        layers += [nn.Conv2d(inside, inside, 3, stride, 1, groups=inside, bias=False), *normalized(inside, nn.ReLU6()),
                   nn.Conv2d(inside, out, 1, bias=False), *normalized(out)]
        self.layers = nn.Sequential(*layers)
        self.is_residual = stride == 1 and channels == out
        if self.is_residual:
            begins_as_identity(self.layers)

    def forward(self, x):
        return x + self.layers(x) if self.is_residual else self.layers(x)


class Bottleneck(nn.Module):
    """ResNeXt's block: 1x1, 3x3 in groups, 1x1."""

    def __init__(self, channels, inside, out, stride, groups):
        super().__init__()
        self.layers = begins_as_identity(nn.Sequential(
            nn.Conv2d(channels, inside, 1, bias=False), *normalized(inside, nn.ReLU()),
            nn.Conv2d(inside, inside, 3, stride, 1, groups=groups, bias=False), *normalized(inside, nn.ReLU()),
            nn.Conv2d(inside, out, 1, bias=False), *normalized(out)))
        self.shortcut = nn.Identity()
        if stride > 1 or channels != out:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), *normalized(out))
        self.activation = nn.ReLU()

    def forward(self, x):
        return self.activation(self.layers(x) + self.shortcut(x))


class Classifier(nn.Module):
    def __init__(self, features, channels, classes):
        super().__init__()
        self.features, self.linear = features, nn.Linear(channels, classes)

    def forward(self, x):
        return self.linear(self.features(x).mean((2, 3)))


def mobilenet_v2(classes, tiny=False):
    """MobileNetV2; tiny: an eighth of its channels, but 8 at least, and one block of each kind."""
    divisor = 8 if tiny else 1

    def scaled(channels):
        return max(8, channels // divisor)

    channels = scaled(32)
    layers = [nn.Conv2d(3, channels, 3, 2, 1, bias=False), *normalized(channels, nn.ReLU6())]
    for expansion, out, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                          (6, 320, 1, 1)):
        for i in range(1 if tiny else count):
            layers.append(InvertedResidual(channels, scaled(out), stride if i == 0 else 1, expansion))
            channels = scaled(out)
    last = scaled(1280)
    layers += [nn.Conv2d(channels, last, 1, bias=False), *normalized(last, nn.ReLU6())]
    return Classifier(nn.Sequential(*layers), last, classes)


def resnext50(classes, tiny=False):
    """ResNeXt-50 32x4d; tiny: an eighth of its channels in 4 groups, and one block of each kind."""
    divisor, groups = (8, 4) if tiny else (1, 32)
    channels = 64 // divisor
    layers = [nn.Conv2d(3, channels, 7, 2, 3, bias=False), *normalized(channels, nn.ReLU()), nn.MaxPool2d(3, 2, 1)]
    for stage, count in enumerate((3, 4, 6, 3)):
        inside, out = (128 << stage) // divisor, (256 << stage) // divisor
        for i in range(1 if tiny else count):
            layers.append(Bottleneck(channels, inside, out, 2 if i == 0 and stage > 0 else 1, groups))
            channels = out
    return Classifier(nn.Sequential(*layers), channels, classes)


NETWORKS = {"mobilenet_v2": mobilenet_v2, "resnext50": resnext50}
