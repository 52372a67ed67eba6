#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Static facts of the kernels in AMDGPU code objects, and rules that these facts must keep. Needs no GPU.

For each kernel: registers, spills, scratch, LDS, occupancy, code size, what its loads have in flight, and the
instruction mix of its main loop and of all its code. The facts come from the metadata (llvm-readelf) and the disassembly
(llvm-objdump) of the code object.

usage: inspect_code_objects.py [options] FILE_OR_FOLDER...      folders are searched for *.hsaco and *.co

A file of rules (--check, which may be given several times) limits facts of the kernels that it names. `kernel` is a glob
(or `kernel_regex` a regular expression) over the name as written in C++ or the symbol, `arch` a glob or a list of globs;
both default to all:

    {"rules": [{"kernel": "*fp16*", "arch": "gfx9*", "max_scratch_bytes": 0, "min_matrix_share": 0.5}]}

Keys are min_ or max_ and the name of a fact; --list-keys prints them. bytes_in_flight are those of a lane,
unit_bytes_in_flight those of all waves that a compute unit holds. global_load_bytes is the narrowest load of the main
loop. Facts of all code, for kernels without a loop, begin with kernel_: kernel_global_load_bytes is the narrowest load,
kernel_widest_global_load_bytes the widest, kernel_global_load how many there are. Exit status: 0 all rules kept, 1 a rule
is broken (one line each), 2 bad arguments, rules, or files.
"""

import argparse
import csv
import fnmatch
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tile_engine_configs"))
from generator.rules import arch_patterns, speaks_of  # noqa: E402


class UsageError(Exception):
    """Something the caller must mend: an argument, a file, a rule."""


# ---- architectures


@dataclass(frozen=True)
class Architecture:
    """What limits occupancy. gfx10 and later: registers as wave32 sees them, LDS as one workgroup may address it."""

    vgprs: int  # per lane of a SIMD, ArchVGPRs and AccVGPRs together
    vgpr_granule: int
    max_waves: int  # per SIMD
    lds_bytes: int = 64 * 1024
    lds_granule: int = 512
    is_rdna: bool = False  # a work-group processor joins two CUs: twice the SIMDs, twice the LDS

    @property
    def unit_simds(self):  # of a compute unit
        return 2 if self.is_rdna else 4


CDNA = Architecture(vgprs=512, vgpr_granule=8, max_waves=8)
RDNA_LARGE = Architecture(vgprs=1536, vgpr_granule=24, max_waves=16, is_rdna=True)
RDNA_SMALL = Architecture(vgprs=1024, vgpr_granule=16, max_waves=16, is_rdna=True)
ARCHITECTURES = {
    "gfx90a": CDNA, "gfx942": CDNA, "gfx9-4-generic": CDNA,
    "gfx950": Architecture(512, 8, 8, lds_bytes=160 * 1024, lds_granule=1280),
    "gfx1100": RDNA_LARGE, "gfx1101": RDNA_LARGE, "gfx1151": RDNA_LARGE,
    "gfx1102": RDNA_SMALL, "gfx1103": RDNA_SMALL, "gfx1150": RDNA_SMALL, "gfx1152": RDNA_SMALL, "gfx1153": RDNA_SMALL,
    "gfx11-generic": RDNA_SMALL,  # what all of gfx11 has
}


def architecture_facts(name):
    if name not in ARCHITECTURES:
        raise UsageError(f"architecture '{name}' is not known; known are {', '.join(sorted(ARCHITECTURES))}")
    return ARCHITECTURES[name]


def round_up(value, granule):
    return -(-value // granule) * granule


def occupancy(arch, vgprs, sgprs, lds_bytes, threads, wave_size, cu_mode=False):
    """Waves per SIMD, those of the workgroups that fit as a whole, which may be a fraction; and what limits them."""
    lanes = 2 if arch.is_rdna and wave_size == 64 else 1  # a wave64 takes two registers of the wave32 count
    units = 2 if arch.is_rdna and not cu_mode else 1  # CUs that a workgroup may spread over
    simds = 2 * units if arch.is_rdna else 4
    waves_per_group = -(-threads // wave_size)

    def groups_of(waves_per_simd):
        return waves_per_simd * simds // waves_per_group

    groups = {
        "waves": groups_of(arch.max_waves),
        "vgprs": groups_of(arch.vgprs // lanes // round_up(max(vgprs, 1), arch.vgpr_granule // lanes)),
        "sgprs": groups_of(arch.max_waves if arch.is_rdna else 800 // round_up(max(sgprs, 1), 16)),
        "workgroup": 16 * units if waves_per_group > 1 else groups_of(arch.max_waves),  # barriers
    }
    if lds_bytes:
        groups["lds"] = arch.lds_bytes * units // round_up(lds_bytes, arch.lds_granule)
    limiter = min(groups, key=groups.get)
    return Fraction(max(1, groups[limiter]) * waves_per_group, simds), limiter


# ---- what the LLVM tools print


@dataclass
class Instruction:
    address: int
    opcode: str
    operands: str


def parse_notes(text):
    """The architecture and one dictionary of metadata per kernel, from `llvm-readelf --notes`."""
    target = re.search(r"^amdhsa\.target:\s+['\"]?[\w-]+-(gfx[0-9a-f]+(?:-[0-9a-f]+)?(?:-generic)?)", text, re.M)
    if not target:
        raise UsageError("no AMDGPU metadata with an amdhsa.target in it: not a linked code object")
    kernels = []
    section = text.partition("amdhsa.kernels:")[2]
    section = re.split(r"^amdhsa\.", section, maxsplit=1, flags=re.M)[0]
    for line in section.splitlines():
        entry = re.match(r"  (- |  )\.(\w+):\s*(.*)", line)  # deeper lines describe arguments
        if not entry:
            continue
        if entry[1] == "- ":
            kernels.append({})
        kernels[-1][entry[2]] = entry[3].strip().strip("'\"")
    return target[1], kernels


def parse_disassembly(text):
    """Symbol -> instructions, from `llvm-objdump -d`. Lines without an address are not instructions."""
    functions, current = {}, None
    for line in text.splitlines():
        header = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        instruction = re.match(r"\s+(\S+)\s*(.*?)\s*// ([0-9A-Fa-f]+):", line)
        if header:
            current = functions.setdefault(header[1], [])
        elif instruction and current is not None:
            current.append(Instruction(int(instruction[3], 16), instruction[1], instruction[2]))
    return functions


def parse_code_sizes(text):
    """Symbol -> bytes of code, from `llvm-readelf --symbols --wide`."""
    return {m[2]: int(m[1], 0) for m in re.finditer(r"(\S+)\s+FUNC\s+\S+\s+\S+\s+\S+\s+(\S+)", text)}


# ---- instructions

ACCESSES = ("global_load", "global_store", "lds_read", "lds_write")
NAMED_BYTES = {"ubyte": 1, "sbyte": 1, "ushort": 2, "sshort": 2, "short": 2, "byte": 1, "dword": 4}


def access_bytes(opcode):
    """Bytes per lane of a memory instruction: ds_read2_b64 -> 16."""
    named = re.search(r"(?:load|store)_(?:lds_)?(ubyte|sbyte|byte|ushort|sshort|short|dword)(?:x(\d))?(?=_|$)", opcode)
    if named:
        return NAMED_BYTES[named[1]] * int(named[2] or 1)
    bits = re.search(r"_[buif](\d+)(?=_|$)", opcode)
    if not bits:
        return 2 if "d16" in opcode else 4  # buffer_load_format_d16_x; any other is at least a dword
    pairs = 2 if re.match(r"ds_(read2|write2|load_2addr|store_2addr)", opcode) else 1
    return int(bits[1]) // 8 * pairs


CLASSES = [  # the first pattern that fits decides
    ("matrix", r"v_(mfma|smfmac|wmma|swmmac)"),
    ("accvgpr", r"v_accvgpr"),
    ("valu", r"v_"),
    ("scratch", r"scratch_(load|store)"),
    ("global_atomic", r"(global|flat|buffer)_atomic"),
    ("global_load", r"(global|flat|t?buffer)_load"),
    ("global_store", r"(global|flat|t?buffer)_store"),
    ("lds_read", r"ds_(read|load)"),
    ("lds_write", r"ds_(write|store)"),
    ("lds_other", r"ds_"),
    ("smem", r"s_(buffer_|scratch_)?(load|store|prefetch|atomic)|s_dcache|s_memtime|s_memrealtime"),
    ("waitcnt", r"s_wait"),
    ("barrier", r"s_barrier"),
    ("nop", r"s_nop$"),
    ("hint", r"s_(delay_alu|clause|setprio|sleep|sched|set_inst_prefetch|inst_prefetch|icache|ttrace)"),
    ("branch", r"s_(c?branch|endpgm|setpc|swappc|call|rfe)"),
    ("salu", r"s_"),
    ("other", r""),
]
CLASSES = [(name, re.compile(pattern)) for name, pattern in CLASSES]


@functools.cache
def class_of(opcode):
    return next(name for name, pattern in CLASSES if pattern.match(opcode))


def classify(instruction, scratch_resource=None):
    """The class of an instruction; buffer accesses through `scratch_resource` are scratch."""
    if scratch_resource and instruction.opcode.startswith("buffer_") and scratch_resource in instruction.operands:
        return "scratch"
    return class_of(instruction.opcode)


def scratch_resource(arch_name, code):
    """The registers through which gfx90a reaches scratch, in buffer accesses: s[0:3], or where these are copied."""
    if arch_name != "gfx90a":
        return None  # has scratch_load and scratch_store
    for instruction in code[:16]:
        copied = instruction.opcode == "s_mov_b64" and re.match(r"s\[(\d+):\d+\], s\[0:1\]$", instruction.operands)
        if copied:
            return f"s[{copied[1]}:{int(copied[1]) + 3}]"
    return "s[0:3]"


def loads_left_by_wait(instruction):
    """How many accesses to memory may still be in flight after a wait; None after what waits for none of them."""
    if instruction.opcode.startswith("s_wait_loadcnt"):
        return int(instruction.operands or "0", 0)
    if instruction.opcode != "s_waitcnt":
        return None
    left = re.search(r"vmcnt\((\d+)\)|^(?:0x)?(0)$", instruction.operands)
    return int(left[1] or left[2]) if left else None


def is_full_load_wait(instruction):
    """Waits until no global load is in flight, which ends every overlap with them."""
    return loads_left_by_wait(instruction) == 0


# ---- loops


def branch_target(instruction):
    """Address that a branch goes to: its operand counts words from the next instruction."""
    if not re.match(r"s_c?branch", instruction.opcode):
        return None
    words = int(re.match(r"(0x[0-9a-fA-F]+|-?\d+)", instruction.operands)[1], 0)
    words = (words & 0xFFFF) - (0x10000 if words & 0x8000 else 0)
    return instruction.address + 4 + 4 * words


def basic_blocks(code):
    """Blocks as index ranges [begin, end) of `code`, and the successors of each as block numbers."""
    index_at = {instruction.address: i for i, instruction in enumerate(code)}
    leaders = {0}
    for i, instruction in enumerate(code):
        if classify(instruction) == "branch":
            leaders.add(i + 1)
            if branch_target(instruction) in index_at:
                leaders.add(index_at[branch_target(instruction)])
    begins = sorted(i for i in leaders if i < len(code))
    blocks = list(zip(begins, begins[1:] + [len(code)]))
    block_at = {begin: number for number, (begin, _) in enumerate(blocks)}
    successors = []
    for number, (_, end) in enumerate(blocks):
        last = code[end - 1]
        following = {block_at[index_at[target]] for target in [branch_target(last)] if target in index_at}
        if not re.match(r"s_(branch|endpgm|setpc)", last.opcode) and number + 1 < len(blocks):
            following.add(number + 1)
        successors.append(following)
    return blocks, successors


def reachable(edges, start, without=None):
    """Blocks that `edges` lead to from `start`, itself included, on paths that avoid `without`."""
    seen, pending = {without}, [start]
    while pending:
        block = pending.pop()
        if block not in seen:
            seen.add(block)
            pending += edges[block]
    return seen - {without}


def natural_loops(successors):
    """Header block -> all blocks of its loop. A header is on every path from block 0 to the branch back to it."""
    alive = reachable(successors, 0)
    predecessors = [[p for p in alive if block in successors[p]] for block in range(len(successors))]
    loops = {}
    for header in alive:
        outside = reachable(successors, 0, without=header)
        for tail in (p for p in predecessors[header] if p not in outside):
            loops.setdefault(header, {header}).update(reachable(predecessors, tail, without=header))
    return loops


def main_loop(code):
    """Instructions of the loop whose own body, inner loops apart, holds most matrix instructions; without any, of the
    innermost loop with most memory accesses: those that every turn executes, and those that only some do. None without
    a loop."""
    blocks, successors = basic_blocks(code)
    loops = natural_loops(successors)

    def instructions(numbers):
        return [instruction for n in sorted(numbers) for instruction in code[slice(*blocks[n])]]

    def rank(header):
        body = loops[header]
        inner = set().union(*(loops[h] for h in loops if h != header and loops[h] < body))
        own = Counter(classify(i) for i in instructions(body - inner))
        memory = sum(own[c] for c in own if c in ACCESSES or c in ("scratch", "global_atomic", "lds_other"))
        return (own["matrix"], not inner, memory, len(body))

    if not loops:
        return None
    header = max(loops, key=rank)
    body = loops[header]
    inside = [following & body - {header} for following in successors]
    tails = {block for block in body if header in successors[block]}
    always = {block for block in body if not tails - {block} & reachable(inside, header, without=block)}
    return instructions(always), instructions(body - always)


# ---- loads in flight

MOST_IN_FLIGHT = 63  # accesses of a wave: what vmcnt counts to


def loaded(instruction):
    """What a load writes -> bytes of a lane: halves of registers or whole ones, or LDS, by the load's own address."""
    size = access_bytes(instruction.opcode)
    registers = re.match(r"([va])(?:(\d+)|\[(\d+):(\d+)\])(?=,)", instruction.operands)
    if not registers or "_lds_" in instruction.opcode or instruction.operands.endswith(" lds"):
        return {instruction.address: size}
    kind, first, last = registers[1], int(registers[2] or registers[3]), int(registers[2] or registers[4])
    half = "hi" if "d16_hi" in instruction.opcode else "d16" if "d16" in instruction.opcode else ""
    return {f"{kind}{n}{half}": size / (last + 1 - first) for n in range(first, last + 1)}


