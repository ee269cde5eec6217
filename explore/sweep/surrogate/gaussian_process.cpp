#include "explore/sweep/surrogate/gaussian_process.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace vta::sweep {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using MapOfRows = Eigen::Map<const Matrix>;

constexpr Eigen::Index kMostForLengths = 256;
constexpr Eigen::Index kRowsAtOnce = 512;  // of a prediction: their kernel stays in the cache
constexpr int kSearchRounds = 3;
constexpr double kFirstLength = 2;  // inputs have a standard deviation of 1
constexpr double kLeastLength = 0.1;
constexpr double kMostLength = 300;
constexpr double kFirstNoise = 1e-4;  // variance over that of the targets
constexpr double kFactors[] = {0.5, 0.7, 1.4, 2, 4};
constexpr double kNoises[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};

struct Lengths {
  Vector of_inputs;
  double noise = kFirstNoise;
};

Matrix kernelOf(const Matrix& a, const Matrix& b) {
  Matrix squares = -2 * a * b.transpose();
  squares.colwise() += a.rowwise().squaredNorm();
  squares.rowwise() += b.rowwise().squaredNorm().transpose();
  return (-0.5 * squares.array().max(0)).exp();
}

Matrix scaledRows(const Matrix& rows, const Lengths& lengths) {
  return rows * lengths.of_inputs.cwiseInverse().asDiagonal();
}

Eigen::LLT<Matrix> factorise(const Matrix& rows, const Lengths& lengths) {
  const Matrix scaled = scaledRows(rows, lengths);
  Matrix kernel = kernelOf(scaled, scaled);
  kernel.diagonal().array() += lengths.noise;
  return Eigen::LLT<Matrix>(kernel);
}

/// The mean of |target - prediction by the other samples|; infinite where the kernel is singular.
double leftOutErrorOf(const Matrix& rows, const Vector& targets, const Lengths& lengths) {
  const Eigen::LLT<Matrix> factors = factorise(rows, lengths);
  if (factors.info() != Eigen::Success) return INFINITY;
  const Matrix inverse = factors.solve(Matrix::Identity(rows.rows(), rows.rows()));
  return ((inverse * targets).array() / inverse.diagonal().array()).abs().mean();
}

/// Changes one length after the other, and keeps what lessens the error.
double improve(const Matrix& rows, const Vector& targets, Lengths& lengths) {
  double best = leftOutErrorOf(rows, targets, lengths);
  const auto keepIfBetter = [&](const Lengths& changed) {
    const double error = leftOutErrorOf(rows, targets, changed);
    if (error >= best) return;
    best = error;
    lengths = changed;
  };
  for (int round = 0; round < kSearchRounds; ++round) {
    const double before = best;
    for (Eigen::Index i = 0; i < rows.cols(); ++i) {
      for (const double factor : kFactors) {
        Lengths changed = lengths;
        changed.of_inputs[i] = std::clamp(lengths.of_inputs[i] * factor, kLeastLength, kMostLength);
        keepIfBetter(changed);
      }
    }
    for (const double noise : kNoises) keepIfBetter({lengths.of_inputs, noise});
    if (best > 0.99 * before) break;
  }
  return best;
}

}  // namespace

struct GaussianProcess::State {
  Lengths lengths;
  Eigen::RowVectorXd mean;   // of the inputs
  Eigen::RowVectorXd scale;  // one over their standard deviations; 0 for constant ones
  double target_mean = 0;
  double target_scale = 1;
  Matrix samples;  // standardised, over the lengths
  Vector weights;
  double left_out_error = 0;

  Matrix standardise(const MapOfRows& rows) const {
    return (rows.rowwise() - mean).array().rowwise() * scale.array();
  }
};

GaussianProcess::GaussianProcess() = default;
GaussianProcess::~GaussianProcess() = default;
GaussianProcess::GaussianProcess(GaussianProcess&&) noexcept = default;
GaussianProcess& GaussianProcess::operator=(GaussianProcess&&) noexcept = default;

Status GaussianProcess::fit(std::span<const double> rows, size_t inputs,
                            std::span<const double> targets) {
  const auto count = static_cast<Eigen::Index>(targets.size());
  const auto columns = static_cast<Eigen::Index>(inputs);
  if (count < 2) return invalidArgument("a Gaussian process needs two samples or more");
  const MapOfRows samples(rows.data(), count, columns);
  const Eigen::Map<const Vector> values(targets.data(), count);
  auto state = std::make_unique<State>();
  state->mean = samples.colwise().mean();
  const Eigen::RowVectorXd variance =
      (samples.rowwise() - state->mean).array().square().colwise().mean();
  state->scale = (variance.array() > 1e-18).select(variance.array().max(1e-18).rsqrt(), 0.0);
  state->target_mean = values.mean();
  const Vector centred = values.array() - state->target_mean;
  state->target_scale = std::max(1e-12, std::sqrt(centred.array().square().mean()));
  const Vector scaled_targets = centred / state->target_scale;
  const Matrix standard = state->standardise(samples);

  const bool has_lengths = state_ != nullptr && state_->lengths.of_inputs.size() == columns;
  state->lengths = has_lengths ? state_->lengths : Lengths{Vector::Constant(columns, kFirstLength)};
  // Some of the samples, spread over all, tell the lengths nearly as well.
  const Eigen::Index step = (count + kMostForLengths - 1) / kMostForLengths;
  const Eigen::Index some = (count + step - 1) / step;
  Matrix chosen(some, columns);
  Vector chosen_targets(some);
  for (Eigen::Index i = 0; i < some; ++i) {
    chosen.row(i) = standard.row(i * step);
    chosen_targets[i] = scaled_targets[i * step];
  }
  state->left_out_error = state->target_scale * improve(chosen, chosen_targets, state->lengths);

  Eigen::LLT<Matrix> factors = factorise(standard, state->lengths);
  while (factors.info() != Eigen::Success) {
    state->lengths.noise = std::max(1e-6, 10 * state->lengths.noise);
    factors = factorise(standard, state->lengths);
  }
  state->weights = factors.solve(scaled_targets);
  state->samples = scaledRows(standard, state->lengths);
  state_ = std::move(state);
  return {};
}

std::vector<double> GaussianProcess::predict(std::span<const double> rows) const {
  const State& state = *state_;
  const Eigen::Index columns = state.mean.size();
  const Eigen::Index count = static_cast<Eigen::Index>(rows.size()) / columns;
  std::vector<double> values(static_cast<size_t>(count));
  for (Eigen::Index first = 0; first < count; first += kRowsAtOnce) {
    const Eigen::Index size = std::min(kRowsAtOnce, count - first);
    const MapOfRows part(rows.data() + first * columns, size, columns);
    const Matrix scaled = scaledRows(state.standardise(part), state.lengths);
    Eigen::Map<Vector> out(values.data() + first, size);
    out = (kernelOf(scaled, state.samples) * state.weights).array() * state.target_scale +
          state.target_mean;
  }
  return values;
}

double GaussianProcess::leftOutError() const { return state_->left_out_error; }

}  // namespace vta::sweep
