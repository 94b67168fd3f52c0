// What the named questions share.
#pragma once

#include <map>
#include <memory>

#include "analysis/questions/questions.hpp"
#include "analysis/ranking/amount_remark.hpp"
#include "analysis/ranking/rates.hpp"

namespace stackx::analysis {

// The inspections of a series, and their rates, as analysis/ranking/rates.hpp has them; sentinels left out.
class SeriesRates {
 public:
  SeriesRates(const store::Questions& store, const store::SeriesSums& series, const specs::Yardstick& yardstick);
  // Of at most so many: of more a sample, in rounds that two series of a campaign share.
  SeriesRates(const store::Questions& store, const store::SeriesSums& series, const specs::Yardstick& yardstick, std::uint64_t most);
  const StackRates& rates() const { return *rates_; }
  const std::vector<store::Measurement>& all() const { return *measurements_; }

 private:
  SeriesRates(std::vector<store::Measurement> measurements, const store::SeriesSums& series, const specs::Yardstick& yardstick);
  std::unique_ptr<std::vector<store::Measurement>> measurements_;  // rates_ points into them
  std::unique_ptr<StackRates> rates_;
};

// `unit`: of the series, as its sums have it.
StackRates rates_of(const std::vector<const store::Measurement*>& measurements, const specs::Yardstick& yardstick,
                    const std::string& unit);

inline constexpr std::uint64_t compared = 500;  // inspections of a series, at most, where its sums do not tell

// The series that the filters leave: of the yardstick, where it is not the rate, median, interval and CV of `compared` of each.
// `remark` hears of all that were read.
std::vector<store::SeriesSums> series_of(const store::Questions& store, const QuestionOptions& options, AmountRemark& remark);
// First of all, where no inspection tells what is asked for.
void say_missing(const AmountRemark& remark, Answer& answer);
void add_note(const AmountRemark& remark, Answer& answer);  // if there is something to say
std::string unit_text(const store::SeriesSums& series, const specs::Yardstick& yardstick);

// "measured" if the device is this machine's, else "measured-elsewhere".
class Evidence {
 public:
  Evidence(const store::Questions& store, std::string this_host)
      : store_(store), this_host_(std::move(this_host)) {}
  std::string grade(std::int64_t device);

 private:
  const store::Questions& store_;
  std::string this_host_;
  std::map<std::int64_t, std::string> known_;
};

// "Tesla V100-SXM2-16GB", or for processors "sapphire-rapids (Intel(R) Xeon(R) ...)".
std::string hardware_text(const store::HardwareRow& hardware);

std::size_t shown_of(std::size_t rows, std::size_t limit);  // limit 0: all

std::optional<Interval> interval_of(const store::SeriesSums& series);

}  // namespace stackx::analysis
