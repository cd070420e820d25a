"""What `folio mcp` costs: its first reply, its memory, calls a second. Called with the
command line of a server, and after `--` with those of others that serve the same
directory with `read_text_file` and `path`:

    python3 tests/clients/figures.py target/release/folio -- npx -y SERVER DIR

Other work on the machine slows all of them alike: compare, or look at the CPU time."""

import json
import os
import subprocess
import sys
import tempfile
import time

GREETING = {"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "figures", "version": "1"}}


class Server:
    def __init__(self, words):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.send({"id": 0, "method": "initialize", "params": GREETING})
        self.receive()
        self.first = time.perf_counter() - self.begun
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, id, name, arguments):
        self.send({"id": id, "method": "tools/call",
                   "params": {"name": name, "arguments": arguments}})

    def memory(self, field="VmRSS"):
        """In MiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith(field))
        return int(line.split()[1]) / 1024

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def cpu(self):
        """Seconds of the processor."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def rate(server, count, in_flight, name, arguments):
    """Calls a second, and the processor's microseconds for each."""
    cpu, begun = server.cpu(), time.perf_counter()
    for number in range(in_flight):
        server.ask(number, name, arguments)
    for number in range(in_flight, count):
        answer = server.receive()
        assert "result" in answer and not answer["result"].get("isError"), answer
        server.ask(number, name, arguments)
    for _ in range(in_flight):
        server.receive()
    passed = time.perf_counter() - begun
    return count / passed, (server.cpu() - cpu) / count * 1e6


def measure(title, words, directory, count):
    firsts = []
    for _ in range(10):
        server = Server(words)
        firsts.append(server.first)
        server.end()
    server = Server(words)
    print(f"{title}\n  first reply {min(firsts) * 1e3:.1f} ms, {server.memory():.1f} MiB", end="")
    print(f" ({server.memory('RssAnon'):.1f} of them its own), {server.threads()} threads")
    call = ("read_text_file", {"path": os.path.join(directory, "a.md")})
    for in_flight in (1, 16):
        best = max(rate(server, count, in_flight, *call) for _ in range(3))
        print(f"  {in_flight} in flight: {best[0]:.0f} calls/s, {best[1]:.0f} us of CPU each")
    print(f"  then {server.memory():.1f} MiB")
    return server


def memory_over(server, calls, directory):
    call = ("read_text_file", {"path": os.path.join(directory, "a.md")})
    figures = []
    for _ in range(5):
        rate(server, calls // 5, 16, *call)
        figures.append(f"{server.memory():.1f}")
    print(f"  memory over {calls} calls: {' '.join(figures)} MiB")


def beside_a_long_call(words, directory):
    """A pattern that takes long, on a line that holds much."""
    with open(os.path.join(directory, "long.txt"), "w") as file:
        file.write("A" * 400_000 + "\n")
    server = Server(words)
    before = server.threads()
    edit = {"filePath": "long.txt", "operation": "replace", "content": "b",
            "target": {"pattern": ".*[^A-Z]|[A-Z]"}}
    pings, lasts = [], []
    for turn in range(20):
        server.ask(turn, "TextPatch", edit)
        time.sleep(0.05)
        begun = time.perf_counter()
        server.send({"id": "ping", "method": "ping"})
        assert server.receive()["id"] == "ping"
        pings.append(time.perf_counter() - begun)
        before_it = server.cpu()
        server.send({"method": "notifications/cancelled", "params": {"requestId": turn}})
        # What still runs is seen by its use of the processor.
        quiet, last = 0, before_it
        while quiet < 10:
            time.sleep(0.01)
            now = server.cpu()
            quiet = quiet + 1 if now == last else 0
            last = now
        lasts.append(last - before_it)
    threads = server.threads()
    server.end()
    print(f"  beside a long call: ping {max(pings) * 1e3:.1f} ms at most")
    print(f"  cancelled: {max(lasts) * 1e3:.0f} ms of CPU after that at most, by ticks of 10", end="")
    print(f"; {before} threads before, {threads} after")


def main():
    own, *others = " ".join(sys.argv[1:]).split(" -- ")
    calls = int(os.environ.get("CALLS", "0"))
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "a.md"), "w") as file:
            file.write("# Title\n\nsome words\n")
        words = own.split() + ["mcp", "--root", directory, "--tools", "all", "--timeout", "600"]
        server = measure("folio", words, directory, 20_000)
        if calls:
            memory_over(server, calls, directory)
        server.end()
        beside_a_long_call(words, directory)
        for other in others:
            measure(other, other.replace("DIR", directory).split(), directory, 2_000).end()


main()