def bytes_in_flight(code, arch, scratch=None):
    """Bytes of a lane that loads have in flight where they have most, if all lanes take part. At the begin of a block these
    are what all paths to it have in flight: loads that a branch may leave out count within its own block alone. Loads of
    the same registers, as of a loop and before it, are one."""
    blocks, successors = basic_blocks(code)
    counted = {"global_load", "scratch"}
    if not arch.is_rdna:  # which counts stores apart
        counted |= {"global_atomic", "global_store"}

    def flow(block, flying):
        """What is in flight behind a block, and the most bytes in it. `flying`: what is loaded -> (accesses begun since,
        which return after it, bytes)."""
        most = 0
        for instruction in code[slice(*blocks[block])]:
            name, left = classify(instruction, scratch), loads_left_by_wait(instruction)
            if left is not None:
                flying = {what: (age, size) for what, (age, size) in flying.items() if age < left}
            elif name in counted:
                flying = {what: (age + 1, size) for what, (age, size) in flying.items() if age + 1 < MOST_IN_FLIGHT}
                if name == "global_load":
                    flying.update((what, (0, size)) for what, size in loaded(instruction).items())
                    most = max(most, sum(size for _, size in flying.values()))
        return flying, most

    begins, most_in, pending = {0: {}}, {}, [0]
    while pending:
        block = pending.pop()
        behind, most_in[block] = flow(block, begins[block])
        for following in successors[block]:
            known = begins.get(following)
            joined = behind if known is None else {
                what: (max(age, behind[what][0]), min(size, behind[what][1]))
                for what, (age, size) in known.items() if what in behind}
            if joined != known:
                begins[following] = joined
                pending.append(following)
    return int(max(most_in.values()))


