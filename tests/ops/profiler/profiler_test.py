#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs ck_tile_profiler: what it measures, prints and writes, every way to call it wrongly, and what it keeps when it is ended.

    CK_TILE_PROFILER=<path of the program> profiler_test.py [class[.test]...]
"""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from program_test import HOST, ProgramTest  # pylint: disable=wrong-import-position

SCHEMA = json.loads((ROOT / "ops" / "profiler" / "profile.schema.json").read_text())
POOL = "2 8  12 12  3 3  2 2  1 1  1 1  1 1".split()
UNDILATED_POOL = "2 8  12 12  3 3  2 2  1 1  1 1".split()
# ndim G N K C, filter, input, strides, dilations, left pads, right pads
CONVOLUTION = "2 2 2 8 8  3 3  9 8  2 1  1 1  1 0  1 1".split()
# The smallest problems of each operation that are of any use.
SMALL = {"grouped_conv_conv_fwd": "2 10 3 1 1  3 3  9 8  1 1  1 1  1 0  2 1  12".split(), "groupnorm_fwd": "2 6 7 4 8".split(),
         "groupnorm_bwd": "2 6 7 4 8".split(), "maxpool_fwd": POOL, "maxpool_bwd": POOL,
         "avgpool_fwd": UNDILATED_POOL, "avgpool_bwd": UNDILATED_POOL}
SMALL |= {f"narrow_conv_{name}": "2 10 3 1 1  3 3  9 8  1 1  1 1  1 0  2 1".split() for name in ("fwd", "bwd_data", "bwd_weight")}
CONVOLUTIONS = ("grouped_conv_fwd", "grouped_conv_bwd_data", "grouped_conv_bwd_weight")
PROBLEM = {"N": 1, "C": 8, "input": [12, 12], "window": [3, 3], "strides": [2, 2], "dilations": [1, 1], "left_pads": [1, 1],
           "right_pads": [1, 1], "layout": "nhwc"}
ROWS = [{"row": "a", "name": "pool", "problem": PROBLEM}, {"row": "b", "name": "channels first", "dtypes": ["fp16", "fp32"],
                                                          "problem": {**PROBLEM, "layout": "nchw"}}]
OPERATION = "maxpool_bwd"
TARGET = HOST if ":" in HOST else "host:gfx942"
ARCHITECTURE = TARGET.split(":")[1]


class TestCase(ProgramTest):
    program = "ck_tile_profiler"

    def setUp(self):
        super().setUp()
        self.json, self.csv, self.suite = (self.folder / name for name in ("profile.json", "profile.csv", "suite.json"))
        self.suite.write_text(json.dumps({OPERATION: ROWS}))

    def path(self):
        return os.environ.get("CK_TILE_PROFILER", "build/bin/ck_tile_profiler")

    def built(self):
        """The operations that the program has."""
        return self.run_program("--help", target=None)[1].strip().rsplit(": ", 1)[1].split(", ")

    def profile(self, *arguments, target=TARGET):
        """What a profile's JSON has, which the schema allows, as it allows the CSV."""
        status, output, errors = self.run_program(*arguments, "--json", self.json, "--csv", self.csv, target=target)
        self.assertEqual((status, errors), (0, ""), output)
        profile = json.loads(self.json.read_text())
        Draft202012Validator(SCHEMA).validate(profile)
        plans = [(problem, plan) for problem in profile["problems"] for plan in problem["measured"]]
        lines = self.csv_lines()
        self.assertEqual([line["id"] for line in lines], [plan["id"] for _, plan in plans])
        for line, (problem, plan) in zip(lines, plans):
            Draft202012Validator({"$ref": "#/$defs/csv_line", "$defs": SCHEMA["$defs"]}).validate(line)
            self.assertEqual((line["problem"], line["splits"]), (problem["problem"], plan["splits"]))
            if plan["timing"]:
                self.assertAlmostEqual(line["median_ms"], plan["timing"]["median_ms"], delta=1e-5 * line["median_ms"])
        return profile, output

    def csv_lines(self):
        def value(name, text):
            if name == "problem":
                return json.loads(text)
            if name in ("chosen", "chosen_by_cost"):
                return {"true": True, "false": False}[text]
            if name in ("splits", "median_ms", "min_ms", "spread", "tflops", "gb_per_s", "of_copy", "of_matrix"):
                return (int(text) if name == "splits" else float(text)) if text else None
            return text or None

        with self.csv.open(newline="") as lines:
            return [{name: value(name, text) for name, text in line.items()} for line in csv.DictReader(lines)]


