# Tasks that await one another, in all ways; at each leaf it calls getppid() and logs
# who awaits whom: python_awaits.py LOG LEAVES
import asyncio
import os
import random
import sys

log = open(sys.argv[1], "w")
left = int(sys.argv[2])
choice = random.Random(left).choice


class Path:
    """The functions of each task, outermost first."""

    def __init__(self, tasks):
        self.tasks = tasks

    def calls(self, name):
        return Path(self.tasks[:-1] + [self.tasks[-1] + [name]])

    def awaits(self):
        return Path(self.tasks + [[]])

    def awaits_in_group(self):
        return Path(self.tasks[:-1] + [self.tasks[-1][:1], []])


async def leaf(path, depth=0):
    if choice((0, 1)):
        await asyncio.sleep(0)
    global left
    left -= 1
    os.getppid()
    tasks = path.calls("leaf").tasks
    log.write(" ".join(" ".join(task) for task in tasks) + "\n")


def any_of(path, depth):
    return choice(ways if depth else [leaf])(path, depth - 1)


async def call(path, depth):
    await any_of(path.calls("call"), depth)


async def task(path, depth):
    path = path.calls("task").awaits()
    task = asyncio.create_task(any_of(path, depth))
    some = {task}
    task.add_done_callback(some.discard)
    await task


async def gather(path, depth):
    path = path.calls("gather").awaits()
    await asyncio.gather(any_of(path, depth), any_of(path, depth))


async def group(path, depth):
    path = path.calls("group").awaits()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(any_of(path, depth))
        tasks.create_task(any_of(path, depth))


async def early(path, depth):
    await leaf(path.calls("early"))
    path.over.set()


async def busy(path, depth):
    path = path.calls("busy").awaits_in_group()
    path.over = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(early(path, 0))
        await path.over.wait()


async def shield(path, depth):
    await asyncio.shield(any_of(path.calls("shield").awaits(), depth))


async def wait(path, depth):
    path = path.calls("wait").awaits()
    await asyncio.wait([asyncio.create_task(any_of(path, depth)) for i in range(2)])


async def limit(path, depth):
    path = path.calls("limit")
    if sys.version_info < (3, 12):
        path = path.awaits()
    await asyncio.wait_for(any_of(path, depth), 60)


async def steps(path, depth):
    path = path.calls("steps").awaits()
    await asyncio.create_task(any_of(path, depth))
    yield
    await any_of(Path(path.tasks[:-1]), depth)


async def iterate(path, depth):
    async for step in steps(path.calls("iterate"), depth):
        pass


class Wrapped:
    def __init__(self, coroutine):
        self.coroutine = coroutine

    def __await__(self):
        yield from self.coroutine.__await__()


async def wrapped(path, depth):
    await Wrapped(task(path.calls("wrapped").calls("Wrapped.__await__"), depth))


async def several(path, depth):
    async def later():
        await asyncio.sleep(0)
        await leaf(Path([["later"]]))

    async def one(task):
        await task

    task = asyncio.create_task(later())
    await asyncio.gather(one(task), one(task))


ways = [call, task, gather, group, busy, shield, wait, limit, iterate, wrapped, several]


async def main():
    while left > 0:
        await any_of(Path([["main"]]), 4)


asyncio.run(main())