# ---- facts


@dataclass
class CodeFacts:
    """Of the instructions of a main loop that every turn executes, or of all those of a kernel."""

    instructions: int
    mix: Counter  # class -> instructions
    widths: dict  # kind of access -> bytes per lane -> instructions
    full_load_waits: int

    @property
    def matrix_share(self):
        return self.mix["matrix"] / self.instructions

    def narrowest(self, access):
        return min(self.widths[access], default=None)

    def widest(self, access):
        return max(self.widths[access], default=None)


@dataclass
class LoopFacts(CodeFacts):
    offset: int  # of the loop's first instruction in the kernel's code, bytes
    at_times: int  # instructions that only some turns execute


@dataclass
class KernelFacts:
    name: str  # as written in C++
    symbol: str
    arch: str
    file: str
    wave_size: int
    threads: int  # of the largest workgroup
    vgprs: int  # all that a lane is given: ArchVGPRs and AccVGPRs
    arch_vgprs: int
    agprs: int
    sgprs: int
    spilled_vgprs: int
    spilled_sgprs: int
    scratch_bytes: int  # per lane
    lds_bytes: int  # per workgroup; LDS that the launch adds is not known here
    code_bytes: int
    calls: int
    bytes_in_flight: int  # of a lane's loads, where they have most
    relocations: int = 0  # of the whole code object: addresses of tables that the code reads
    compile_seconds: float = None  # of the whole code object, as Ninja's log has it
    occupancy: Fraction = Fraction(0)  # waves per SIMD
    occupancy_limit: str = ""
    whole: CodeFacts = None
    loop: LoopFacts = None

    @property
    def unit_bytes_in_flight(self):
        """Of all waves that a compute unit holds."""
        waves = self.occupancy * architecture_facts(self.arch).unit_simds
        return int(self.bytes_in_flight * self.wave_size * waves)


