# Tasks that wait, in all ways, while the event loop does; it says whose stacks have
# a part of that each: python_waits.py SECONDS
import asyncio
import os
import queue
import socket
import sys
import threading


async def answer(reader, writer):
    await asyncio.sleep(1000)


async def serve():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    names.put(server.sockets[0].getsockname())
    await server.serve_forever()


def beside():
    asyncio.run(serve())


async def fetch(reader):
    await reader.readline()


async def nap():
    while True:
        await asyncio.sleep(0.02)


async def future():
    await asyncio.get_running_loop().create_future()


async def call():
    await nap()


async def gather():
    await asyncio.gather(call(), nap())


async def group():
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(call())
        tasks.create_task(nap())


async def wait():
    await asyncio.wait([asyncio.create_task(nap())])


async def limit():
    await asyncio.wait_for(nap(), 1000)


async def shield():
    await asyncio.shield(nap())


async def task():
    await asyncio.create_task(nap())


async def thread():
    await asyncio.to_thread(threading.Event().wait)


# what waits for another task that waits here
async def get():
    await asyncio.Queue().get()


async def lock():
    lock = asyncio.Lock()
    await lock.acquire()
    await lock.acquire()


async def main():
    reader, writer = await asyncio.open_connection(sock=server)
    ways = (nap, future, call, gather, group, wait, limit, shield, task, thread)
    all = [way() for way in (*ways, get, lock)] + [fetch(reader)]
    print("main nap", "main future", "main call nap", sep="\n")
    print("main gather call nap", "main gather nap", sep="\n")
    print("main group call nap", "main group nap", "main wait nap", sep="\n")
    print("main limit nap", "main shield nap", "main task nap", sep="\n")
    print("main thread", "main fetch", "beside serve", "beside answer", sep="\n")
    sys.stdout.flush()
    asyncio.get_running_loop().call_later(float(sys.argv[1]), os._exit, 0)
    await asyncio.gather(*all)


names = queue.Queue()
threading.Thread(target=beside).start()
server = socket.create_connection(names.get())
asyncio.run(main())
