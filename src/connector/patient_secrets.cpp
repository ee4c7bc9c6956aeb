#include "connector/patient_secrets.hpp"

namespace merpati::connector {
namespace {

template <class T>
bool was_busy(const Result<T>& result) {
    return !result && is_passing(result.error().code);
}

}  // namespace

void PatientSecrets::get(const DeviceRef& device, std::vector<std::string> names, Wanted wanted,
                         DeviceSecrets::Got got) {
    auto asked = names;
    secrets_->get(device, std::move(asked), DeviceSecrets::get_bytes_max,
                  [this, device, names = std::move(names), wanted = std::move(wanted),
                   got = std::move(got)](Result<DeviceSecrets::Values> values) mutable {
                      if (!was_busy(values)) {
                          got(std::move(values));
                          return;
                      }
                      later_([this, device, names = std::move(names), wanted = std::move(wanted),
                              got = std::move(got)]() mutable {
                          if (wanted()) {
                              get(device, std::move(names), std::move(wanted), std::move(got));
                          }
                      });
                  });
}

void PatientSecrets::put(const DeviceRef& device, DeviceSecrets::Values values, Wanted wanted,
                         ConnectorEvents::Stored stored) {
    auto copy = values;
    secrets_->put(device, std::move(copy), DeviceSecrets::Others::stay,
                  [this, device, values = std::move(values), wanted = std::move(wanted),
                   stored = std::move(stored)](Result<void> done) mutable {
                      if (!was_busy(done)) {
                          stored(std::move(done));
                          return;
                      }
                      later_([this, device, values = std::move(values), wanted = std::move(wanted),
                              stored = std::move(stored)]() mutable {
                          if (wanted()) {
                              put(device, std::move(values), std::move(wanted), std::move(stored));
                          }
                      });
                  });
}

}  // namespace merpati::connector