def code_facts(code, scratch, kind=CodeFacts, **more):
    mix, widths = Counter(), {access: Counter() for access in ACCESSES}
    for instruction in code:
        name = classify(instruction, scratch)
        mix[name] += 1
        if name in widths:
            widths[name][access_bytes(instruction.opcode)] += 1
    return kind(len(code), mix, widths, sum(map(is_full_load_wait, code)), **more)


def kernel_facts(file, arch_name, metadata, code, code_bytes):
    arch = architecture_facts(arch_name)

    def number(key):
        return int(metadata.get(key, "0"), 0)

    vgprs, agprs = number("vgpr_count"), number("agpr_count")
    scratch_bytes = number("private_segment_fixed_size")
    scratch = scratch_resource(arch_name, code) if scratch_bytes else None
    facts = KernelFacts(
        name="", symbol=metadata["name"], arch=arch_name, file=str(file),
        wave_size=number("wavefront_size"), threads=number("max_flat_workgroup_size"),
        vgprs=vgprs, arch_vgprs=vgprs - agprs, agprs=agprs, sgprs=number("sgpr_count"),
        spilled_vgprs=number("vgpr_spill_count"), spilled_sgprs=number("sgpr_spill_count"),
        scratch_bytes=scratch_bytes, lds_bytes=number("group_segment_fixed_size"),
        code_bytes=code_bytes, calls=sum(bool(re.match(r"s_(swappc|call)", i.opcode)) for i in code),
        bytes_in_flight=bytes_in_flight(code, arch, scratch))
    facts.occupancy, facts.occupancy_limit = occupancy(
        arch, facts.vgprs, facts.sgprs, facts.lds_bytes, facts.threads, facts.wave_size,
        cu_mode=metadata.get("workgroup_processor_mode") == "0")
    facts.whole = code_facts(code, scratch)
    loop = main_loop(code)
    if loop:
        always, at_times = loop
        facts.loop = code_facts(always, scratch, LoopFacts, offset=always[0].address - code[0].address,
                                at_times=len(at_times))
    return facts


