#!/usr/bin/env python3
"""A worker for Merpati: a "platform" that is a text file, named on the command line.

A device is linked by a code, and keeps its credentials in the gateway's store. What it speaks is
docs/connector-protocol.md, which also says how the gateway is told to run it.
"""
import base64
import itertools
import json
import socket
import sys
import threading

CODE = "123456"
CODE_MS = 600_000
gateway = socket.socket(fileno=3)
lock = threading.RLock()  # Timers run beside the loop that reads.
ids = itertools.count(1)
waiting = {}  # What is done with the answers to our requests, by id.
lives = {}  # The started devices. Another start replaces the value, a stop removes it.

class Life:
    """From a start of a device to its stop, or to the next start."""
    def __init__(self, device, generation):
        self.device, self.generation, self.state = device, generation, None

    def about(self):
        """What all lines about the device carry. Older gateways give no generation."""
        generation = {} if self.generation is None else {"generation": self.generation}
        return {"device": self.device, **generation}

    def goes_on(self):
        return lives.get(self.device) is self

def write(line):
    gateway.sendall(json.dumps(line).encode() + b"\n")

def after(ms, then, *args):
    def run():
        with lock:
            then(*args)
    timer = threading.Timer(ms / 1000, run)
    timer.daemon = True
    timer.start()

def ask(op, done=lambda answer: None, wanted=lambda: True, **fields):
    """A request that comes too early is repeated while it is wanted."""
    def again():
        if wanted():
            ask(op, done, wanted, **fields)
    def answered(answer):
        if answer["ok"] or answer["error"]["kind"] != "busy":
            done(answer)
        else:
            after(answer["error"].get("retry_after_ms", 500), again)
    waiting[id := next(ids)] = answered
    write({"id": id, "op": op, **fields})

def report(life, state, reason=""):
    """Only the newest state is repeated."""
    mine = life.state = (state, reason)
    ask("device.state", wanted=lambda: life.state is mine, state=state, reason=reason,
        **life.about())

def start(device, generation=None, **_):
    def known(answer):
        if not life.goes_on():
            return  # Stopped or started again meanwhile.
        if not answer["ok"]:  # It is not known whether there are credentials.
            end(life, "Penyimpanan gateway gagal: " + answer["error"]["kind"])
        elif answer["result"]["values"]["creds"]:
            report(life, "connected")
        else:
            report(life, "pairing", "Masukkan kode")
            ask_code(life, "Kode: " + CODE)
    life = lives[device] = Life(device, generation)
    ask("store.get", known, names=["creds"], **life.about())

def ask_code(before, hint):
    life = lives[before.device] = Life(before.device, before.generation)
    write({"op": "device.pairing", "method": "otp", "payload": hint, "expires_in_ms": CODE_MS,
           **life.about()})
    after(CODE_MS, end, life, "Kode kedaluwarsa")

def end(life, reason):
    if life.goes_on():
        stop(life.device)
        report(life, "disconnected", reason)

def stop(device, **_):
    lives.pop(device, None)

def take_code(device, answer, **_):
    life = lives[device]
    if answer == CODE:
        values = {"creds": base64.b64encode(b"secret").decode()}
        # Connected only when the store has them.
        ask("store.put", lambda _: life.goes_on() and start(device, life.generation),
            values=values, clear=True, **life.about())
    else:
        ask_code(life, "Kode salah. Kode: " + CODE)

def send(device, message, to, text, **_):
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(json.dumps({"from": device, "to": to, "id": message, "text": text}) + "\n")

def refusal(op, device="", **_):
    if op not in handlers:
        return {"kind": "unsupported"}
    if op == "send" and device not in lives:
        return {"kind": "device_down", "details": "Perangkat tidak terhubung"}
    if op == "device.answer" and device not in lives:
        return {"kind": "invalid", "details": "Tidak sedang ditautkan"}
    return None

def take(line):
    if "ok" in line:
        waiting.pop(line["id"])(line)
    elif "id" not in line:
        pass  # Unknown notices are ignored.
    elif error := refusal(**line):
        write({"id": line["id"], "ok": False, "error": error})
    elif line["op"] == "send":
        send(**line)
        write({"id": line["id"], "ok": True, "result": {"outcome": "sent"}})
    else:  # Answered before what it leads to is reported.
        write({"id": line["id"], "ok": True})
        handlers[line["op"]](**line)

handlers = {"device.start": start, "device.answer": take_code, "device.stop": stop,
            "device.forget": stop, "send": send, "ping": lambda **_: None,
            "shutdown": lambda **_: sys.exit(0)}
ask("hello", protocols=[1], name="textfile", version="1.0",
    capabilities={"pairing": ["otp"], "media_types": [], "generations": True})
for line in map(json.loads, gateway.makefile("r", encoding="utf-8", newline="\n")):
    with lock:
        take(line)
