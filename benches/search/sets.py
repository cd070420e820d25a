#!/usr/bin/env python3
"""Makes sets for `cargo bench --bench search -- DIR` out of others, or of Markdown files.

    sets.py typos SET OUT             each query with a typo: in a random word, in the rarest
    sets.py identifiers TREE OUT      methods in headings: `object.method(…)`, and bare
    sets.py names TREE OUT            numbers and words in file names
    sets.py questions TREE OUT FILE   questions of FILE, as questions.jsonl has them
    sets.py links TREE OUT            documents, to which those that they link to are related

Sets are made of documentation of others, and are not kept here. The same input makes the
same set. What was measured: withastro/docs and the CISI collection for typos,
electron/electron (docs) for identifiers and questions, ethereum/EIPs (EIPS) for names,
both, kubernetes/community, rust-lang/book, rust-lang/reference (src), helm/helm-www, jj-vcs/jj,
reduxjs/redux, fastapi/fastapi and vitejs/vite (docs), and 8 more, for links.
"""

import collections
import json
import posixpath
import random
import re
import sys
from pathlib import Path

STOP = set("a about an and are as at be by can do for from how i if in is it my of on or the "
           "this to was what when where which who why will with you your".split())


def typo(word, chance):
    """The word with one slip after its first letter."""
    at = chance.randrange(1, len(word))
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
    kind = chance.randrange(4)
    if kind == 0 and at + 1 < len(word) and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2:]
    if kind == 1:
        return word[:at] + word[at + 1:]
    if kind == 2:
        return word[:at] + letter + word[at:]
    return word[:at] + letter + word[at + 1:]


def typos(source, out):
    lines = Path(source, "sections.jsonl").read_text()
    counts = collections.Counter()
    for line in lines.splitlines():
        section = json.loads(line)
        counts.update(set(re.findall(r"[a-z]+", (section["title"] + " " + section["body"]).lower())))
    chance, queries = random.Random(1), []
    for line in Path(source, "queries.jsonl").read_text().splitlines():
        query = json.loads(line)
        words = [m for m in re.finditer(r"\b[A-Za-z]{4,}\b", query["text"])
                 if m[0].lower() not in STOP]
        if not words:
            continue
        rarest = min(words, key=lambda m: counts[m[0].lower()] or 1 << 30)
        for kind, word in ("random", chance.choice(words)), ("rarest", rarest):
            text = query["text"]
            text = text[:word.start()] + typo(word[0], chance) + text[word.end():]
            queries.append({**query, "type": f"{query['type']} {kind}", "text": text})
    write(out, lines, queries)


def sections(tree):
    """The sections of Markdown files: id, document, title, heading, level, body."""
    for path in sorted(Path(tree).rglob("*.md*")):
        text = path.read_text(errors="replace")
        name, title = str(path.relative_to(tree)), ""
        front = re.match(r"---\n(.*?)\n---\n", text, re.S)
        if front:
            found = re.search(r"^title: *(.*)$", front[1], re.M)
            title = found[1].strip("\"' ") if found else ""
            text = text[front.end():]
        parts, heading, level, body, fence = [], "", 0, [], False
        for line in text.splitlines():
            fence ^= line.lstrip().startswith(("```", "~~~"))
            found = None if fence else re.match(r"(#{1,6}) +(.*?) *#*$", line)
            if found:
                parts.append((heading, level, body))
                heading, level, body = found[2], len(found[1]), []
                title = title or heading
            body.append(line)
        parts.append((heading, level, body))
        parts = [part for part in parts if "".join(part[2]).strip()]
        for at, (heading, level, body) in enumerate(parts):
            yield {"id": f"{name}#{at}", "doc": name, "title": title or name,
                   "heading": heading, "level": level, "body": "\n".join(body)}


def identifiers(tree, out):
    found = list(sections(tree))
    methods = collections.defaultdict(list)
    for section in found:
        method = re.match(r"`?(\w+)\.(\w+)\(", section["heading"])
        if method:
            methods[method[2]].append((method[1], section["id"]))
    queries = []
    names = [name for name in sorted(methods) if len(methods[name]) == 1]
    for name in random.Random(1).sample(names, min(200, len(names))):
        (owner, section), = methods[name]
        queries.append({"type": "section qualified", "text": f"{owner}.{name}", "rel": [section]})
        queries.append({"type": "section bare", "text": name, "rel": [section]})
    write(out, lines_of(found), queries)


def names(tree, out):
    found = list(sections(tree))
    documents = sorted({section["doc"] for section in found})
    queries = []
    for name in random.Random(1).sample(documents, min(120, len(documents))):
        words = re.findall(r"[A-Za-z]+|\d+", Path(name).stem)
        queries.append({"type": "name", "text": " ".join(words).upper(), "rel": [name]})
        numbers = [word for word in words if word.isdigit()]
        if numbers:
            queries.append({"type": "number", "text": numbers[-1], "rel": [name]})
    write(out, lines_of(found), queries)


def questions(tree, out, file):
    found = list(sections(tree))
    queries = []
    for line in Path(file).read_text().splitlines():
        question = json.loads(line)
        ids = [section["id"] for section in found
               if [section["doc"], section["heading"]] == [question["doc"], question["heading"]]]
        if not ids:
            sys.exit(f"no such section: {line}")
        queries.append({"type": "section question", "text": question["text"], "rel": ids[:1]})
    write(out, lines_of(found), queries)


def links(tree, out):
    # A table of contents links to every document.
    found = [section for section in sections(tree) if section["doc"] != "SUMMARY.md"]
    texts = collections.defaultdict(str)
    for section in found:
        texts[section["doc"]] += section["body"] + "\n"
    pages = {}
    for name in texts:
        page = re.sub(r"\.mdx?$", "", name)
        pages[page] = name
        if posixpath.basename(page).lower() in ("index", "_index", "readme"):
            pages.setdefault(posixpath.dirname(page), name)
    related = collections.defaultdict(set)
    for name, text in texts.items():
        for target in re.findall(r"(?m)(?:\]\(|^ {0,3}\[[^\]\n]+\]: *)<?([^\s#?:>)]+)", text):
            path = posixpath.join(posixpath.dirname(name), target) if target[0] != "/" else target[1:]
            page = pages.get(re.sub(r"\.(mdx?|html)$", "", posixpath.normpath(path)))
            if page not in (None, name):
                related[name].add(page)
                related[page].add(name)
    names = random.Random(1).sample(sorted(related), min(300, len(related)))
    queries = [{"type": "related", "text": name, "rel": sorted(related[name])} for name in names]
    write(out, lines_of(found), queries)


def lines_of(objects):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in objects)


def write(out, lines, queries):
    Path(out).mkdir(parents=True, exist_ok=True)
    Path(out, "sections.jsonl").write_text(lines)
    Path(out, "queries.jsonl").write_text(lines_of(queries))
    print(f"{out}: {len(lines.splitlines())} sections, {len(queries)} queries")


if __name__ == "__main__":
    makers = {"typos": typos, "identifiers": identifiers, "names": names, "questions": questions,
              "links": links}
    if len(sys.argv) < 4 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    makers[sys.argv[1]](*sys.argv[2:])
