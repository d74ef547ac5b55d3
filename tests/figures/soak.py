#!/usr/bin/env python3
"""Runs the screen for a long time and prints what it uses: memory, threads, open files, processor time.

    python3 tests/figures/soak.py target/release/visavis [MINUTES] [ROWS]

The program follows a file (--follow) to which rows are appended, while keys filter, search, sort, open
pages, and judge audits. Once a minute a line is printed; at the end the first and the last tenth of
the time are compared, the terminal must be given back, and every row must have been counted.
Needs only the standard library.
"""
import fcntl, json, os, pty, random, re, select, signal, struct, subprocess, sys, tempfile, termios, time

PROGRAM, MINUTES, ROWS = sys.argv[1], float((sys.argv[2:] or [60])[0]), int((sys.argv[3:] or [20000])[0])
WORDS = "the a response prompt river winter question answer because however python table never always maybe \
blue green seven eleven quickly slowly reason evidence example number letter story poem list".split()
rng = random.Random(1)


def text(n):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(n // 2, n)))


def pair(number):
    prompt = f"{text(20)}? ({number})"
    for _ in range(2):
        labels = {name: rng.randint(0, 4) for name in ("helpfulness", "correctness", "coherence", "complexity", "verbosity")}
        yield json.dumps({"prompt": prompt, "response": text(120), **labels}) + "\n"


KEYS = [
    "j" * 12, "k" * 5, " ", "b", "\t", "42G", "gg", "G", "\r", "\x1b", "d", "d", "n", "N",
    "fhelpfulness>=3\r", "f\x15\r", "fgap.helpfulness>=2 sort:-len\r", "f\x15\r", "fis:tie\r", "f\x15\r",
    "/river\r", "nnn", "/evidence example\r", "N", "\x1b", "sgap\r", "s\x1b",
    "S", "\t", "jj", "\x1b", "!", "jj", "\x1b", "A", "jjj", "\x1b", "F", "jjll", "\x1b", "?", "\x1b", "K", "\x1b",
    "m", "u", "r", "1314", "\x1b", ":audit 5 seed=%d blind\r", "4431", "s", "3", "\r", "\x1b", ":audit off\r", ":columns len\r", ":columns\r",
]


def status(pid):
    fields = dict(line.split(":\t", 1) for line in open(f"/proc/{pid}/status") if ":\t" in line)
    cpu = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return {
        "rss": int(fields["VmRSS"].split()[0]) // 1024,
        "anon": int(fields["RssAnon"].split()[0]) // 1024,
        "threads": int(fields["Threads"]),
        "files": len(os.listdir(f"/proc/{pid}/fd")),
        "cpu": (int(cpu[11]) + int(cpu[12])) / os.sysconf("SC_CLK_TCK"),
    }


def main():
    folder = tempfile.mkdtemp(prefix="soak-")
    data = os.path.join(folder, "train.jsonl")
    written = ROWS // 2
    with open(data, "w") as file:
        for number in range(written):
            file.writelines(pair(number))
    env = {**os.environ, "TERM": "xterm-256color", "HOME": folder}
    for name in ("CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"):
        env["XDG_" + name] = os.path.join(folder, name.lower())
    pid, screen = pty.fork()
    if pid == 0:
        os.execve(PROGRAM, [PROGRAM, "--follow", "--reviewer", "soak", data], env)
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    os.kill(pid, signal.SIGWINCH)
    output = 0
    tail = b""

    def drain(seconds):
        nonlocal output, tail
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([screen], [], [], left)[0]:
                try:
                    chunk = os.read(screen, 1 << 16)
                except OSError:  # The program has ended.
                    return
                output += len(chunk)
                tail = (tail + chunk)[-(1 << 16):]

    drain(3)
    start, samples, keys, report = time.monotonic(), [], 0, 0.0
    print(f"{'minute':>6} {'rss MB':>7} {'own MB':>7} {'threads':>7} {'files':>6} {'cpu s':>7} {'rows':>8} {'keys':>7} {'output MB':>9}", flush=True)
    while (elapsed := time.monotonic() - start) < MINUTES * 60:
        key = rng.choice(KEYS)
        key = key % rng.randint(1, 999) if "%d" in key else key
        os.write(screen, key.encode())
        keys += len(key)
        if rng.random() < 0.3:
            with open(data, "a") as file:
                for _ in range(rng.randint(1, 5)):
                    file.writelines(pair(written))
                    written += 1
        drain(0.15)
        samples.append(status(pid))
        if elapsed >= report:
            now = samples[-1]
            print(f"{elapsed / 60:6.1f} {now['rss']:7} {now['anon']:7} {now['threads']:7} {now['files']:6} {now['cpu']:7.1f} {2 * written:8} {keys:7} {output / 1e6:9.1f}", flush=True)
            report += 60
    os.write(screen, b"\x1b\x1b\x1b:audit off\r\x1b\x1bf\x15\r")
    drain(3)
    counted = subprocess.run([PROGRAM, "count", data], capture_output=True, text=True, env=env).stdout.strip()
    for _ in range(20):
        os.write(screen, b"q")
        drain(0.5)
        ended, code = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
    tenth = max(1, len(samples) // 10)
    mean = lambda part, name: sum(one[name] for one in part) / len(part)
    for name in ("rss", "anon", "threads", "files"):
        print(f"{name}: first tenth {mean(samples[:tenth], name):.1f}, last tenth {mean(samples[-tenth:], name):.1f}, most {max(one[name] for one in samples)}")
    acts = sum(1 for _ in open(data + ".review.jsonl")) - 1
    print(f"samples written {written}, counted {counted}; acts in the journal {acts}; exit {os.waitstatus_to_exitcode(code) if ended else 'none'}; alternate screen left: {b'?1049l' in tail}")
    if not ended or code or counted != str(written) or b"?1049l" not in tail:
        sys.exit(1)


main()
