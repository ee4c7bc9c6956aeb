#include "media/facts.hpp"

#include <charconv>

#include "media/judge.hpp"

namespace merpati::media {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
    return whole ? std::optional{value} : std::nullopt;
}

/// "bytes 0-65535/1234567", or "*" for a size that is not known (RFC 9110, 14.4).
std::optional<std::uint64_t> whole_size(const outbound::Response& head) {
    if (head.status != 206) {
        return number(head.header("content-length"));
    }
    const auto range = head.header("content-range");
    const auto slash = range.rfind('/');
    return slash == std::string_view::npos ? std::nullopt : number(range.substr(slash + 1));
}

}  // namespace

Facts facts_of(const outbound::Response& head) {
    return {.declared = Declared::of(head.header("content-type")), .bytes = whole_size(head)};
}

bool is_refused_by_head(const Facts& facts, std::uint64_t bytes_max) {
    const bool outside_the_list = facts.declared.stated && facts.declared.type == nullptr;
    return outside_the_list || facts.bytes.value_or(0) > bytes_max;
}

ProbeVerdict verdict_of(const Facts& facts, model::Revision revision, std::uint64_t bytes_max) {
    if (facts.inaccessible) {
        return ProbeVerdict::inaccessible;
    }
    const auto judgement = judge(facts.declared, facts.content.value_or(Sniffed{}), revision);
    if (judgement.kind == Judgement::Kind::declared_type_refused) {
        return ProbeVerdict::declared_type_refused;
    }
    if (facts.bytes.value_or(0) > bytes_max) {
        return ProbeVerdict::too_large;
    }
    return judgement.kind == Judgement::Kind::acceptable ? ProbeVerdict::acceptable
                                                         : ProbeVerdict::content_type_refused;
}

}  // namespace merpati::media