# ---- files and tools


def find_tool(name, llvm_prefix=None):
    """A tool of LLVM: of --llvm-prefix or LLVM_PREFIX, else beside the compiler CXX, on the PATH, or of a ROCm."""
    prefix = llvm_prefix or os.environ.get("LLVM_PREFIX")
    if prefix:
        folders = [Path(prefix), Path(prefix, "bin")]
    else:
        beside_compiler = [Path(os.environ["CXX"]).parent] if "/" in os.environ.get("CXX", "") else []
        folders = [*beside_compiler, None, Path(os.environ.get("ROCM_PATH", "/opt/rocm"), "llvm", "bin")]
    for folder in folders:
        found = shutil.which(name + "-22", path=folder) or shutil.which(name, path=folder)
        if found:
            return found
    raise UsageError(f"{name} not found" + (f" under '{prefix}'" if prefix else
                     ": install llvm-22, or name a ROCm's folder llvm with --llvm-prefix or LLVM_PREFIX"))


def run_tool(tool, *arguments, text_in=None):
    done = subprocess.run([tool, *map(str, arguments)], input=text_in, capture_output=True, text=True)
    if done.returncode != 0:
        raise UsageError(f"{Path(tool).name} failed: {done.stderr.strip()}")
    return done.stdout


def find_code_objects(paths):
    files = []
    for path in map(Path, paths):
        found = sorted(f for f in path.rglob("*") if f.suffix in (".hsaco", ".co")) if path.is_dir() else [path]
        if not found:
            raise UsageError(f"no *.hsaco or *.co file under '{path}'")
        files += found
    for file in files:
        if not file.is_file():
            raise UsageError(f"'{file}' does not exist")
        start = file.read_bytes()[:24]
        if start.startswith((b"__CLANG_OFFLOAD", b"CCOB")):
            raise UsageError(f"'{file}' is a bundle of code objects: compile with --no-gpu-bundle-output")
        if start[:4] != b"\x7fELF" or start[18:20] != (224).to_bytes(2, "little"):  # EM_AMDGPU
            raise UsageError(f"'{file}' is not an AMDGPU code object")
    return files


