-- Requests for wrk: POST /v1/send of revision A; senders, callback URLs and delays take turns.
-- BENCH_KEY. Lists, separated by blanks: BENCH_FROM (numbers), BENCH_CALLBACK (URLs, or ""),
-- BENCH_DELAY (seconds; optional). BENCH_PAUSE (optional): milliseconds between an answer and the
-- next request of a connection.
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

-- Made once, so that wrk itself takes little time.
local requests = {}
function init()
  local senders, callbacks = words("BENCH_FROM"), words("BENCH_CALLBACK")
  local delays = words("BENCH_DELAY")
  for turn = 0, math.max(#senders, #callbacks, #delays) - 1 do
    local callback = callbacks[turn % math.max(#callbacks, 1) + 1]
    local seconds = delays[turn % math.max(#delays, 1) + 1]
    local body = '{"to":"6281234567890","from":"' .. senders[turn % #senders + 1]
      .. '","Type":"text","message":'
      .. '"Halo, kode verifikasi Anda adalah 482913. Jangan berikan kepada siapa pun, juga kepada '
      .. 'pegawai kami; kode ini berlaku sepuluh menit."'
      .. (seconds and ',"delay":' .. seconds or "")
      .. (callback and ',"callbackStatus":"' .. callback .. '"' or "") .. '}'
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
  function delay()
    return pause
  end
end
