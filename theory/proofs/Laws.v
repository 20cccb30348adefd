From Coq Require Import Reals Lra Psatz.
Require Import Generated Stated Vectors.
Local Open Scope R_scope.

Lemma mean_shifted : forall n p x c, mean n p (fun i => x i - c) = mean n p x - c * sum n p.
Proof. intros n p x c. unfold mean. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma variance_of_squares : forall n p x, law n p ->
  variance n p x = mean n p (fun i => x i * x i) - mean n p x ^ 2.
Proof.
  intros n p x [_ whole]. unfold variance, covariance. set (mu := mean n p x).
  assert (forall m, sum m (fun i => p i * ((x i - mu) * (x i - mu)))
    = mean m p (fun i => x i * x i) - 2 * mu * mean m p x + mu ^ 2 * sum m p) as ->.
  { intros m. unfold mean. induction m as [|m IH]; simpl; [ring|]. rewrite IH. ring. }
  rewrite whole. fold mu. ring.
Qed.

Theorem variance_le_quarter_range : Stated.variance_le_quarter_range.
Proof.
  intros n p x low high is_law inside. split.
  - rewrite variance_of_squares by assumption.
    assert (0 <= sum n (fun i => p i * ((high - x i) * (x i - low)))) as nonneg.
    { apply sum_nonneg. intros i here. destruct is_law as [weights _].
      pose proof (weights i here). pose proof (inside i here). apply Rmult_le_pos; [assumption|]. nra. }
    assert (forall m, sum m (fun i => p i * ((high - x i) * (x i - low)))
      = (high + low) * mean m p x - mean m p (fun i => x i * x i) - high * low * sum m p) as opened.
    { intros m. unfold mean. induction m as [|m IH]; simpl; [ring|]. rewrite IH. ring. }
    rewrite opened in nonneg. destruct is_law as [_ whole]. rewrite whole in nonneg. lra.
  - unfold quarter_range. pose proof (pow2_ge_0 ((high + low) / 2 - mean n p x)). lra.
Qed.

Theorem covariance_bound : Stated.covariance_bound.
Proof.
  intros n p x y b is_law nonneg. split.
  - pose (root := fun z => fun i => sqrt (p i) * (z i - mean n p z)).
    assert (forall u v, covariance n p u v = dot n (root u) (root v)) as as_dot.
    { intros u v. apply sum_ext. intros i here. unfold root.
      replace (sqrt (p i) * (u i - mean n p u) * (sqrt (p i) * (v i - mean n p v)))
        with (sqrt (p i) * sqrt (p i) * ((u i - mean n p u) * (v i - mean n p v))) by ring.
      destruct is_law as [weights _]. rewrite sqrt_sqrt by auto. reflexivity. }
    unfold variance. rewrite !as_dot. apply cauchy_schwarz.
  - intros small. rewrite <- (sqrt_pow2 b) by assumption. apply sqrt_le_1_alt.
    rewrite variance_of_squares by assumption.
    assert (mean n p (fun i => x i * x i) <= b ^ 2); [|pose proof (pow2_ge_0 (mean n p x)); lra].
    apply Rle_trans with (sum n (fun i => b ^ 2 * p i)).
    + apply sum_le. intros i here. destruct is_law as [weights _].
      pose proof (weights i here). pose proof (square_of_size (x i) b (small i here)).
      rewrite (Rmult_comm (b ^ 2)). apply Rmult_le_compat_l; assumption.
    + rewrite sum_scaled. destruct is_law as [_ whole]. rewrite whole. lra.
Qed.

Theorem mixture_error_le_worst : Stated.mixture_error_le_worst.
Proof.
  intros n p e worst [weights whole] small.
  assert (size : forall m, (m <= n)%nat -> Rabs (mean m p e) <= sum m p * worst).
  { induction m as [|m IH]; intros within; unfold mean; simpl.
    - rewrite Rabs_R0. lra.
    - assert (Rabs (mean m p e) <= sum m p * worst) as before by (apply IH; auto with arith).
      eapply Rle_trans; [apply Rabs_triang|]. fold (mean m p e).
      rewrite Rabs_mult, (Rabs_right (p m)) by (apply Rle_ge, weights; exact within).
      pose proof (weights m within). pose proof (small m within).
      assert (p m * Rabs (e m) <= p m * worst) by (apply Rmult_le_compat_l; assumption). lra. }
  rewrite <- (Rmult_1_l worst), <- whole. apply size. apply le_n.
Qed.
