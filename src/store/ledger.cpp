#include "store/ledger.hpp"

namespace merpati::store {

std::string_view to_string(LedgerEntry::Kind kind) noexcept {
    switch (kind) {
        case LedgerEntry::Kind::opening:
            return "opening";
        case LedgerEntry::Kind::messages:
            return "messages";
        case LedgerEntry::Kind::topup:
            return "topup";
        case LedgerEntry::Kind::deduction:
            return "deduction";
        case LedgerEntry::Kind::set:
            return "set";
        case LedgerEntry::Kind::reserved:
            return "reserved";
        case LedgerEntry::Kind::released:
            return "released";
    }
    return "";
}

}  // namespace merpati::store
