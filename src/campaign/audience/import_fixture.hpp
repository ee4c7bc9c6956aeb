// A store with one account, into which tests import lists.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "campaign/audience/upload.hpp"
#include "store/campaigns.hpp"
#include "store/conformance/repeating_store.hpp"
#include "store/contacts.hpp"
#include "store/reader.hpp"
#include "store/reader_pool.hpp"
#include "store/store.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::campaign {

struct ImportTest : ::testing::Test {
    ImportTest() {
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            auto created = tables.create_account({.name = "Toko", .created_at = clock.now()});
            account = created.value_or(model::AccountId{});
            return created ? Result<void>{} : pass(created);
        }));
    }

    Result<void> change(std::move_only_function<Result<void>(store::Tables&)> run) {
        store::WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        ++changes;
        if (auto written = store->write(batch); !written) {
            return written;
        }
        return std::move(batch.changes.front().result);
    }

    template <class Act>
    void campaigns(Act act) {
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            act(tables.campaigns());
            return {};
        }));
    }

    template <class Act>
    void contacts(Act act) {
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            act(tables.contacts());
            return {};
        }));
    }

    template <class Ask>
    auto read(Ask ask) {
        auto reader = store->open_reader();
        auto found = ask(**reader);
        EXPECT_TRUE(found);
        return found ? std::move(*found) : typename decltype(found)::value_type{};
    }

    void suppress(std::int64_t number) {
        contacts([&](store::ContactTables& tables) {
            EXPECT_TRUE(tables.put_suppression({.account = account,
                                                .number = model::PhoneNumber::from_stored(number),
                                                .reason = model::SuppressionReason::opt_out,
                                                .at = clock.now()}));
        });
    }

    void put_contact(model::Contact contact) {
        contact.account = account;
        contacts([&](store::ContactTables& tables) { EXPECT_TRUE(tables.put_contact(contact)); });
    }

    testing::ManualClock clock;
    testing::TemporaryFolder folder;
    std::unique_ptr<store::Store> store =
        store::open_repeating_store({.url = "sqlite:" + folder.file("merpati.db")});
    model::AccountId account;
    int changes = 0;
    std::function<void()> before_change;  // Called before each change of an import.
    Uploads uploads;
    store::ReaderPool readers{*store};
    ImportRooms rooms{.clock = clock,
                      .change =
                          [this](auto run) {
                              if (before_change) {
                                  std::function<void()>{before_change}();
                              }
                              return change(std::move(run));
                          },
                      .readers = readers,
                      .uploads = uploads};
};

}  // namespace merpati::campaign