@functools.cache
def logged_seconds(log):
    """Seconds of each output in Ninja's log, of its last build."""
    entries = [line.split("\t") for line in log.read_text(encoding="utf-8").splitlines()[1:]]
    return {output: (int(end) - int(start)) / 1000 for start, end, _, output, _ in entries}


def compile_seconds(file):
    """What compiling the file took when Ninja last did it; None where no log tells."""
    file = file.resolve()
    for folder in file.parents:
        log = folder / ".ninja_log"
        if log.is_file():
            return logged_seconds(log).get(str(file.relative_to(folder)))
    return None


def of_each_file(header, files, text):
    """What a tool printed of each of the files, each with a header; of a single file it may have none."""
    parts = re.split(header, text, flags=re.M)[1:]
    return parts if parts or len(files) > 1 else [text]


def inspect(paths, llvm_prefix=None):
    """KernelFacts of every kernel in the code objects `paths` (files or folders)."""
    readelf, objdump = find_tool("llvm-readelf", llvm_prefix), find_tool("llvm-objdump", llvm_prefix)
    cxxfilt = find_tool("llvm-cxxfilt", llvm_prefix)
    files = find_code_objects(paths)
    noted = {}  # file -> architecture and metadata
    sizes = {}
    relocations = {}
    descriptions = of_each_file(r"^File: .*$", files, run_tool(readelf, "--notes", "--symbols", "--relocs", "--wide", *files))
    for file, description in zip(files, descriptions, strict=True):
        try:
            noted[file] = parse_notes(description)
            architecture_facts(noted[file][0])
        except UsageError as error:
            raise UsageError(f"'{file}': {error}") from None
        sizes[file] = parse_code_sizes(description)
        relocations[file] = len(re.findall(r"\bR_AMDGPU_", description))
    found = {file: [] for file in files}
    for arch in {arch for arch, _ in noted.values()}:  # those of another would be disassembled as the first file's
        alike = [file for file in files if noted[file][0] == arch]
        for few in (alike[i:i + 64] for i in range(0, len(alike), 64)):  # starting the tool takes longer than one file
            disassembled = of_each_file(r"^.*:\tfile format .*$", few, run_tool(objdump, "-d", *few))
            for file, disassembly in zip(few, disassembled, strict=True):
                functions = parse_disassembly(disassembly)
                for metadata in noted[file][1]:
                    symbol = metadata["name"]
                    if not functions.get(symbol):
                        raise UsageError(f"'{file}': no code was disassembled for kernel {symbol}")
                    found[file].append(kernel_facts(file, arch, metadata, functions[symbol], sizes[file].get(symbol, 0)))
                    found[file][-1].relocations = relocations[file]
                    found[file][-1].compile_seconds = compile_seconds(file)
    kernels = sum(found.values(), [])
    if not kernels:
        raise UsageError("the code objects hold no kernel")
    names = run_tool(cxxfilt, text_in="\n".join(kernel.symbol for kernel in kernels)).splitlines()
    for kernel, name in zip(kernels, names, strict=True):
        kernel.name = name
    return kernels


# ---- rules

FACTS = {fact: (lambda kernel, fact=fact: getattr(kernel, fact)) for fact in (
    "vgprs", "arch_vgprs", "agprs", "sgprs", "spilled_vgprs", "spilled_sgprs", "scratch_bytes", "lds_bytes",
    "occupancy", "code_bytes", "calls", "relocations", "bytes_in_flight", "unit_bytes_in_flight")}
