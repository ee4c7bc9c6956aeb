// The form of a request that is passed on, and of its answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forwarding/node_secret.hpp"
#include "forwarding/owner.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "http/router.hpp"
#include "outbound/response.hpp"

namespace merpati::forwarding {

inline constexpr std::string_view caller_header = "Merpati-Caller";
inline constexpr std::string_view proof_header = "Merpati-Proof";

/// Answered to a request that has not the nodes' proof.
inline constexpr std::uint16_t not_here_status = 421;
/// Of the answer of a node that does not work for what it was handed, whatever the status is.
/// Nothing was done then.
inline constexpr std::string_view not_here_header = "merpati-not-here";
/// With `not_here_header`: the shard to which the request belongs.
inline constexpr std::string_view shard_header = "merpati-shard";

/// The body of a server's own 503, before a request was carried out: it ends, or has no room.
inline constexpr std::string_view not_taken_body = "not taken";
/// As `usual`, but for 503. For servers that take what other nodes pass on.
[[nodiscard]] http::RefusalBody refusal_to_nodes(http::RefusalBody usual);

/// The method that is passed on: HEAD is asked as GET, whose body the first node leaves out.
[[nodiscard]] std::string_view passed_method(http::Method method) noexcept;
/// Path and query.
[[nodiscard]] std::string target_of(const http::Request& request);

/// The head without what follows of the body's framing: the headers as they came, except those of
/// one connection, and who the caller is, with its proof.
[[nodiscard]] std::string head_of(const http::Request& request, const NodeSecret& secret);

/// The end of the head, and the body.
void append_whole(std::string& head, std::string_view body);
/// The end of the head, and the begin of a body that follows in chunks.
void append_begun(std::string& head, std::string_view begun);

/// The shard in a header's value. Empty: it is none.
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text);

/// Whether the answer's head says that its body has no more bytes than that.
[[nodiscard]] bool has_body_within(const outbound::Response& response, std::size_t bytes_max);

/// Status and headers of an answer, without those that this node's connection adds.
[[nodiscard]] http::Reply reply_of(const outbound::Response& response);

}  // namespace merpati::forwarding
