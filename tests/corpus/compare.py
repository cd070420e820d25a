#!/usr/bin/env python3
"""Runs the same commands with two builds of folio and prints where they differ.

    tests/corpus/compare.py OLD NEW [TABLE...]

The commands are those of tests/messages/*.txt and tests/corpus/*.txt ("== title" begins a
directory, "> line" fills it, "$ line" is a command), each as it is and again with --json.
Every section has a directory and a home of its own. Standard output, standard error, the
exit status and the files afterwards are compared; times, paths and numbers of inodes are
not. Exit status: 0 if nothing differs, 1 if something does.
"""

import concurrent.futures
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NORMALIZED = [
    (re.compile(r"\.folio-[0-9a-f]{8}\.tmp"), ".folio-TMP"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r'"(time|modified|mtime|updated|elapsed\w*|ageSeconds)":\s*[-\d.]+'), r'"\1":TIME'),
    (re.compile(r"(?<=\d\t)\d+s(?=\t)|(?<=\d  )\d+s(?=  )"), "AGO"),
    (re.compile(r"\b(\d+ (second|minute|hour)s? ago|just now)"), "AGO"),
]


def sections(path):
    """The sections of a table: title, lines that make its files, and commands."""
    title, setup, commands = "", [], []
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            yield title, setup, commands
            title, setup, commands = line[3:], [], []
        elif line.startswith(("> ", "$ ")):
            (setup if line[0] == ">" and not commands else commands).append(line)
    yield title, setup, commands


def with_json(line):
    """The same command with --json; None where that says nothing new."""
    found = re.match(r"\$ folio (inspect|read|grep|list|links|patch \w+|undo|redo|search|related|"
                     r"collection \w+)\b(?!.*(--json|[|;<&]|--help| -h\b| -- ))(.*)$", line)
    return found and f"$ folio {found[1]} --json{found[3]}"


def run(folio, setup, commands):
    """What each command prints and returns, and the files that are left."""
    with tempfile.TemporaryDirectory(prefix="folio-corpus-") as top:
        home, work, tools = (Path(top, name) for name in ("home", "w", "bin"))
        for directory in (home, work, tools):
            directory.mkdir()
        (tools / "folio").symlink_to(Path(folio).resolve())
        environment = {"HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "TZ": "UTC",
                       "LC_ALL": "C.UTF-8", "PWD": str(work)}
        told = []
        for line in setup + commands:
            try:
                done = subprocess.run(["bash", "-c", line[2:]], cwd=work, env=environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
                output = (done.stdout, done.stderr, done.returncode)
            except subprocess.TimeoutExpired:
                output = (b"", b"no end after 60 seconds", -1)
            if line[0] == "$":
                text = "\n".join(part.decode(errors="backslashreplace") for part in output[:2])
                told.append((line, normalized(f"{text}\nexit {output[2]}", top)))
        files = sorted(path for path in work.rglob("*") if path.is_file() and not path.is_symlink())
        left = [f"{path.relative_to(work)}: {path.read_bytes()!r}" for path in files]
        return told + [("files", normalized("\n".join(left), top))]


def normalized(text, top):
    text = text.replace(top, "/TOP")
    for pattern, replacement in NORMALIZED:
        text = pattern.sub(replacement, text)
    return text


def compare(job):
    (title, setup, commands), old, new = job
    count, differences = 0, []
    for variant in (commands, [with_json(line) or line for line in commands]):
        if not variant or variant is not commands and variant == commands:
            continue
        before, after = (run(folio, setup, variant) for folio in (old, new))
        count += len(variant)
        for (line, one), (_, other) in zip(before, after):
            if one != other:
                diff = difflib.unified_diff(one.splitlines(), other.splitlines(), "old", "new",
                                            lineterm="", n=1)
                differences.append(f"== {title}\n{line}\n" + "\n".join(diff))
    return count, differences


def main():
    old, new, *named = sys.argv[1:]
    tables = [Path(name) for name in named]
    tables = tables or [*(HERE.parent / "messages").glob("*.txt"), *HERE.glob("*.txt")]
    jobs = [(section, old, new) for table in sorted(tables) for section in sections(table)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compare, jobs))
    for _, differences in results:
        for difference in differences:
            print(difference, end="\n\n")
    differing = sum(len(differences) for _, differences in results)
    print(f"{sum(count for count, _ in results)} commands, {differing} differ")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
