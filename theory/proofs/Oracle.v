From Coq Require Import Reals Lra Psatz.
Require Import Generated Stated.
Local Open Scope R_scope.

Theorem best_split : Stated.best_split.
Proof.
  intros A B nonneg positive. unfold best_risk, split_risk, best_tau.
  assert (sqrt (A + B) * sqrt (A + B) = A + B) as whole by (apply sqrt_sqrt; lra).
  assert (sqrt B * sqrt B = B) as root by (apply sqrt_sqrt; lra).
  assert (0 < sqrt B) by (apply sqrt_lt_R0; assumption).
  assert (0 < sqrt (A + B)) by (apply sqrt_lt_R0; lra).
  set (p := sqrt (A + B)) in *. set (q := sqrt B) in *.
  assert (A = p * p - q * q) as of_A by lra. clearbody p q. subst B.
  repeat split.
  - intros tau inside.
    assert (0 <= (p * tau - q * (1 - tau)) ^ 2 / (tau * (1 - tau))) as more.
    { apply Rmult_le_pos; [apply pow2_ge_0|]. left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; lra. }
    match goal with
    | |- _ <= ?risk =>
        replace risk with ((p + q) ^ 2 + (p * tau - q * (1 - tau)) ^ 2 / (tau * (1 - tau)))
          by (rewrite of_A; field; lra)
    end.
    lra.
  - apply Rdiv_lt_0_compat; lra.
  - apply Rmult_lt_reg_l with (q + p); [lra|]. replace ((q + p) * (q / (q + p))) with q by (field; lra). lra.
  - rewrite of_A. field. lra.
Qed.
