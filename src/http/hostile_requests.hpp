// Requests that must be refused, with the status for each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace merpati::http::testing {

using namespace std::string_literals;

struct HostileRequest {
    std::string_view why;
    std::string bytes;
    std::uint16_t status = 400;
};

inline std::string with_field(std::string_view field) {
    return "POST /echo HTTP/1.1\r\nHost: a\r\n" + std::string{field} + "\r\n\r\n";
}
inline std::string with_line(std::string_view line) {
    return std::string{line} + "\r\nHost: a\r\n\r\n";
}
inline std::string with_chunks(std::string_view chunks) {
    return with_field("Transfer-Encoding: chunked") + std::string{chunks};
}
inline std::string repeated(std::string_view text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

/// The body's length twice, in two ways, or not as a number.
inline std::vector<HostileRequest> ambiguous_lengths() {
    return {
        {"length beside chunks", with_field("Content-Length: 5\r\nTransfer-Encoding: chunked")},
        {"chunks beside length", with_field("Transfer-Encoding: chunked\r\nContent-Length: 5")},
        {"length 0 beside chunks", with_field("Content-Length: 0\r\nTransfer-Encoding: chunked")},
        {"length twice", with_field("Content-Length: 5\r\nContent-Length: 6")},
        {"the same length twice", with_field("Content-Length: 5\r\nContent-Length: 5")},
        {"length twice in other cases", with_field("Content-Length: 5\r\ncontent-length: 5")},
        {"list of equal lengths", with_field("Content-Length: 5, 5")},
        {"list of lengths", with_field("Content-Length: 5,6")},
        {"list with an empty end", with_field("Content-Length: 5,")},
        {"signed length", with_field("Content-Length: +5")},
        {"negative length", with_field("Content-Length: -5")},
        {"negative zero", with_field("Content-Length: -0")},
        {"hexadecimal length", with_field("Content-Length: 0x5")},
        {"length in hex digits", with_field("Content-Length: a")},
        {"length with a fraction", with_field("Content-Length: 5.0")},
        {"length with an exponent", with_field("Content-Length: 5e0")},
        {"empty length", with_field("Content-Length:")},
        {"blank length", with_field("Content-Length:   ")},
        {"length with a space inside", with_field("Content-Length: 5 5")},
        {"length with a tab inside", with_field("Content-Length: 1\t0")},
        {"quoted length", with_field("Content-Length: \"5\"")},
        {"length with a semicolon", with_field("Content-Length: 5;")},
        {"length with a letter", with_field("Content-Length: 5b")},
        {"length in other digits", with_field("Content-Length: \xd9\xa5")},
        {"length with a form feed", with_field("Content-Length: \f5")},
        {"length beyond 64 bits", with_field("Content-Length: 18446744073709551621")},
        {"length of 40 digits", with_field("Content-Length: " + repeated("9", 40))},
        {"length over the limit", with_field("Content-Length: 65537"), 413},
        {"length of 2^63", with_field("Content-Length: 9223372036854775808"), 413},
    };
}

/// Transfer-Encoding that other software may read differently.
inline std::vector<HostileRequest> odd_encodings() {
    return {
        {"chunked twice", with_field("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")},
        {"chunked listed twice", with_field("Transfer-Encoding: chunked, chunked")},
        {"identity", with_field("Transfer-Encoding: identity")},
        {"gzip", with_field("Transfer-Encoding: gzip")},
        {"gzip, chunked", with_field("Transfer-Encoding: gzip, chunked")},
        {"chunked, gzip", with_field("Transfer-Encoding: chunked, gzip")},
        {"chunked, identity", with_field("Transfer-Encoding: chunked, identity")},
        {"identity, then chunked",
         with_field("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked")},
        {"empty encoding", with_field("Transfer-Encoding:")},
        {"empty list elements", with_field("Transfer-Encoding: ,chunked")},
        {"trailing comma", with_field("Transfer-Encoding: chunked,")},
        {"misspelled", with_field("Transfer-Encoding: xchunked")},
        {"cut short", with_field("Transfer-Encoding: chunke")},
        {"quoted", with_field("Transfer-Encoding: \"chunked\"")},
        {"with a parameter", with_field("Transfer-Encoding: chunked;q=1")},
        {"with a vertical tab", with_field("Transfer-Encoding: \vchunked")},
        {"with a byte above 127", with_field("Transfer-Encoding: \xff"
                                             "chunked")},
        {"with a NUL", with_field("Transfer-Encoding: chunked\0"s)},
        {"in HTTP/1.0",
         "POST /echo HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    };
}

/// Lines and fields that RFC 9112 section 5 does not allow.
inline std::vector<HostileRequest> malformed_fields() {
    return {
        {"space before the colon", with_field("Content-Length : 5")},
        {"tab before the colon", with_field("Content-Length\t: 5")},
        {"space before the colon of chunks", with_field("Transfer-Encoding : chunked")},
        {"folded line", with_field("X-A: one\r\n two")},
        {"line folded by a tab", with_field("X-A: one\r\n\ttwo")},
        {"folded encoding", with_field("Transfer-Encoding:\r\n chunked")},
        {"fold of nothing", with_field("X-A: one\r\n ")},
        {"fold before the first field", "GET / HTTP/1.1\r\n X-A: 1\r\nHost: a\r\n\r\n"},
        {"bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n"},
        {"bare LF after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n"},
        {"bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n"},
        {"LF in the empty line", "GET / HTTP/1.1\r\nHost: a\r\n\n"},
        {"bare LF in a value", with_field("X-A: one\nX-B: two")},
        {"bare CR in a value", with_field("X-A: one\rX-B: two")},
        {"CR before CR LF", with_field("X-A: one\r")},
        {"CR in a name", with_field("X\rA: one")},
        {"NUL in a value", with_field("X-A: o\0ne"s)},
        {"NUL in a name", with_field("X\0A: one"s)},
        {"DEL in a value", with_field("X-A: o\x7fne")},
        {"bell in a value", with_field("X-A: \a")},
        {"escape in a value", with_field("X-A: \x1b[2J")},
        {"no colon", with_field("X-A one")},
        {"no name", with_field(": one")},
        {"space in a name", with_field("X A: one")},
        {"name in brackets", with_field("X[A]: one")},
        {"name in quotes", with_field("\"X\": one")},
        {"slash in a name", with_field("X/A: one")},
        {"name above 127", with_field("X\xc3\xa4: one")},
        {"field cut short by the end", "GET / HTTP/1.1\r\nHost\r\n\r\n"},
        {"too many fields", "GET / HTTP/1.1\r\nHost: a\r\n" + repeated("X: y\r\n", 64) + "\r\n",
         431},
        {"fields too large", with_field("X-A: " + repeated("x", 17000)), 431},
        {"many large fields", with_field("A: b" + repeated("\r\nX: " + repeated("x", 1000), 17)),
         431},
        {"a field that never ends", "GET / HTTP/1.1\r\nX: " + repeated("x", 16500), 431},
    };
}

inline std::vector<HostileRequest> odd_hosts() {
    return {
        {"no host", "GET / HTTP/1.1\r\n\r\n"},
        {"no host among others", "GET / HTTP/1.1\r\nX-A: b\r\nAccept: */*\r\n\r\n"},
        {"two hosts", with_field("Host: b")},
        {"the same host twice", with_field("Host: a")},
        {"two hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"},
        {"host list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"},
        {"host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"},
        {"host with user info", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"},
        {"host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"},
        {"host with a tag", "GET / HTTP/1.1\r\nHost: <a>\r\n\r\n"},
        {"host with a byte above 127", "GET / HTTP/1.1\r\nHost: \xc3\xa4\r\n\r\n"},
    };
}

inline std::vector<HostileRequest> odd_request_lines() {
    return {
        {"no version", with_line("GET /")},
        {"HTTP/0.9", "GET /\r\n\r\n"},
        {"only a method", with_line("GET")},
        {"empty target", with_line("GET  HTTP/1.1")},
        {"two spaces before the version", with_line("GET /  HTTP/1.1")},
        {"space at the end", with_line("GET / HTTP/1.1 ")},
        {"space at the beginning", with_line(" GET / HTTP/1.1")},
        {"tab instead of a space", with_line("GET\t/\tHTTP/1.1")},
        {"space in the target", with_line("GET /a b HTTP/1.1")},
        {"tab in the target", with_line("GET /a\tb HTTP/1.1")},
        {"NUL in the target", with_line("GET /\0 HTTP/1.1"s)},
        {"CR in the target", with_line("GET /\r HTTP/1.1")},
        {"byte above 127 in the target", with_line("GET /\xc3\xa4 HTTP/1.1")},
        {"fragment in the target", with_line("GET /a#b HTTP/1.1")},
        {"relative target", with_line("GET a HTTP/1.1")},
        {"backslash instead of a path", with_line("GET \\a HTTP/1.1")},
        {"star for GET", with_line("GET * HTTP/1.1")},
        {"authority for GET", with_line("GET a:80 HTTP/1.1")},
        {"tunnel", with_line("CONNECT a:80 HTTP/1.1")},
        {"other scheme", with_line("GET ftp://a/ HTTP/1.1")},
        {"URL without a host", with_line("GET http:///a HTTP/1.1")},
        {"URL with user info", with_line("GET http://u@a/ HTTP/1.1")},
        {"method with a control character", with_line("G\x01T / HTTP/1.1")},
        {"method in brackets", with_line("<GET> / HTTP/1.1")},
        {"method above 127", with_line("\xc3\xa4 / HTTP/1.1")},
        {"lower case protocol", with_line("GET / http/1.1")},
        {"other protocol", with_line("GET / ICAP/1.0")},
        {"version without a dot", with_line("GET / HTTP/11")},
        {"version with a long minor", with_line("GET / HTTP/1.10")},
        {"version with a letter", with_line("GET / HTTP/1.x")},
        {"version with a sign", with_line("GET / HTTP/+1.1")},
        {"HTTP/1.2", with_line("GET / HTTP/1.2"), 505},
        {"HTTP/2.0", with_line("GET / HTTP/2.0"), 505},
        {"HTTP/0.9 said", with_line("GET / HTTP/0.9"), 505},
        {"HTTP/3.0", with_line("GET / HTTP/3.0"), 505},
        {"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"LF first", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"TLS to a plain port", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s},
        {"a response", "HTTP/1.1 200 OK\r\nHost: a\r\n\r\n"},
        {"colon only", ":\r\n\r\n"},
        {"line too long", with_line("GET /" + repeated("x", 8200) + " HTTP/1.1"), 414},
        {"line that never ends", "GET /" + repeated("x", 9000), 414},
    };
}

/// Requests that break two rules: the pieces in which they arrive must not decide which is told.
inline std::vector<HostileRequest> twice_wrong() {
    const std::string long_line = "GET /" + repeated("x", 8200) + " HTTP/1.1";
    const std::string long_field = "X: " + repeated("y", 17'000);
    const std::string first_line = "GET / HTTP/1.1\r\nHost: a\r\n";
    return {
        {"line too long that ends in LF", long_line + "\nHost: a\r\n\r\n", 414},
        {"line too long with a CR inside", "GET /\r" + repeated("x", 8200) + "\r\n", 414},
        {"line too long after a CR", "\r" + long_line + "\r\n\r\n"},
        {"line too long of a wrong version", with_line(long_line + "2"), 414},
        {"line one byte too long that ends in LF", repeated("G", 8193) + "\n", 414},
        {"longest line that ends in LF", repeated("G", 8192) + "\n"},
        {"fields too large that end in LF", first_line + long_field + "\n\r\n", 431},
        {"fields too large without a colon", first_line + repeated("y", 17'000) + "\r\n\r\n", 431},
        {"folded line too large", first_line + " " + long_field + "\r\n\r\n"},
        {"one field too many that ends in LF", first_line + repeated("X: y\r\n", 64) + "X: y\n",
         431},
        {"one field too many that is folded", first_line + repeated("X: y\r\n", 63) + " X: y\r\n"},
        {"fields too large without a host", "GET / HTTP/1.1\r\n" + long_field + "\r\n\r\n", 431},
        {"fields too large and a body too large",
         "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\n" + long_field + "\r\n\r\n", 431},
    };
}

inline std::vector<HostileRequest> malformed_chunks() {
    return {
        {"no size", with_chunks("\r\nabc\r\n0\r\n\r\n")},
        {"size with a sign", with_chunks("+3\r\nabc\r\n0\r\n\r\n")},
        {"negative size", with_chunks("-3\r\nabc\r\n0\r\n\r\n")},
        {"size with a prefix", with_chunks("0x3\r\nabc\r\n0\r\n\r\n")},
        {"size that is no number", with_chunks("g\r\n")},
        {"space before the size", with_chunks(" 3\r\nabc\r\n0\r\n\r\n")},
        {"space after the size", with_chunks("3 \r\nabc\r\n0\r\n\r\n")},
        {"tab after the size", with_chunks("3\t\r\nabc\r\n0\r\n\r\n")},
        {"size with a separator", with_chunks("1_0\r\n")},
        {"size of nine digits", with_chunks("000000003\r\nabc\r\n0\r\n\r\n")},
        {"size beyond 64 bits", with_chunks("10000000000000003\r\nabc")},
        {"size over the limit", with_chunks("10001\r\n"), 413},
        {"largest size", with_chunks("ffffffff\r\n"), 413},
        {"chunks over the limit together",
         with_chunks("ffff\r\n" + repeated("x", 65535) + "\r\n2\r\n"), 413},
        {"LF after the size", with_chunks("3\nabc\r\n0\r\n\r\n")},
        {"CR after the size", with_chunks("3\rabc\r\n0\r\n\r\n")},
        {"nothing after the data", with_chunks("3\r\nabc0\r\n\r\n")},
        {"LF after the data", with_chunks("3\r\nabc\n0\r\n\r\n")},
        {"data longer than its size", with_chunks("3\r\nabcd\r\n0\r\n\r\n")},
        {"data shorter than its size", with_chunks("3\r\nab\r\n0\r\n\r\n")},
        {"LF in an extension", with_chunks("3;a=\"\n\"\r\nabc\r\n0\r\n\r\n")},
        {"CR in an extension", with_chunks("3;a\rb\r\nabc\r\n0\r\n\r\n")},
        {"NUL in an extension", with_chunks("3;\0\r\nabc\r\n0\r\n\r\n"s)},
        {"endless extension", with_chunks("3;" + repeated("x", 4097))},
        {"endless extensions", with_chunks(repeated("1;" + repeated("x", 400) + "\r\na\r\n", 11))},
        {"endless trailers", with_chunks("0\r\n" + repeated("X-A: b\r\n", 600))},
        {"folded trailer", with_chunks("0\r\nX-A: b\r\n c\r\n\r\n")},
        {"trailer without a colon", with_chunks("0\r\nX-A\r\n\r\n")},
        {"trailer without a name", with_chunks("0\r\n: b\r\n\r\n")},
        {"trailer with a space in its name", with_chunks("0\r\nX A: b\r\n\r\n")},
        {"NUL in a trailer", with_chunks("0\r\nX-A: \0\r\n\r\n"s)},
        {"LF after a trailer", with_chunks("0\r\nX-A: b\n\r\n")},
        {"LF at the end", with_chunks("0\r\n\n")},
        {"CR without LF at the end", with_chunks("0\r\n\rX")},
    };
}

inline std::vector<HostileRequest> hostile_requests() {
    std::vector<HostileRequest> all;
    for (auto rows : {ambiguous_lengths(), odd_encodings(), malformed_fields(), odd_hosts(),
                      odd_request_lines(), twice_wrong(), malformed_chunks()}) {
        all.insert(all.end(), std::make_move_iterator(rows.begin()),
                   std::make_move_iterator(rows.end()));
    }
    return all;
}

}  // namespace merpati::http::testing
