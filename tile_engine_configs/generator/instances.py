# SPDX-License-Identifier: MIT
"""The instances of a target: what its file stands for, less what is illegal or left out."""

import collections

from generator import sets


class Expansion:
    """What a file stands for: `kept` instances, `rejected` ones, and how many filters and the test set left out.

    An instance has C++'s answer (name, dtype, value, text), its target, the one that this is like (`original`), and its
    `combination` {field: value}."""

    def __init__(self, path, tool, filters):
        fields = {name: field for name, field in tool.fields.items() if name != "arch"}
        self.target = path.stem
        combinations = [{"arch": self.target, **c} for c in sets.read_combinations(path, fields)]
        self.original = sets.original_of(path, fields)
        answers = tool.check(combinations)
        # The type is a field like others, even where it follows from the instruction.
        answered = [{"target": self.target, "original": self.original, "combination": c | {"dtype": a["dtype"]}, **a}
                    for c, a in zip(combinations, answers)]
        self.expanded = len(combinations)
        self.rejected = [a for a in answered if "rule" in a]
        legal = [a for a in answered if "rule" not in a]
        self.kept = [a for a in legal if all(f.keeps(a["combination"]) for f in filters)]
        self.left_out = {"filters": len(legal) - len(self.kept)}

    def keep(self, names):
        """Keeps of the instances only those of the test set."""
        kept = [i for i in self.kept if i["name"] in names]
        self.left_out["the test set"] = len(self.kept) - len(kept)
        self.kept = kept

    def summary(self):
        rules = collections.Counter(a["rule"] for a in self.rejected)
        why = f" ({', '.join(f'{rule}: {count}' for rule, count in rules.most_common())})" if rules else ""
        left_out = "".join(f", left out by {what} {count}" for what, count in self.left_out.items() if count)
        return (f"{self.target}: expanded {self.expanded}, kept {len(self.kept)}, rejected {len(self.rejected)}{why}"
                f"{left_out}")

    def explanation(self):
        lines = [self.summary()]
        by_rule = collections.defaultdict(list)
        for answer in self.rejected:
            by_rule[answer["rule"]].append(answer)
        for rule, answers in sorted(by_rule.items(), key=lambda item: -len(item[1])):
            lines += [f"  {len(answers)} x {rule}", f"      {answers[0]['reason']}", f"      in {answers[0]['text']}"]
        return "\n".join(lines)
