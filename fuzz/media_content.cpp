// media/sniffer and verdict: only types of the list are accepted, whatever bytes a file begins
// with.
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "media/verdict.hpp"

namespace merpati::fuzz {
namespace {

using media::DeclaredType;
using media::TypeVerdict;

void check_verdict(const DeclaredType& declared, const media::SniffedType& content,
                   model::Revision revision) {
    const auto verdict = media::verdict_on(declared, content, revision);
    const bool accepted = verdict.kind == TypeVerdict::Kind::acceptable;
    check(accepted == !verdict.media_type.empty(), "a file has a type exactly if it is accepted");
    if (accepted) {
        check(media::is_allowed(verdict.media_type, revision), "the revision allows the type");
        check(!declared.stated || declared.type != nullptr, "the declared type is in the list");
    }
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    using merpati::media::Certainty;
    using merpati::media::Sniffer;
    static const auto sniffer = Sniffer::open();
    check(sniffer.has_value(), "libmagic's database opens");
    const auto content = sniffer->sniff(std::as_bytes(std::span{data, size}));
    check((content.certainty == Certainty::sure) == !content.name.empty(),
          "a type is named exactly if it is sure");
    static const auto declarations = [] {
        std::vector<DeclaredType> all{DeclaredType{}, DeclaredType{.stated = true}};
        for (const auto& type : merpati::media::media_types()) {
            all.push_back({.stated = true, .type = &type});
        }
        return all;
    }();
    // A verdict depends on the content's type alone, so each type is judged once.
    static std::set<std::pair<Certainty, std::string>> judged;
    if (!judged.emplace(content.certainty, content.name).second) {
        return 0;
    }
    for (const auto& declared : declarations) {
        check_verdict(declared, content, merpati::model::Revision::a);
        check_verdict(declared, content, merpati::model::Revision::b);
    }
    return 0;
}
