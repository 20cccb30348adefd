From Coq Require Import Reals Lra Psatz Lia.
Require Import Generated Stated Vectors.
Local Open Scope R_scope.

Lemma cell_of : forall n y, (0 < n)%nat -> 0 <= y <= INR n -> exists i, (i < n)%nat /\ INR i <= y <= INR i + 1.
Proof.
  induction n as [|n IH]; intros y some inside; [lia|].
  destruct (Rle_or_lt (INR n) y) as [last|before].
  - exists n. split; [lia|]. rewrite S_INR in inside. lra.
  - destruct n as [|n]; [simpl in before; lra|].
    destruct (IH y) as [i [less here]]; [lia|lra|]. exists i. split; [lia|assumption].
Qed.

Theorem midpoints_cover : Stated.midpoints_cover.
Proof.
  intros kappa Lambda delta cells x kappa_positive Lambda_positive delta_positive enough inside.
  assert (0 < kappa * Lambda / delta) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (0 < INR cells) as some by lra.
  destruct (cell_of cells ((x + kappa) * INR cells / (2 * kappa))) as [i [less here]].
  - apply INR_lt. simpl. lra.
  - split.
    + apply Rmult_le_reg_l with (2 * kappa); [lra|].
      replace (2 * kappa * ((x + kappa) * INR cells / (2 * kappa))) with ((x + kappa) * INR cells) by (field; lra). nra.
    + apply Rmult_le_reg_l with (2 * kappa); [lra|].
      replace (2 * kappa * ((x + kappa) * INR cells / (2 * kappa))) with ((x + kappa) * INR cells) by (field; lra). nra.
  - exists i. split; [assumption|].
    apply Rle_trans with (kappa / INR cells).
    + unfold midpoint. apply Rabs_le.
      assert (x = (x + kappa) * INR cells / (2 * kappa) * (2 * kappa / INR cells) - kappa) as at_x by (field; lra).
      set (y := (x + kappa) * INR cells / (2 * kappa)) in *. rewrite at_x.
      replace (y * (2 * kappa / INR cells) - kappa - (- kappa + (2 * INR i + 1) * kappa / INR cells))
        with ((2 * (y - INR i) - 1) * (kappa / INR cells)) by (field; lra).
      assert (0 < kappa / INR cells) by (apply Rdiv_lt_0_compat; lra). nra.
    + apply Rmult_le_reg_l with (INR cells * Lambda / delta); [apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra|].
      replace (INR cells * Lambda / delta * (kappa / INR cells)) with (kappa * Lambda / delta) by (field; lra).
      replace (INR cells * Lambda / delta * (delta / Lambda)) with (INR cells) by (field; lra). assumption.
Qed.

Theorem euclidean_lipschitz_constant : Stated.euclidean_lipschitz_constant.
Proof.
  intros parameters outputs distance f Lambda nonneg lipschitz u v change some small. unfold euclidean_constant.
  eapply Rle_trans; [apply lipschitz|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [assumption|].
  apply square_le; [apply Rmult_le_pos; [apply sqrt_pos | assumption]|].
  rewrite norm_squared, Rpow_mult_distr, <- (Rsqr_pow2 (sqrt _)), Rsqr_sqrt by apply pos_INR.
  unfold dot. rewrite <- sum_constant. apply sum_le. intros i here.
  apply square_of_size. apply small. assumption.
Qed.
