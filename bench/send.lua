-- Requests for wrk: POST /v1/send of revision A, or, with BENCH_EACH, POST /v1/messages/bulk with so
-- many messages each; senders, callback URLs and delays take turns.
-- BENCH_KEY. Lists, separated by blanks: BENCH_FROM (numbers), BENCH_CALLBACK (URLs, or ""),
-- BENCH_DELAY (seconds; optional). BENCH_RECIPIENTS (1): so many numbers take turns.
-- BENCH_PAUSE (optional): milliseconds between an answer and the next request of a connection; of
-- bulks the mean.
local function words(name)
  local all = {}
  for word in (os.getenv(name) or ""):gmatch("%S+") do
    all[#all + 1] = word
  end
  return all
end

local headers = {
  ["Content-Type"] = "application/json",
  ["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY"),
}
local senders, callbacks = words("BENCH_FROM"), words("BENCH_CALLBACK")
local delays = words("BENCH_DELAY")
local recipients = tonumber(os.getenv("BENCH_RECIPIENTS") or "1")
local bulk_bodies = 4
local each = tonumber(os.getenv("BENCH_EACH"))

local function message(turn)
  local callback = callbacks[turn % math.max(#callbacks, 1) + 1]
  local seconds = delays[turn % math.max(#delays, 1) + 1]
  local to = string.format("%d", 6281234567890 + turn % recipients)
  return '{"to":"' .. to .. '","from":"' .. senders[turn % #senders + 1]
    .. '","Type":"text","message":'
    .. '"Halo, kode verifikasi Anda adalah 482913. Jangan berikan kepada siapa pun, juga kepada '
    .. 'pegawai kami; kode ini berlaku sepuluh menit."'
    .. (seconds and ',"delay":' .. seconds or "")
    .. (callback and ',"callbackStatus":"' .. callback .. '"' or "") .. '}'
end

-- The messages of a request have all senders, as those of a file have.
local function bulk(first)
  local messages = {}
  for turn = first, first + each - 1 do
    messages[#messages + 1] = message(turn)
  end
  return '{"messages":[' .. table.concat(messages, ",") .. ']}'
end

-- Made once, so that wrk itself takes little time.
local requests = {}
function init()
  local count = each and bulk_bodies or math.max(#senders, #callbacks, #delays, recipients)
  for turn = 0, count - 1 do
    local body = each and bulk(turn) or message(turn)
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
end

local turn = 0
function request()
  turn = turn % #requests + 1
  return requests[turn]
end

if os.getenv("BENCH_PAUSE") then
  local pause = tonumber(os.getenv("BENCH_PAUSE"))
  -- Callers of bulks are independent of each other: with equal pauses, those whose bulks were in one
  -- commit would ask again at the same moment.
  function delay()
    return each and math.random(0, 2 * pause) or pause
  end
end
