"""Calls of many kinds, and at random points of them the system call getppid.

What sys._getframe() says there is added to the file argv[1], a line for each call:
the thread, and the frames, innermost first, as FILE:NAME+LINE in hexadecimal, where
LINE counts from the least line of the code object.  Each of three threads and a
child makes about argv[2] calls, with pauses, so that a busy machine keeps up; with
argv[3], greenlets, which change places on one stack, some are in those.
"""
import functools
import gc
import os
import random
import re
import signal
import sys
import threading
import time
import weakref

log = []
left = 3 * int(sys.argv[2])
tables = {}


def base(code):
    got = tables.get(code)
    if got is None:
        lines = [at[2] for at in code.co_lines() if at[2]]
        got = min(lines + [code.co_firstlineno])
        tables[code] = got
    return got


def frames():
    frame = sys._getframe(1)
    chain = []
    while frame:
        code = frame.f_code
        line = frame.f_lineno
        chain.append((code, line))
        frame = frame.f_back
    return chain


def point():
    global left
    left -= 1
    if left % 4 == 0:
        time.sleep(0.001)
    chain = frames(); os.getppid()
    log.append((threading.get_native_id(), chain))


def leaf(depth):
    if depth % 3 == 0:
        point()
    return depth


def recursive(depth):
    if depth <= 0:
        return leaf(0)
    step(depth - 1)
    return recursive(depth - 1)


def generator(depth):
    for i in range(2):
        step(depth - 1)
        yield i
    point()


def delegating(depth):
    yield from generator(depth)
    point()


class Shape:
    def __init__(self, depth):
        self.depth = depth
        step(depth - 1)

    def method(self):
        step(self.depth - 1)

    @property
    def attribute(self):
        point()
        return self.depth

    def __lt__(self, other):
        point()
        return self.depth < other.depth

    def __enter__(self):
        point()
        return self

    def __exit__(self, *args):
        step(self.depth - 1)

    def __del__(self):
        point()

    class Inner:
        def method(self, depth):
            step(depth)
            return lambda: point()


def by_key(depth):
    sorted([3, 1, 2], key=lambda x: step(depth - 1) or x)
    sorted([Shape(0), Shape(0)])


def by_map(depth):
    list(map(step, [depth - 1, depth - 2]))
    functools.reduce(lambda a, b: step(depth - 1) or 0, [1, 2, 3])


def by_re(depth):
    re.sub("b", lambda m: str(step(depth - 1)), "abc")


def comprehension(depth):
    return [step(depth - 1) for i in range(2)]


def raising(depth):
    try:
        step(depth - 1)
        raise ValueError
    except ValueError:
        point()
    finally:
        step(depth - 2)


number = 0


def executed(depth):
    global number
    number += 1
    name = "made%d.py" % (number % 49)
    text = "def made(step, depth):\n%s  step(depth)\nmade(step, depth)\n"
    exec(compile(text % ("\n" * (number % 7)), name, "exec"),
         {"step": step, "depth": depth - 1})


async def awaiting(depth):
    await awaited(depth - 1)
    point()


async def awaited(depth):
    step(depth)


def coroutine(depth):
    try:
        awaiting(depth).send(None)
    except StopIteration:
        pass


async def stepping(depth):
    for i in range(2):
        step(depth - 1)
        yield i


async def iterating(depth):
    async for i in stepping(depth):
        await asyncio.gather(awaited(depth - 1), awaiting(depth - 1))


def looping(depth):
    if asyncio._get_running_loop():
        return point()
    asyncio.run(iterating(depth - 1))


def thrown(depth):
    for stop in generator(0), generator(depth - 1):
        next(stop)
        try:
            stop.throw(ValueError)
        except ValueError:
            point()
    cleaning = cleaned(depth)
    next(cleaning)
    cleaning.close()


def cleaned(depth):
    try:
        yield
    finally:
        step(depth - 1)


def collected(depth):
    weak = weakref.ref(Shape(0), lambda ref: step(depth - 1))
    circle = Shape(0)
    circle.self = circle
    del circle
    gc.collect()


def signalled(depth):
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGUSR1, lambda *args: step(depth - 1))
        signal.raise_signal(signal.SIGUSR1)
    point()


class Asked:
    def __init__(self, depth):
        self.depth = depth

    def __getattr__(self, name):
        return step(self.depth - 1)

    def __hash__(self):
        return step(self.depth - 1)

    def __init_subclass__(cls):
        point()


def asked(depth):
    Asked(depth).other
    {Asked(depth): 0}

    class Made(Asked):
        step(depth - 1)


def shapes(depth):
    with Shape(depth - 1) as shape:
        shape.method()
    shape.attribute
    Shape.Inner().method(depth - 2)()


def generated(depth):
    for i in delegating(depth - 1):
        leaf(i)
    next(generator(depth - 1))


def evaluated(depth):
    eval("step(depth)", {"step": step, "depth": depth - 1})


kinds = [recursive, generated, by_key, by_map, by_re, comprehension, raising,
         executed, coroutine, shapes, evaluated, leaf, thrown, collected,
         signalled, asked]


def step(depth):
    if depth > 0 and left > 0:
        random.choice(kinds)(depth)
    elif random.random() < 0.3:
        point()
    return 0


try:
    import asyncio
    kinds.append(looping)
except ImportError:
    pass

try:
    import ctypes
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(step)
    kinds.append(lambda depth: callback(depth - 1))
except ImportError:
    pass


waiting = {}


def switching(depth):
    others = waiting.setdefault(threading.get_ident(), [])
    if not others or random.random() < 0.5:
        others.append(greenlet.greenlet(switched))
    others.pop(random.randrange(len(others))).switch(depth)
    point()


def switched(depth):
    now = greenlet.getcurrent()
    for i in range(3):
        step(depth - 1)
        waiting[threading.get_ident()].append(now)
        depth = now.parent.switch() or depth
    point()


if sys.argv[3:] == ["greenlets"]:
    import greenlet
    kinds += [switching, switching]


def run(seed):
    while left > 0:
        step(5)


def write():
    with open(sys.argv[1], "a") as out:
        for tid, chain in log:
            out.write("%d %s\n" % (tid, " ".join(
                "%s:%s+%x" % (os.path.basename(code.co_filename),
                              code.co_qualname.replace(" ", "_"),
                              line - base(code) + 1 if line else 0)
                for code, line in chain)))


gc.disable()  # else it calls between a system call and the log
random.seed(7)
others = [threading.Thread(target=run, args=(i,)) for i in range(2)]
for thread in others:
    thread.start()
run(0)
for thread in others:
    thread.join()
write()
child = os.fork()
if child == 0:
    log.clear()
    left = int(sys.argv[2])
    run(1)
    write()
    os._exit(0)
os.waitpid(child, 0)
os._exit(0)  # objects that end later call, too
