"""The tools of `folio mcp` as the protocol's own Python package sees them, in
each of its modes. Called with the path of the binary."""

import asyncio
import json
import os
import sys
import tempfile

from mcp import Client, MCPError, StdioServerParameters

FOLIO = os.path.abspath(sys.argv[1])


def write(directory, name, text):
    with open(os.path.join(directory, name), "w", newline="") as file:
        file.write(text)


async def check(directory, mode):
    log = ["x\n"] * 201
    for line, entry in [(100, 14), (120, 15), (145, 16), (170, 17), (200, 18)]:
        log[line - 1] = f"[LOG-{entry:03}] - [{'DECISION' if entry == 15 else 'NOTE'}]\n"
    write(directory, "WORK.md", "".join(log))
    write(directory, "README.md", "# Guide\n\n## Install\n\nRun make.\n\n## Use\n\ntext\n")
    write(directory, "hello.txt", "Hello\nWorld\n")
    arguments = ["mcp", "--tools", "all", "--root", directory]
    server = StdioServerParameters(command=FOLIO, args=arguments)
    async with Client(server, mode=mode) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"inspect", "read", "read_files", "TextPatch", "read_text_file"} <= names, names

        async def call(name, **given):
            return await client.call_tool(name, given)

        outline = await call("inspect", address="README.md")
        assert outline.content[0].text.startswith("README.md\n1-9 # Guide\n"), outline
        records = await call("inspect", address="README.md", format="json")
        assert json.loads(records.content[0].text) == records.structured_content, records
        hit = await call("grep_content", pattern=r"\[DECISION\]", search_path="WORK.md")
        assert "Line: 120, Section-End-Hint: 144" in hit.content[0].text, hit
        part = {"path": "WORK.md", "start_line": 120, "read_to_next_pattern": r"^\[LOG-"}
        part = await call("read_files", files=[part])
        assert "Lines: 120-144" in part.content[0].text, part
        missed = await call("read", address="README.md", section="Instal it")
        assert missed.is_error and "## Install" in missed.content[0].text, missed
        edit = {"filePath": "README.md", "operation": "replace", "target": {"text": "make"}}
        edited = await call("TextPatch", **edit, content="cargo")
        assert edited.structured_content["status"] == "success", edited
        path = os.path.join(directory, "hello.txt")
        whole = await call("read_text_file", path=path)
        assert whole.structured_content["content"] == "Hello\nWorld\n", whole
        try:
            await call("read_text_file", path=path + ".missing")
        except MCPError as error:
            assert error.error.code == -32001, error
        else:
            raise AssertionError("a missing file was read")
        calls = [call("read", address=f"WORK.md:{line}") for line in range(1, 33)]
        assert len(await asyncio.gather(*calls)) == 32


def main():
    for mode in ["legacy", "auto", "2026-07-28"]:
        with tempfile.TemporaryDirectory() as directory:
            asyncio.run(asyncio.wait_for(check(directory, mode), 120))
        print(f"mode {mode}: all calls answered")


main()
