-- Sends media for wrk: POST /v1/send of revision A, one sender after another.
-- BENCH_KEY; BENCH_FROM, numbers with blanks between; BENCH_MEDIA: a URL, or the beginning of many.
-- BENCH_DISTINCT: "1" for a URL of its own for every message.
local media = os.getenv("BENCH_MEDIA")
local distinct = os.getenv("BENCH_DISTINCT") == "1"
local headers = {
  ["Content-Type"] = "application/json",
  ["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY"),
}

local senders = {}
for from in os.getenv("BENCH_FROM"):gmatch("%S+") do
  senders[#senders + 1] = from
end

local count = 0
function request()
  count = count + 1
  local url = distinct and media .. count .. ".pdf" or media
  local body = '{"to":"6281234567890","from":"' .. senders[count % #senders + 1]
    .. '","Type":"media","url":"' .. url .. '","message":"struk"}'
  return wrk.format("POST", nil, headers, body)
end
