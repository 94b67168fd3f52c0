// The decompositions behind the additive model. Eigen's take longer to compile than the rest of analysis together, so they stand
// here alone and know no other header of stackx: what changes elsewhere does not compile them again.
#pragma once

#include <Eigen/Core>

namespace stackx::analysis {

// A = U diag(s) V': U is n x min(n, p), s falls, V is p x p.
struct SingularValues {
  Eigen::MatrixXd U, V;
  Eigen::VectorXd s;
};
SingularValues singular_values(const Eigen::MatrixXd& A);

// The x that makes |A x - b| least; columns whose pivots are below `threshold` of the largest count as dependent.
Eigen::VectorXd least_squares_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold);

}  // namespace stackx::analysis