class Profiles(TestCase):
    def test_help(self):
        for arguments in (("--help",), (OPERATION, "--help"), ("all", "--suite", "x", "--help")):
            status, output, errors = self.run_program(*arguments, target=None)
            self.assertEqual((status, errors), (0, ""))
            self.assertIn("verify init time", output)
        self.assertIn("[N C <input> <window> <strides> <dilations> <left_pads> <right_pads>]", self.run_program(OPERATION, "--help", target=None)[1])
        self.assertEqual(self.run_program(target=None)[0], 2)

    def test_every_operation_has_a_profile(self):
        for operation in self.built():
            for verify in (1, 2):
                profile, output = self.profile(operation, verify, 1, 1, *SMALL.get(operation, CONVOLUTION), "--repeats", 1)
                (problem,) = profile["problems"]
                self.assertEqual(problem["operation"], operation)
                self.assertTrue(all(plan["verification"]["passed"] for plan in problem["measured"]), output)
                self.assertEqual(sum(plan["chosen"] for plan in problem["measured"]), 1, output)
                self.assertIn("<- the plan", output)

    def test_each_direction_by_the_reference_kernel(self):
        for operation in set(CONVOLUTIONS) & set(self.built()):
            for layout in ("nhwgc", "gnhwc", "ngchw"):
                profile, _ = self.profile(operation, 2, 2, 0, *CONVOLUTION, "--layout", layout)
                measured = profile["problems"][0]["measured"]
                self.assertTrue(measured)
                for plan in measured:
                    self.assertEqual(plan["verification"]["reference"], "the reference kernel on the target")
                    self.assertTrue(plan["verification"]["passed"] and plan["verification"]["elements"] > 0, plan)
                    self.assertIsNone(plan["timing"])

    def test_table(self):
        profile, output = self.profile(OPERATION, 2, 2, 1, *POOL)
        heading, names, *lines = output.splitlines()
        (problem,) = profile["problems"]
        self.assertEqual(heading, f"{OPERATION}, fp16")
        self.assertEqual(names.split(), ["id", "ms", "min", "spread", "TFLOP/s", "GB/s", "copy", "matrix", "verified"])
        times = [plan["timing"]["median_ms"] for plan in problem["measured"]]
        self.assertEqual(times, sorted(times))
        for line, plan in zip(lines, problem["measured"]):
            words = line.split()
            self.assertEqual((words[0], words[1], words[8]), (plan["id"], f"{plan['timing']['median_ms']:.4f}", "passed"))
            self.assertLessEqual(plan["timing"]["min_ms"], plan["timing"]["median_ms"])
        self.assertIn(f"{len(problem['rejected'])} instances are left out: --all says why", output)
        _, output = self.profile(OPERATION, 0, 2, 0, *POOL, "--all")
        for each in problem["rejected"]:
            self.assertRegex(output, rf"(?m)^  {each['id']} +\S.*{each['reason'][-20:]}")
        self.assertNotIn("passed", output)

    def test_splits_are_measured(self):
        if "grouped_conv_bwd_weight" not in self.built():
            return
        profile, _ = self.profile("grouped_conv_bwd_weight", 2, 2, 1, *CONVOLUTION, "--repeats", 1)
        plans = [(plan["id"], plan["splits"]) for plan in profile["problems"][0]["measured"]]
        self.assertEqual(len(plans), len(set(plans)))
        self.assertGreater(len(plans), len({name for name, _ in plans}))
        profile, _ = self.profile("grouped_conv_bwd_weight", 2, 2, 1, *CONVOLUTION, "--split-k", 3, "--repeats", 1)
        self.assertEqual({plan["splits"] for plan in profile["problems"][0]["measured"]}, {3})

    def test_one_instance_and_what_is_chosen(self):
        profile, _ = self.profile(OPERATION, 2, 2, 1, *POOL, "--repeats", 2)
        last = profile["problems"][0]["measured"][-1]
        self.assertEqual(last["timing"]["repeats"], 2)
        for name in (last["id"], last["instance"]):
            again, _ = self.profile(OPERATION, 2, 2, 1, *POOL, "--instance", name)
            self.assertEqual([plan["id"] for plan in again["problems"][0]["measured"]], [last["id"]])
        again, _ = self.profile(OPERATION, 2, 2, 1, *POOL, "--chosen")
        self.assertEqual([plan["chosen"] for plan in again["problems"][0]["measured"]], [True])

    def test_filters_are_those_of_the_generator(self):
        profile, _ = self.profile(OPERATION, 0, 2, 0, *POOL)
        every = profile["problems"][0]["measured"]
        one = every[-1]["fields"]  # which each of the filters keeps
        area = one["rows"] * one["cols"]
        for expression, holds in ((f"threads == {one['threads']} and dtype == 'fp16'", lambda f: f["threads"] == one["threads"] and f["dtype"] == "fp16"),
                                  (f"layout in ['nhwc'] and not rows * cols > {area}", lambda f: f["layout"] == "nhwc" and f["rows"] * f["cols"] <= area),
                                  (f"0 <= vector < {one['vector'] + 1}", lambda f: f["vector"] <= one["vector"])):
            profile, _ = self.profile(OPERATION, 0, 2, 0, *POOL, "--filter", expression)
            self.assertEqual({plan["id"] for plan in profile["problems"][0]["measured"]},
                             {plan["id"] for plan in every if holds(plan["fields"])}, expression)
            for each in profile["problems"][0]["rejected"]:
                if each["id"] in {plan["id"] for plan in every}:
                    self.assertEqual(each["reason"], "the filter leaves it out")

    def test_instances_can_be_listed(self):
        output = self.run_well(OPERATION, 2, 2, 1, *POOL, "--instance", "list", "--json", self.json)
        listed = json.loads(self.json.read_text())
        self.assertEqual([line.split()[0] for line in output.splitlines()[-len(listed):]], [each["id"] for each in listed])
        self.run_well(OPERATION, "--suite", self.suite, "--instance", "list", "--json", self.json, "--dtype", "fp16")
        self.assertEqual([[each["id"] for each in instances] for instances in json.loads(self.json.read_text())],
                         [[each["id"] for each in listed]] * 2)

    def test_suites(self):
        profile, output = self.profile(OPERATION, 2, 2, 1, "--suite", self.suite, "--repeats", 1)
        rows = [(problem["row"], problem["name"], problem["dtype"]) for problem in profile["problems"]]
        built = {"fp16", "bf16", "fp32"}
        self.assertEqual(set(rows), {("a", "pool", "fp16"), ("b", "channels first", "fp16"), ("a", "pool", "bf16"), ("b", "channels first", "fp32")} &
                         {(row, name, dtype) for row, name, dtype in rows if dtype in built})
        self.assertIn(f"{OPERATION}, row b (channels first), fp16", output)
        self.assertRegex(output.splitlines()[-1], r"^\d+ plans of \d problems; the plan is within 10% of the fastest for \d of \d, by cost")
        for options, expected in ((["--rows", "b", "--dtype", "fp16"], [("b", "fp16")]), (["--dtype", "fp32"], [("a", "fp32"), ("b", "fp32")]),
                                  (["--layout", "nhwc", "--dtype", "fp16,fp32"], [("a", "fp16"), ("a", "fp32")])):
            profile, _ = self.profile("all", 0, 2, 0, "--suite", self.suite, *options)
            self.assertEqual([(problem["row"], problem["dtype"]) for problem in profile["problems"]], expected)

    def test_a_suite_takes_a_gpu_or_being_told(self):
        if subprocess.run(["sh", "-c", "ls /dev/kfd /dev/nvidia0"], capture_output=True, check=False).returncode == 0:
            return
        self.assert_rejected([OPERATION, "--suite", self.suite], "times of the CPU say nothing of a GPU: give --target host", target=None)

    def test_tuning_writes_what_plans_use(self):
        table = self.folder / "tuned.json"
        profile, _ = self.profile(OPERATION, 2, 2, 1, *POOL, "--tune", "--tuned", table)
        fastest = profile["problems"][0]["measured"][0]
        (choice,) = json.loads(table.read_text())["choices"]
        self.assertEqual((choice["instance"], choice["problem"], choice["target"]),
                         (fastest["instance"], profile["problems"][0]["problem"], TARGET))
        # Of several operations, below a folder; and what is there is kept.
        tables = self.folder / "tables"
        tables.mkdir()
        self.profile("all", 2, 2, 1, "--suite", self.suite, "--dtype", "fp16", "--tune", "--tuned", tables, "--repeats", 1)
        written = tables / OPERATION / "tuned" / f"{ARCHITECTURE}.json"
        self.assertEqual(len(json.loads(written.read_text())["choices"]), 2)
        self.profile(OPERATION, 2, 2, 1, *POOL, "--tune", "--tuned", tables)
        self.assertEqual(len(json.loads(written.read_text())["choices"]), 3)

    def test_comparison_with_an_earlier_profile(self):
        arguments = (OPERATION, 2, 2, 1, "--suite", self.suite, "--repeats", 1) # one run has no spread
        before, _ = self.profile(*arguments)
        plans = [plan for problem in before["problems"] for plan in problem["measured"]]
        self.assertGreater(len(plans), 1)
        old = self.folder / "old.json"
        for plan, factor in zip(plans, (1e6, 1e-6)):
            plan["timing"].update(median_ms=plan["timing"]["median_ms"] * factor, spread=0)
        for plan in plans[2:]:
            plan["timing"]["spread"] = 1e9
        before["problems"][0]["measured"].append({**plans[0], "instance": "gone"})
        old.write_text(json.dumps(before))
        _, output = self.profile(*arguments, "--compare", old)
        self.assertRegex(output, rf"(?m)^faster +{OPERATION}.* {plans[0]['id']} .* 0\.00$")
        self.assertRegex(output, rf"(?m)^slower +{OPERATION}.* {plans[1]['id']} ")
        self.assertEqual(output.splitlines()[-1], f"1 slower, 1 faster, {len(plans) - 2} within their spread, 0 new, 1 no longer measured")

    def test_plot(self):
        chart = self.folder / "chart.svg"
        self.profile(OPERATION, 2, 2, 1, "--suite", self.suite, "--repeats", 1, "--plot", chart)
        self.assertIn("<svg", chart.read_text())
        profile = json.loads(self.json.read_text())
        if "grouped_conv_bwd_weight" in self.built():
            profile, _ = self.profile("grouped_conv_bwd_weight", 2, 2, 1, *CONVOLUTION, "--repeats", 1, "--plot", chart)
        # With ceilings, as of a GPU.
        profile["ceilings"] = {"copy_gb_per_s": 4000.0, "matrix_tflops": {"fp16": 700.0}}
        drawn = subprocess.run([sys.executable, ROOT / "ops/profiler/plot_profile.py"], input=json.dumps(profile), capture_output=True,
                               text=True, check=False)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertIn("<svg", drawn.stdout)

    def test_progress(self):
        self.suite.write_text(json.dumps({OPERATION: [{**ROWS[0], "row": str(i), "problem": {**PROBLEM, "N": 1 + i}} for i in range(30)]}))
        terminal, errors = os.openpty()
        with subprocess.Popen([self.path(), OPERATION, "2", "2", "1", "--suite", self.suite, "--repeats", "1000", "--target", HOST],
                              stdout=subprocess.DEVNULL, stderr=errors) as run:
            os.close(errors)
            shown = b""
            try:
                while more := os.read(terminal, 4096):
                    shown += more
            except OSError: # the program has ended
                pass
        os.close(terminal)
        self.assertEqual(run.returncode, 0)
        self.assertRegex(shown.decode(), r"profiling: \d+%, \d+ s left \[#* *\]")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-100:])


