-- Requests for wrk: POST /v1/messages/bulk, BENCH_EACH messages each; senders and callback URLs take
-- turns. Other variables are those of send.lua.
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

-- Made once, so that wrk itself takes little time. The messages of a request have all senders, as
-- those of a file have.
local requests = {}
function init()
  local each = tonumber(os.getenv("BENCH_EACH"))
  local senders, callbacks = words("BENCH_FROM"), words("BENCH_CALLBACK")
  local seconds = words("BENCH_DELAY")[1]
  for first = 0, 3 do
    local messages = {}
    for turn = first, first + each - 1 do
      local callback = callbacks[turn % math.max(#callbacks, 1) + 1]
      messages[#messages + 1] = '{"to":"6281234567890","from":"' .. senders[turn % #senders + 1]
        .. '","Type":"text","message":'
        .. '"Halo, kode verifikasi Anda adalah 482913. Jangan berikan kepada siapa pun, juga '
        .. 'kepada pegawai kami; kode ini berlaku sepuluh menit."'
        .. (seconds and ',"delay":' .. seconds or "")
        .. (callback and ',"callbackStatus":"' .. callback .. '"' or "") .. '}'
    end
    local body = '{"messages":[' .. table.concat(messages, ",") .. ']}'
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
end

local turn = 0
function request()
  turn = turn % #requests + 1
  return requests[turn]
end

-- The mean time between an answer and the next request. Callers are independent of each other: with
-- equal pauses, those whose bulks were in one commit would ask again at the same moment.
if os.getenv("BENCH_PAUSE") then
  local pause = tonumber(os.getenv("BENCH_PAUSE"))
  function delay()
    return math.random(0, 2 * pause)
  end
end