KERNEL_FACTS = {  # of all code of a kernel; None, where it has no such access, breaks every rule
    "kernel_instructions": lambda code: code.instructions,
    **{f"kernel_{access}_bytes": (lambda code, a=access: code.narrowest(a)) for access in ACCESSES},
    **{f"kernel_widest_{access}_bytes": (lambda code, a=access: code.widest(a)) for access in ACCESSES},
    **{f"kernel_{name}": (lambda code, n=name: code.mix[n]) for name, _ in CLASSES},
}
LOOP_FACTS = {  # of the main loop; None too where there is no loop
    "matrix_share": lambda loop: loop.matrix_share,
    "loop_instructions": lambda loop: loop.instructions,
    "loop_at_times": lambda loop: loop.at_times,
    "full_load_waits": lambda loop: loop.full_load_waits,
    **{f"{access}_bytes": (lambda loop, a=access: loop.narrowest(a)) for access in ACCESSES},
    **{f"loop_{name}": (lambda loop, n=name: loop.mix[n]) for name, _ in CLASSES},
}
RULE_KEYS = [f"{side}_{fact}" for fact in (*FACTS, *KERNEL_FACTS, *LOOP_FACTS) for side in ("min", "max")]


def load_rules(file):
    """The rules in a JSON file, as dictionaries that are known to be sound."""
    try:
        rules = json.loads(Path(file).read_text(encoding="utf-8"))["rules"]
        if not rules or not all(isinstance(rule, dict) for rule in rules):
            raise TypeError("\"rules\" must be a list of one or more objects")
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file}: the rules must be JSON like {{\"rules\": [...]}}: {error!r}") from None
    for number, rule in enumerate(rules, 1):
        try:
            check_rule(rule)
        except (UsageError, TypeError, re.error) as error:
            raise UsageError(f"{file}: rule {number}: {error}") from None
    return rules


def check_rule(rule):
    for key, value in rule.items():
        if key in RULE_KEYS:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise UsageError(f"{key} must be a number, not {value!r}")
        elif key not in ("kernel", "kernel_regex", "arch", "why"):
            raise UsageError(f"unknown key '{key}'; --list-keys prints the known ones")
    if not any(key in RULE_KEYS for key in rule):
        raise UsageError("limits nothing: give it a key such as max_scratch_bytes")
    re.compile(rule.get("kernel_regex", ""))
    for pattern in arch_patterns(rule):
        if not fnmatch.filter(ARCHITECTURES, pattern):
            raise UsageError(f"unknown architecture '{pattern}'; known are {', '.join(sorted(ARCHITECTURES))}")


def selects(rule, kernel):
    return any(speaks_of(rule, name) for name in (kernel.name, kernel.symbol))


def broken_rules(rules, kernels, file):
    """One line for each limit that a kernel breaks. A rule that no kernel answers to is an error in the file."""
    lines = []
    for number, rule in enumerate(rules, 1):
        for pattern in arch_patterns(rule):
            selected = [k for k in kernels if fnmatch.fnmatchcase(k.arch, pattern) and selects(rule, k)]
            if not selected:
                which = rule.get("kernel", rule.get("kernel_regex", "*"))
                raise UsageError(f"{file}: rule {number}: no kernel matches '{which}' on '{pattern}'")
            for kernel in selected:
                lines += broken_limits(rule, kernel)
    return lines


def flat_facts(kernel):
    """Every fact by the name that rules use."""
    return {**{fact: value(kernel) for fact, value in FACTS.items()},
            **{fact: value(kernel.whole) for fact, value in KERNEL_FACTS.items()},
            **{fact: value(kernel.loop) if kernel.loop else None for fact, value in LOOP_FACTS.items()}}


def broken_limits(rule, kernel):
    lines, facts = [], flat_facts(kernel)
    for key in (key for key in RULE_KEYS if key in rule):
        fact, limit = key[4:], rule[key]
        value = facts[fact]
        absent = ("none in the kernel" if fact in KERNEL_FACTS else "none in the main loop" if kernel.loop else
                  "no loop found")
        if value is None or (value < limit if key.startswith("min_") else value > limit):
            shown = absent if value is None else f"{value:.4g}" if isinstance(value, float) else value
            lines.append(f"broken rule: {kernel.name} ({kernel.arch}): {key}: value {shown}, limit {limit}")
    return lines


# ---- output


def widths_text(widths):
    return " ".join(f"{count}x{size}B" for size, count in sorted(widths.items(), reverse=True)) or "-"


def table(header, rows):
    """Columns aligned to the right, but for the last: names, which may be long."""
    rows = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join([*(cell.rjust(w) for cell, w in zip(row[:-1], widths)), row[-1]]) for row in rows)