class Failures(TestCase):
    def test_operations_that_there_are_not(self):
        self.assert_rejected(["maxpool"], "'maxpool' is not an operation: choose from ", target=None)
        self.assert_rejected(["all"], "all operations have the problems of a suite: give --suite FILE")

    def test_arguments(self):
        self.assert_rejected([OPERATION, 3, 2, 1], "verify must be from 0 to 2, but is 3")
        self.assert_rejected([OPERATION, 2, 2, 1, *POOL[1:]], "a problem needs 14 numbers")
        self.assert_rejected([OPERATION, "--dtype", "fp17"], "--dtype must be one of fp16, bf16, fp32")
        self.assert_rejected([OPERATION, "--repeats", "0"], "--repeats must be auto or a number from 1 to 1000000, but is '0'")
        self.assert_rejected([OPERATION, "--instance", f"pool_bwd.{ARCHITECTURE}.none"],
                             f"instance 'pool_bwd.{ARCHITECTURE}.none' is not one of {TARGET}")
        self.assert_rejected([OPERATION, "--tune"], "--tune needs a file to write to")
        self.assert_rejected([OPERATION, "--tuned", "x"], "give --tune too")
        self.assert_rejected([OPERATION, "--nonsense"], "not expected: --nonsense")
        self.assert_rejected([OPERATION, "--target", "cpu"], "'cpu' is not known", target=None)
        self.assert_rejected([OPERATION, *"2 2 1".split(), 2000000, 1000, 10, 10, *POOL[4:]], "GB of memory, but this machine has")

    def test_filters(self):
        for expression, reason in (("thread == 256", "there is no field thread; there are "), ("threads ==", "invalid syntax"),
                                   ("threads.__class__", "there is no field threads.__class__"), ("open('x')", "Call is not allowed"),
                                   ("dtype < 5", "not supported between"), ("threads / 0 > 1", "division by zero")):
            self.assert_rejected([OPERATION, 0, 2, 0, *POOL, "--filter", expression], reason)

    def test_nothing_to_measure(self):
        for arguments in (["--filter", "threads == 1"], ["--filter", "threads == 1", "--all"]):
            status, output, errors = self.run_program(OPERATION, 2, 2, 1, *POOL, *arguments, "--json", self.json)
            self.assertEqual((status, errors.count("\n")), (2, 1))
            self.assertIn("nothing was measured, as no instance can compute what was asked for", errors)
            self.assertEqual("the filter leaves it out" in output, "--all" in arguments)
            ids = [each["id"] for each in json.loads(self.json.read_text())["problems"][0]["rejected"]]
            self.assertEqual(len(ids), len(set(ids)))

    def test_suites(self):
        rejected = ((None, "suite.json"), ("{", "is not JSON: name benchmarks/suite.json, or one like it"), ("[]", "is no object: name"),
                    ("{}", "has no rows of maxpool_bwd"), ('{"other": []}', "has no rows of maxpool_bwd"), ('{"maxpool_bwd": {}}', "maxpool_bwd must be a list of rows"),
                    ('{"maxpool_bwd": []}', "has no rows that --rows, --dtype and --layout leave"),
                    ('{"maxpool_bwd": [1]}', "row 1 of maxpool_bwd: give an object with the texts row and name, and the object problem"),
                    (json.dumps({OPERATION: [*ROWS, {**ROWS[0], "dtypes": ["fp8"]}]}), "row 3 of maxpool_bwd: dtypes must be a list of fp16, bf16, fp32"),
                    (json.dumps({OPERATION: [{**ROWS[0], "problem": {**PROBLEM, "N": -1}}]}), "N must be zero or positive, but is -1"),
                    (json.dumps({OPERATION: [{**ROWS[0], "problem": {**PROBLEM, "M": 1}}]}), "a problem has no M"),
                    ('{"a":' * 100 + "1" + "}" * 100, "has brackets nested more than 32 deep"))
        for text, reason in rejected:
            if text is None:
                self.suite.unlink()
            else:
                self.suite.write_text(text)
            self.json.write_text("earlier")
            self.assert_rejected([OPERATION, 0, 2, 0, "--suite", self.suite, "--json", self.json], reason)
            self.assertEqual(self.json.read_text(), "earlier")
        self.suite.write_text(json.dumps({OPERATION: ROWS}))
        self.assert_rejected([OPERATION, 0, 2, 0, *POOL, "--suite", self.suite], "the problems are those of the suite")
        self.assert_rejected([OPERATION, "--suite", self.suite, "--dtype", "fp8"], "--dtype must be one of fp16, bf16, fp32, but is 'fp8'")
        self.assert_rejected([OPERATION, "--suite", self.suite, "--rows", "c"], "has no rows that --rows")

    def test_earlier_profiles(self):
        old = self.folder / "old.json"
        self.assert_rejected([OPERATION, "--compare", old], "old.json")
        for text, reason in (("x", "is not JSON"), ("{}", "must be a profile: name a file that ck_tile_profiler --json has written"),
                             ('{"format": "ck_tile profile 1", "target": "cuda:sm90"}', 'it is of "cuda:sm90", this one is of host:'),
                             (f'{{"format": "ck_tile profile 1", "target": "{TARGET}", "problems": [{{}}]}}', "what it has of problems is not")):
            old.write_text(text)
            self.assert_rejected([OPERATION, 2, 2, 1, *POOL, "--compare", old], reason, target=TARGET)

    def test_files_that_cannot_be_written(self):
        for option in ("--json", "--csv", "--plot"):
            self.assert_rejected([OPERATION, option, self.folder], "must be a file that can be written (it is a folder): choose another path")
            self.assert_rejected([OPERATION, option, self.folder / "none" / "x"], "must be a file that can be written")
            status, _, errors = self.run_program(OPERATION, 0, 2, 1, *POOL, option, "/dev/full")
            self.assertEqual((status, errors), (2, "ck_tile_profiler: /dev/full must be a file that can be written (No space left on device): "
                                                   "choose another path\n"))
        self.assert_rejected([OPERATION, "--tune", "--tuned", self.folder / "none" / "x"], "must be a file that can be written")
        (self.folder / "bad.json").write_text("{}")
        self.assert_rejected([OPERATION, "--tune", "--tuned", self.folder / "bad.json"], f"its operation is not {OPERATION}")
        status, errors = self.run_redirected("> /dev/full", OPERATION, 0, 2, 1, *POOL)
        self.assertEqual((status, errors), (2, "ck_tile_profiler: standard output must be a file that can be written (No space left on "
                                               "device): redirect it to another\n"))

    def test_what_python_lacks(self):
        """It is said before anything is measured."""
        chart, python = self.folder / "chart.svg", self.folder / "python3"
        for script, reason in ((None, "python3 cannot be run (No such file or directory): install it"),
                               ("#!/bin/sh\necho lines >&2\necho plots need matplotlib >&2\nexit 1\n", "ck_tile_profiler: plots need matplotlib\n")):
            if script:
                python.write_text(script)
                python.chmod(0o755)
            with unittest.mock.patch.dict(os.environ, PATH=str(self.folder)):
                self.assert_rejected([OPERATION, 2, 2, 1, *POOL, "--plot", chart, "--json", self.json], reason)
            self.assertEqual((chart.exists(), self.json.exists()), (False, False))

    def test_files_are_whole_or_not_there(self):
        for option in ("--json", "--csv"):
            self.assert_keeps_files(self.folder / "file", OPERATION, 0, 2, 1, *POOL, "--repeats", 1, option, self.folder / "file")


