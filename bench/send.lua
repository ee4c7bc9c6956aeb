-- Sends for wrk: POST /v1/send of revision A, one sender after another.
-- BENCH_KEY; BENCH_FROM, numbers with blanks between; BENCH_CALLBACK or ""; BENCH_DELAY or nothing.
local extra = ""
if os.getenv("BENCH_DELAY") then
  extra = extra .. ',"delay":' .. os.getenv("BENCH_DELAY")
end
if os.getenv("BENCH_CALLBACK") ~= "" then
  extra = extra .. ',"callbackStatus":"' .. os.getenv("BENCH_CALLBACK") .. '"'
end

local headers = {
  ["Content-Type"] = "application/json",
  ["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY"),
}

-- Made once: wrk shall not be the one that is measured.
local requests = {}
function init()
  for from in os.getenv("BENCH_FROM"):gmatch("%S+") do
    local body = '{"to":"6281234567890","from":"' .. from .. '","Type":"text","message":'
      .. '"Halo, kode verifikasi Anda adalah 482913. Jangan berikan kepada siapa pun, juga kepada '
      .. 'pegawai kami; kode ini berlaku sepuluh menit."' .. extra .. '}'
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
end

local turn = 0
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
