From Coq Require Import Reals Lra Psatz Lia Arith Factorial.
Require Import Generated Stated Vectors.
Local Open Scope R_scope.

Lemma sum_is_sum_f_R0 : forall n f, sum (S n) f = sum_f_R0 f n.
Proof. induction n as [|n IH]; intros f; [simpl; lra|]. simpl sum_f_R0. rewrite <- IH. reflexivity. Qed.

Theorem exponential_sum_le : Stated.exponential_sum_le.
Proof.
  intros p x nonneg. rewrite sum_is_sum_f_R0.
  apply sum_incr.
  - unfold exp. destruct (exist_exp x) as [l converges]. simpl. intros eps positive.
    destruct (converges eps positive) as [n close]. exists n. intros m beyond.
    replace (sum_f_R0 (fun i => x ^ i / INR (fact i)) m) with (sum_f_R0 (fun i => / INR (fact i) * x ^ i) m).
    + apply close. assumption.
    + apply sum_eq. intros i _. unfold Rdiv. ring.
  - intros i. apply Rmult_le_pos; [apply pow_le; assumption|]. left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma falling : forall m i, (i <= m)%nat -> INR (fact m) <= INR m ^ i * INR (fact (m - i)).
Proof.
  intros m. induction i as [|i IH]; intros within.
  - rewrite Nat.sub_0_r. simpl. lra.
  - eapply Rle_trans; [apply IH; lia|].
    replace (m - i)%nat with (S (m - S i)) by lia. rewrite fact_simpl, mult_INR. simpl pow.
    rewrite (Rmult_comm (INR m)), Rmult_assoc.
    apply Rmult_le_compat_l; [apply pow_le, pos_INR|].
    apply Rmult_le_compat_r; [apply pos_INR|]. apply le_INR. lia.
Qed.

Lemma choose_le_power : forall m i, (i <= m)%nat -> C m i <= INR m ^ i / INR (fact i).
Proof.
  intros m i within. unfold C.
  pose proof (INR_fact_lt_0 i). pose proof (INR_fact_lt_0 (m - i)).
  apply Rmult_le_reg_l with (INR (fact i) * INR (fact (m - i))); [apply Rmult_lt_0_compat; assumption|].
  replace (INR (fact i) * INR (fact (m - i)) * (INR (fact m) / (INR (fact i) * INR (fact (m - i)))))
    with (INR (fact m)) by (field; lra).
  replace (INR (fact i) * INR (fact (m - i)) * (INR m ^ i / INR (fact i))) with (INR m ^ i * INR (fact (m - i))) by (field; lra).
  apply falling. assumption.
Qed.

Lemma exp_of_natural : forall p, exp (INR p) = exp 1 ^ p.
Proof. induction p as [|p IH]; [apply exp_0|]. rewrite S_INR, exp_plus, IH. simpl. ring. Qed.

Theorem sauer_sum_le : Stated.sauer_sum_le.
Proof.
  intros m p [some enough]. unfold sauer_bound.
  assert (1 <= INR p) by (apply (le_INR 1); assumption).
  assert (INR p <= INR m) by (apply le_INR; assumption).
  assert (1 <= INR m / INR p) as ratio.
  { apply Rmult_le_reg_l with (INR p); [lra|]. replace (INR p * (INR m / INR p)) with (INR m) by (field; lra). lra. }
  rewrite Rpower_pow by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply exp_pos | lra] | lra]).
  apply Rle_trans with (sum (S p) (fun i => (INR m / INR p) ^ p * (INR p ^ i / INR (fact i)))).
  - apply sum_le. intros i here. eapply Rle_trans; [apply choose_le_power; lia|].
    replace (INR m ^ i / INR (fact i)) with ((INR m / INR p) ^ i * (INR p ^ i / INR (fact i))).
    + apply Rmult_le_compat_r.
      * apply Rmult_le_pos; [apply pow_le, pos_INR|]. left. apply Rinv_0_lt_compat, INR_fact_lt_0.
      * apply Rle_pow; [assumption|lia].
    + unfold Rdiv. rewrite <- Rmult_assoc, <- Rpow_mult_distr, Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r. reflexivity.
  - rewrite sum_scaled.
    replace ((exp 1 * INR m / INR p) ^ p) with ((INR m / INR p) ^ p * exp (INR p)).
    + apply Rmult_le_compat_l; [apply pow_le; lra|]. apply exponential_sum_le. lra.
    + rewrite exp_of_natural, <- Rpow_mult_distr. f_equal. field. lra.
Qed.