class Interruptions(TestCase):
    def interrupt(self, number, *arguments):
        """Ends a profile after the first problem was written."""
        with subprocess.Popen([self.path(), OPERATION, "2", "2", "1", "--suite", str(self.suite), "--target", TARGET, "--json",
                               str(self.json), "--csv", str(self.csv), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            while not self.json.exists() and run.poll() is None:
                time.sleep(0.01)
            run.send_signal(number)
            output, errors = run.communicate(timeout=100)
        return run.returncode, output, errors

    def test_what_was_measured_is_kept(self):
        rows = [{**ROWS[0], "row": str(i), "problem": {**PROBLEM, "N": 1 + i}} for i in range(300)]
        self.suite.write_text(json.dumps({OPERATION: rows}))
        for number in (signal.SIGINT, signal.SIGTERM):
            self.json.unlink(missing_ok=True)
            status, output, errors = self.interrupt(number, "--dtype", "fp16", "--repeats", "1000")
            self.assertEqual(status, 130, (output[-500:], errors))
            self.assertRegex(errors, rf"^ck_tile_profiler: interrupted: \d+ of \d+ plans were measured, which {self.json} has\n$")
            profile = json.loads(self.json.read_text())
            Draft202012Validator(SCHEMA).validate(profile)
            self.assertFalse(profile["complete"])
            self.assertTrue(0 < len(profile["problems"]) < 300)
            self.assertTrue(profile["problems"][0]["measured"])
            self.assertEqual(len(self.csv_lines()), sum(len(problem["measured"]) for problem in profile["problems"]))

    def test_the_program_can_be_killed(self):
        rows = [{**ROWS[0], "row": str(i)} for i in range(300)]
        self.suite.write_text(json.dumps({OPERATION: rows}))
        status, _, _ = self.interrupt(signal.SIGKILL, "--dtype", "fp16", "--repeats", "1000")
        self.assertEqual(status, -signal.SIGKILL)
        Draft202012Validator(SCHEMA).validate(json.loads(self.json.read_text()))


if __name__ == "__main__":
    unittest.main()
