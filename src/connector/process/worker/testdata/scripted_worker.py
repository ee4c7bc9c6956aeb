"""A worker for tests: acts out what the end of a recipient or of a device's number asks for."""

import base64
import heapq
import json
import os
import select
import socket
import subprocess
import sys
import time

gateway = socket.socket(fileno=3)
timers, waiting, pairings = [], {}, {}
last_id = 0
capabilities = {
    "pairing": ["qr", "code", "otp", "passkey"],
    "typing": True,
    "recognises_repeats": True,
    "late_statuses": True,
    "media_fetch": True,
    "window": 16,
    "media_types": ["image/png"],
}


def write(line):
    gateway.sendall((json.dumps(line) + "\n").encode())


def ask(op, done=lambda answer: None, **fields):
    """Asks again where the gateway is busy."""
    global last_id
    last_id += 1

    def answered(answer):
        if not answer["ok"] and answer["error"]["kind"] == "busy":
            later(0.01, lambda: ask(op, done, **fields))
        else:
            done(answer)

    waiting[last_id] = answered
    write({"id": last_id, "op": op, **fields})


def later(seconds, act):
    heapq.heappush(timers, (time.monotonic() + seconds, len(timers), act))


def state(device, word, reason=""):
    ask("device.state", device=device, state=word, reason=reason)


def in_bytes(text):
    return base64.b64encode(text.encode()).decode()


def device_start(line):
    device, method = line["device"], line.get("pairing")

    def known(answer):
        if answer["result"]["values"]["creds"] is not None:
            state(device, "connected")
        else:
            pair(device, method or "qr")

    if method is None and "99200" not in device:
        state(device, "connected")
    else:
        ask("store.get", known, device=device, names=["creds"])


def pair(device, method):
    state(device, "pairing", "Menunggu pemasangan")
    write({"op": "device.pairing", "device": device, "method": method, "payload": "petunjuk",
           "expires_in_ms": 60000})
    pairings[device] = method
    if method in ("qr", "code"):
        later(0.01, lambda: paired(device))


def paired(device):
    if pairings.pop(device, None):
        ask("store.put", lambda answer: state(device, "connected"), device=device, clear=True,
            values={"creds": in_bytes("kunci")})


def device_answer(line):
    if line["device"] in pairings:
        paired(line["device"])


def device_forget(line):
    pairings.pop(line["device"], None)
    ask("store.put", device=line["device"], clear=True, values={})


def status(device, platform_id, *words):
    for word in words:
        fields = {"error": {"kind": "refused", "platform_code": "479"}} if word == "failed" else {}
        ask("message.status", device=device, platform_id=platform_id, status=word, **fields)


def send(line):
    device, to, end = line["device"], line["to"], line["to"][-6:]
    platform_id = "E" + line["message"]
    ids = {"device": device, "platform_id": platform_id}

    def answer(**result):
        write({"id": line["id"], "ok": True, "result": {"platform_id": platform_id, **result}})

    def refuse(kind, **more):
        write({"id": line["id"], "ok": False, "error": {"kind": kind, **more}})

    if end == "991001":
        refuse("recipient_unregistered")
    elif end == "995000" and line["attempt"] < 3:
        refuse("unavailable", retry_after_ms=10)
    elif end == "995003" and line["attempt"] == 1:
        refuse("outcome_unknown")
    elif end == "995004" and line["attempt"] == 1:
        os._exit(1)
    elif end == "996000":
        answer(outcome="accepted")
        status(*ids.values(), "sent", "delivered", "read")
    elif end == "996001":
        answer(outcome="accepted")
        status(*ids.values(), "failed")
    elif end == "996002":
        status(*ids.values(), "read", "delivered", "sent")
        answer(outcome="accepted")
    elif end == "996003":
        answer(outcome="accepted")
        status(*ids.values(), *["sent", "delivered", "read"] * 3)
    elif end == "997000":
        answer(outcome="sent")
        ask("message.in", device=device, platform_id="I" + platform_id, type="text", text="halo",
            **{"from": to})
    elif line["attempt"] > 1 or not misbehave(end, line):
        answer(outcome="sent", details=json.dumps(line.get("media", "")))


