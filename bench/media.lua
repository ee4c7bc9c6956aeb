-- Requests for wrk: POST /v1/send of revision A with media; the senders take turns.
-- BENCH_KEY; BENCH_FROM: numbers, separated by blanks; BENCH_MEDIA: a URL, or the prefix of many.
-- BENCH_DISTINCT: "1" gives each message a different URL.
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