def text_report(kernels):
    resources = table(
        ("arch", "vgprs", "arch+acc", "sgprs", "spilled v/s", "scratch B", "LDS B", "threads", "waves/SIMD", "limit",
         "in flight B", "KiB/CU", "code B", "compile s", "kernel"),
        [(k.arch, k.vgprs, f"{k.arch_vgprs}+{k.agprs}", k.sgprs, f"{k.spilled_vgprs}/{k.spilled_sgprs}",
          k.scratch_bytes, k.lds_bytes, k.threads, float(k.occupancy), k.occupancy_limit,
          k.bytes_in_flight, f"{k.unit_bytes_in_flight / 1024:.1f}", k.code_bytes,
          "-" if k.compile_seconds is None else f"{k.compile_seconds:.1f}", k.name)
         for k in kernels])
    counted = ("matrix", "valu", "accvgpr", "salu", "smem", "branch", "waitcnt", "barrier", "nop", "hint", "scratch")
    rows = []
    for k in kernels:
        code = k.loop or k.whole
        rows.append((k.arch, code.instructions, k.loop.at_times if k.loop else "no loop", f"{code.matrix_share:.2f}",
                     *(code.mix[c] for c in counted), *(widths_text(code.widths[a]) for a in ACCESSES),
                     code.full_load_waits, k.name))
    loops = table(("arch", "instr", "at times", "share", *counted, "global load", "global store", "LDS read", "LDS write",
                   "vmcnt(0)", "kernel"), rows)
    return (f"Resources (in flight: bytes that the loads of a lane have, where they have most, and those of all waves of a "
            f"compute unit)\n{resources}\n\nMain loop: what every turn executes (at times: more that some turns do; share: "
            f"matrix instructions), or all code of a kernel that has no loop\n{loops}")


def output_row(kernel):
    row = {key: value for key, value in vars(kernel).items() if key not in ("whole", "loop")} | flat_facts(kernel)
    return row | {"occupancy": float(kernel.occupancy)}


def write_json(kernels, file):
    rows = [output_row(kernel) | {"whole": vars(kernel.whole), "loop": vars(kernel.loop) if kernel.loop else None}
            for kernel in kernels]
    Path(file).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def write_csv(kernels, file):
    rows = [output_row(kernel) for kernel in kernels]
    with open(file, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="FILE_OR_FOLDER")
    parser.add_argument("--check", metavar="RULES.json", action="append", default=[],
                        help="rules that the kernels must keep; may be given several times")
    parser.add_argument("--csv", metavar="FILE", help="also write the facts as CSV")
    parser.add_argument("--json", metavar="FILE", help="also write the facts as JSON")
    parser.add_argument("--text", metavar="FILE", help="also write the tables as text")
    parser.add_argument("--quiet", action="store_true", help="no tables")
    parser.add_argument("--list-keys", action="store_true", help="print the keys that a rule may have")
    parser.add_argument("--llvm-prefix", metavar="DIR", help="where the tools of LLVM are, for example a ROCm's llvm")
    options = parser.parse_args(arguments)
    if options.list_keys:
        print("\n".join(RULE_KEYS))
        return 0
    try:
        if not options.paths:
            raise UsageError("name one or more code objects or folders")
        rules = {file: load_rules(file) for file in options.check}
        kernels = inspect(options.paths, options.llvm_prefix)
        if not options.quiet:
            print(text_report(kernels))
        if options.text:
            Path(options.text).write_text(text_report(kernels) + "\n", encoding="utf-8")
        if options.csv:
            write_csv(kernels, options.csv)
        if options.json:
            write_json(kernels, options.json)
        broken = [line for file in rules for line in broken_rules(rules[file], kernels, file)]
    except (UsageError, OSError) as error:
        print(f"inspect_code_objects: {error}", file=sys.stderr)
        return 2
    for line in dict.fromkeys(broken):
        print(line)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
