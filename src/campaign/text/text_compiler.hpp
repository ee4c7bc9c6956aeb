// Connects a campaign's texts with the columns of its audience.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/problem.hpp"
#include "campaign/text/text_parts.hpp"

namespace merpati::campaign {

/// Parses texts, finds the sources of their placeholders, and collects what is wrong.
///
/// `number` and `optout_url` are always what they say, and hide columns of these names. `name` is
/// known without a column, but then has no value.
class TextCompiler {
public:
    explicit TextCompiler(std::span<const std::string> columns);

    /// `first_index`: of the text's first draw; set to the one after its last.
    [[nodiscard]] TextSequence compile(std::string_view source, std::uint32_t& first_index);
    [[nodiscard]] Placeholder column(std::string_view name);

    /// In the order in which they were met; unknown columns by name, after the others.
    [[nodiscard]] std::vector<Problem> problems() const;

private:
    void connect(TextSequence& parts);
    void connect(Placeholder& placeholder);
    [[nodiscard]] bool is_known(std::string_view key) const;
    [[nodiscard]] std::string columns_text() const;

    std::span<const std::string> columns_;
    std::map<std::string, std::size_t, std::less<>> by_key_;
    std::vector<Problem> problems_;
    std::map<std::string, std::int64_t, std::less<>> unknown_;  // Names, and how often they stand.
};

/// Whether each text that can be made from the parts has the link to opt out.
[[nodiscard]] bool always_has_optout_url(const TextSequence& parts);

/// Whether one of them can have it.
[[nodiscard]] bool may_have_optout_url(const TextSequence& parts);

}  // namespace merpati::campaign
