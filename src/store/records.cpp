#include "store/records.hpp"

namespace merpati::store {
namespace {

using Kind = DirectoryRow::Kind;

struct Place {
    std::optional<DirectoryRow> operator()(const model::Account& account) const {
        return DirectoryRow{.kind = Kind::account, .id = account.id.value};
    }
    std::optional<DirectoryRow> operator()(const model::ApiKey& key) const {
        return DirectoryRow{.kind = Kind::key, .id = key.id.value};
    }
    std::optional<DirectoryRow> operator()(const KeyRemoved& removed) const {
        return (*this)(removed.key);
    }
    std::optional<DirectoryRow> operator()(const DeviceWritten& written) const {
        return DirectoryRow{.kind = Kind::device, .id = written.device.number.value()};
    }
    std::optional<DirectoryRow> operator()(const DeviceRemoved& removed) const {
        return DirectoryRow{.kind = Kind::device, .id = removed.device.number.value()};
    }
    std::optional<DirectoryRow> operator()(const model::Person& person) const {
        return DirectoryRow{.kind = Kind::person, .id = person.id.value};
    }
    std::optional<DirectoryRow> operator()(const PersonRemoved& removed) const {
        return (*this)(removed.person);
    }
    std::optional<DirectoryRow> operator()(const model::Session& session) const {
        return DirectoryRow{.kind = Kind::session, .id = session.id.value};
    }
    std::optional<DirectoryRow> operator()(const SessionEnded& ended) const {
        return (*this)(ended.session);
    }
    // Not in the directory.
    std::optional<DirectoryRow> operator()(const model::Callback& /*callback*/) const { return {}; }
    std::optional<DirectoryRow> operator()(const InvitationChanged& /*changed*/) const {
        return {};
    }
    std::optional<DirectoryRow> operator()(const CampaignWritten& /*written*/) const { return {}; }
    std::optional<DirectoryRow> operator()(const CampaignRemoved& /*removed*/) const { return {}; }
};

}  // namespace

std::optional<DirectoryRow> directory_row_of(const RowChange& change) {
    return std::visit(Place{}, change);
}

}  // namespace merpati::store