def hoard():
    memory = bytearray(300 << 20)
    memory[::4096] = b"x" * len(memory[::4096])
    time.sleep(600)


def misbehave(end, line):
    if end == "998001":
        gateway.sendall(b"this is no JSON\n")
    elif end == "998002":
        gateway.sendall(b"x" * 2_000_000)
    elif end == "998003":
        for number in range(8_000):
            write({"id": 1_000_000 + number, "op": "message.in", "device": line["device"],
                   "platform_id": f"F{number}", "type": "text", "text": "banjir",
                   "from": "6281234567890"})
        return False
    elif end == "998004":
        time.sleep(600)
    elif end == "998005":
        write({"id": 987654, "ok": True, "result": {"outcome": "sent"}})
        state("6281999999999", "banned", "palsu")
        write({"op": "capabilities", "capabilities": {**capabilities, "window": 7}})
        return False
    elif end == "998006":
        hoard()
    elif end == "998011":
        for _ in range(2):
            hold = "import time; memory = b'x' * (150 << 20); time.sleep(600)"
            subprocess.Popen([sys.executable, "-c", hold])
    elif end == "998007":
        pass
    elif end == "998012":
        # More lines than the gateway takes in a second, then the answer, then the end.
        answer = json.dumps({"id": line["id"], "ok": True, "result": {"outcome": "sent"}})
        gateway.sendall(b'{"op":"nothing"}\n' * 6_000 + answer.encode() + b"\n")
        os._exit(0)
    elif end == "998014":
        time.sleep(1)
        return False
    elif end == "998008":
        write({"id": line["id"], "ok": True, "result": {"outcome": "maybe"}})
    elif end == "998009":
        for number in range(10_000):
            print("output", number)
        sys.stdout.flush()
        return False
    elif end == "998010":
        details = json.dumps({"environment": dict(os.environ), "folder": os.getcwd(),
                              "files": sorted(os.listdir("/proc/self/fd"))})
        write({"id": line["id"], "ok": True, "result": {"outcome": "sent", "details": details}})
    else:
        return False
    return True


def media_fetch(line):
    if line["reference"] == "hang":
        return
    if line["reference"] == "gone":
        error = {"kind": "not_found", "details": "kata pekerja", "platform_code": "404"}
        write({"id": line["id"], "ok": False, "error": error})
        return
    with open(line["path"], "wb") as file:
        file.write(b"x" * min(5, line["bytes_max"]))
    bytes_said = "many" if line["reference"] == "nonsense" else 5
    write({"id": line["id"], "ok": True, "result": {"bytes": bytes_said}})


def handle(line):
    if "ok" in line:
        waiting.pop(line["id"], lambda answer: None)(line)
        return
    if line["op"] in ("send", "media.fetch"):
        {"send": send, "media.fetch": media_fetch}[line["op"]](line)
        return
    write({"id": line["id"], "ok": True})
    {"device.start": device_start, "device.answer": device_answer,
     "device.forget": device_forget, "shutdown": lambda line: sys.exit(0)}.get(
         line["op"], lambda line: None)(line)


if len(sys.argv) > 1 and sys.argv[1] == "--refuse":
    print("a library is missing", file=sys.stderr)
    sys.exit(78)
if len(sys.argv) > 1 and sys.argv[1] == "--hoard":
    hoard()
ask("hello", protocols=[1, 2], name="scripted", version="1", capabilities=capabilities)
buffer = b""
while True:
    wait = max(0, timers[0][0] - time.monotonic()) if timers else None
    if select.select([gateway], [], [], wait)[0]:
        piece = gateway.recv(65536)
        if not piece:
            sys.exit(0)
        *lines, buffer = (buffer + piece).split(b"\n")
        for one in lines:
            handle(json.loads(one))
    while timers and timers[0][0] <= time.monotonic():
        heapq.heappop(timers)[2]()
