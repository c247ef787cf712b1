"""Whether the samples of an export (perf-script, standard input) have the frames of
the log argv[1] of python_calls.py, thread by thread.

Prints how many samples have all frames and lines (right; what runs the outermost one
may be unknown), have the inner ones and say so (torn), came before the interpreter was
known (early), or have others.
"""
import re
import sys

FRAME = re.compile(r"^\s+[0-9a-f]+ (.*)\+0x([0-9a-f]+) \((.*)\)$")
HEAD = re.compile(r"^\S.* \d+/(\d+) [0-9.]+: .*getppid: *$")


def samples_of(lines):
    threads, now = {}, None
    for line in lines:
        head, frame = HEAD.match(line), FRAME.match(line)
        if head:
            now = []
            threads.setdefault(head[1], []).append(now)
        elif now is not None and "[truncated]" in line:
            now.append("[truncated]")
        elif now is not None and frame and re.search(r"\.py$|^<", frame[3]):
            name = re.sub(r"^.*!", "", frame[1])
            name = re.sub(r"^'[^']*':", "", name).replace(" ", "_")
            now.append("%s:%s+%s" % (frame[3].split("/")[-1], name, frame[2]))
    return threads


def is_torn(want, got):
    return got[-1:] == ["[truncated]"] and got[:-1] == want[:len(got) - 1]


wanted = {}
for line in open(sys.argv[1]):
    tid, *chain = line.split()
    wanted.setdefault(tid, []).append(chain)
threads = samples_of(sys.stdin)
right = torn = early = other = 0
known = False
for tid, want in wanted.items():
    got = threads.get(tid, [])
    if len(want) != len(got):
        print("# thread %s: %d calls, %d samples" % (tid, len(want), len(got)))
        other += 1
    for w, g in zip(want, got):
        known |= bool(g)
        if g == w or g == w + ["[truncated]"]:
            right += 1
        elif is_torn(w, g):
            torn += 1
        elif not known:
            early += 1
        else:
            other += 1
            if other < 4:
                print("# called:", " ".join(w))
                print("# sample:", " ".join(g))
print(right, torn, early, other)
