-- Requests for wrk: Kannel's sendsms, with delivery reports to BENCH_CALLBACK.
local function escaped(text)
  return (text:gsub("[^%w]", function(c) return string.format("%%%02X", c:byte()) end))
end

wrk.method = "GET"
wrk.path = "/cgi-bin/sendsms?username=bench&password=bench&from=13013&to=%2B6281234567890"
  .. "&text=" .. escaped("Halo, kode verifikasi Anda adalah 482913. Jangan berikan kepada siapa pun,"
  .. " juga kepada pegawai kami; kode ini berlaku sepuluh menit.")
  .. "&dlr-mask=8&dlr-url=" .. escaped(os.getenv("BENCH_CALLBACK") .. "?id=3f2b8c1e&type=%d")
