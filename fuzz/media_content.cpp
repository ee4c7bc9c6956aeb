// media/sniffer and judge: whatever a file begins with, what is accepted is a type of the list.
#include <span>
#include <vector>

#include "check.hpp"
#include "media/judge.hpp"

namespace merpati::fuzz {
namespace {

using media::Declared;
using media::Judgement;

void check_judgement(const Declared& declared, const media::Sniffed& content,
                     model::Revision revision) {
    const auto judgement = media::judge(declared, content, revision);
    const bool accepted = judgement.kind == Judgement::Kind::acceptable;
    check(accepted == !judgement.mime.empty(), "a file has a type exactly if it is accepted");
    if (accepted) {
        check(media::is_allowed(judgement.mime, revision), "the revision allows the type");
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
    check((content.certainty == Certainty::sure) == !content.type.empty(),
          "a type is named exactly if it is sure");
    static const auto declarations = [] {
        std::vector<Declared> all{Declared{}, Declared{.stated = true}};
        for (const auto& type : merpati::media::types()) {
            all.push_back({.stated = true, .type = &type});
        }
        return all;
    }();
    for (const auto& declared : declarations) {
        check_judgement(declared, content, merpati::model::Revision::a);
        check_judgement(declared, content, merpati::model::Revision::b);
    }
    return 0;
}
