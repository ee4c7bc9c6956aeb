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

def write(line):
    gateway.sendall(json.dumps(line).encode() + b"\n")

def after(ms, then, *args):
    def run():
        with lock:
            then(*args)
    timer = threading.Timer(ms / 1000, run)
    timer.daemon = True
    timer.start()

def ask(op, done=lambda answer: None, **fields):
    def answered(answer):
        if answer["ok"] or answer["error"]["kind"] != "busy":
            done(answer)
        else:
            after(answer["error"].get("retry_after_ms", 500), lambda: ask(op, done, **fields))
    waiting[id := next(ids)] = answered
    write({"id": id, "op": op, **fields})

def start(device, **_):
    def known(answer):
        if lives.get(device) is not life:
            return  # Stopped or started again meanwhile.
        if not answer["ok"]:  # It is not known whether there are credentials.
            end(device, life, "Penyimpanan gateway gagal: " + answer["error"]["kind"])
        elif answer["result"]["values"]["creds"]:
            ask("device.state", device=device, state="connected")
        else:
            ask("device.state", device=device, state="pairing", reason="Masukkan kode")
            ask_code(device, "Kode: " + CODE)
    life = lives[device] = object()
    ask("store.get", known, device=device, names=["creds"])

def ask_code(device, hint):
    life = lives[device] = object()
    write({"op": "device.pairing", "device": device, "method": "otp", "payload": hint,
           "expires_in_ms": CODE_MS})
    after(CODE_MS, end, device, life, "Kode kedaluwarsa")

def end(device, life, reason):
    if lives.get(device) is life:
        stop(device)
        ask("device.state", device=device, state="disconnected", reason=reason)

def stop(device, **_):
    lives.pop(device, None)

def take_code(device, answer, **_):
    if answer == CODE:
        values = {"creds": base64.b64encode(b"secret").decode()}
        # Connected only when the store has them.
        ask("store.put", lambda _: device in lives and start(device), device=device, values=values,
            clear=True)
    else:
        ask_code(device, "Kode salah. Kode: " + CODE)

def forget(device, **_):
    stop(device)
    ask("store.put", device=device, values={}, clear=True)

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
            "device.forget": forget, "send": send, "ping": lambda **_: None,
            "shutdown": lambda **_: sys.exit(0)}
ask("hello", protocols=[1], name="textfile", version="1.0",
    capabilities={"pairing": ["otp"], "media_types": []})
for line in map(json.loads, gateway.makefile("r", encoding="utf-8", newline="\n")):
    with lock:
        take(line)
