// What Store hides: its connection, and what it remembers between calls.
#pragma once

#include <memory>

#include "store/connection.hpp"
#include "store/packing/packing.hpp"
#include "store/packing/prepared.hpp"
#include "store/rows.hpp"
#include "store/writer.hpp"

namespace stackx::store {

struct Store::Database {
  explicit Database(Connection&& opened) : connection(std::move(opened)), writer(connection) {}

  Connection connection;
  Reader reader;
  Writer writer;
};

}  // namespace stackx::store
