From Coq Require Import Reals Lra Psatz.
Require Import Generated Stated Vectors Laws.
Local Open Scope R_scope.

(** What a sum over pairs of different points, p i * p j * (x i + x j)^2, comes to; point by point it only grows. *)
Lemma pairs_nonneg : forall n p x, (forall i, (i < n)%nat -> 0 <= p i) ->
  0 <= sum n p * mean n p (fun i => x i * x i) + mean n p x ^ 2 - 2 * sum n (fun i => (p i * x i) * (p i * x i)).
Proof.
  intros n p x weights. induction n as [|n IH]; unfold mean in *; simpl; [lra|].
  assert (before : forall i, (i < n)%nat -> 0 <= p i) by auto with arith. specialize (IH before).
  assert (0 <= sum n (fun i => p i * ((x n + x i) * (x n + x i)))) as added.
  { apply sum_nonneg. intros i here. apply Rmult_le_pos; [auto | apply Rle_0_sqr]. }
  assert (forall m, sum m (fun i => p i * ((x n + x i) * (x n + x i)))
    = x n * x n * sum m p + 2 * x n * sum m (fun i => p i * x i) + sum m (fun i => p i * (x i * x i))) as opened.
  { intros m. induction m as [|m IHm]; simpl; [ring|]. rewrite IHm. ring. }
  rewrite opened in added. pose proof (weights n (Nat.lt_succ_diag_r n)) as weight.
  pose proof (Rmult_le_pos _ _ weight added). nra.
Qed.

Lemma variance_le_half_square : forall n p x, law n p -> variance n p x <= dot n x x / 2.
Proof.
  intros n p x is_law. rewrite variance_of_squares by assumption. destruct is_law as [weights whole].
  pose proof (pairs_nonneg n p x weights) as pairs. rewrite whole in pairs.
  assert (sum n (fun i => 4 * (p i * (x i * x i) - (p i * x i) * (p i * x i))) <= dot n x x) as each.
  { apply sum_le. intros i here. pose proof (weights i here). pose proof (Rle_0_sqr (x i)) as square. unfold Rsqr in square.
    replace (4 * (p i * (x i * x i) - p i * x i * (p i * x i))) with ((1 - (1 - 2 * p i) ^ 2) * (x i * x i)) by ring.
    pose proof (pow2_ge_0 (1 - 2 * p i)). nra. }
  assert (forall m, sum m (fun i => 4 * (p i * (x i * x i) - (p i * x i) * (p i * x i)))
    = 4 * mean m p (fun i => x i * x i) - 4 * sum m (fun i => (p i * x i) * (p i * x i))) as opened.
  { intros m. unfold mean. induction m as [|m IH]; simpl; [ring|]. rewrite IH. ring. }
  rewrite opened in each. lra.
Qed.

Lemma total_positive : forall n u, 0 < sum (S n) (fun j => exp (u j)).
Proof.
  induction n as [|n IH]; intros u; [simpl; pose proof (exp_pos (u O)); lra|].
  change (0 < sum (S n) (fun j => exp (u j)) + exp (u (S n))). pose proof (IH u). pose proof (exp_pos (u (S n))). lra.
Qed.

Lemma softmax_is_law : forall n u, law (S n) (softmax (S n) u).
Proof.
  intros n u. pose proof (total_positive n u) as positive. split.
  - intros i _. left. apply Rdiv_lt_0_compat; [apply exp_pos | assumption].
  - unfold softmax. set (total := sum (S n) (fun j => exp (u j))) in *.
    rewrite (sum_ext (S n) _ (fun i => / total * exp (u i))) by (intros; unfold Rdiv; ring).
    rewrite sum_scaled. fold total. field. lra.
Qed.

Lemma derivative_of_sum : forall n (f f' : nat -> R -> R) t, (forall i, derivable_pt_lim (f i) t (f' i t)) ->
  derivable_pt_lim (fun s => sum n (fun i => f i s)) t (sum n (fun i => f' i t)).
Proof.
  intros n f f' t each. induction n as [|n IH]; simpl.
  - apply derivable_pt_lim_const.
  - apply (derivable_pt_lim_plus (fun s => sum n (fun i => f i s)) (f n)); [exact IH | apply each].
Qed.

Lemma derivative_of_exp : forall a b t, derivable_pt_lim (fun s => exp (a + s * b)) t (b * exp (a + t * b)).
Proof.
  intros a b t.
  assert (line : derivable_pt_lim (fun s => a + s * b) t (0 + (1 * b + t * 0))).
  { apply (derivable_pt_lim_plus (fun _ => a) (fun s => s * b)); [apply derivable_pt_lim_const|].
    apply (derivable_pt_lim_mult (fun s => s) (fun _ => b)); [apply derivable_pt_lim_id | apply derivable_pt_lim_const]. }
  replace (0 + (1 * b + t * 0)) with b in line by ring.
  replace (b * exp (a + t * b)) with (exp (a + t * b) * b) by ring.
  apply (derivable_pt_lim_comp (fun s => a + s * b) exp); [exact line | apply derivable_pt_lim_exp].
Qed.

(** Along a line the mean of w under the softmax moves by its covariance with the direction. *)
Lemma derivative_along : forall n u c w t,
  let p := softmax (S n) (fun i => u i + t * c i) in
  derivable_pt_lim (fun s => mean (S n) (softmax (S n) (fun i => u i + s * c i)) w) t (covariance (S n) p w c).
Proof.
  intros n u c w t p.
  pose (above := fun s => sum (S n) (fun i => w i * exp (u i + s * c i))).
  pose (below := fun s => sum (S n) (fun i => exp (u i + s * c i))).
  assert (positive : forall s, 0 < below s) by (intros s; apply total_positive).
  assert (is_quotient : forall s, mean (S n) (softmax (S n) (fun i => u i + s * c i)) w = above s / below s).
  { intros s. unfold mean, softmax, above, Rdiv. rewrite Rmult_comm, <- sum_scaled. apply sum_ext.
    intros i _. fold (below s). ring. }
  assert (slope_above : derivable_pt_lim above t (sum (S n) (fun i => w i * (c i * exp (u i + t * c i))))).
  { apply (derivative_of_sum (S n) (fun i s => w i * exp (u i + s * c i)) (fun i s => w i * (c i * exp (u i + s * c i)))).
    intros i. apply (derivable_pt_lim_scal (fun s => exp (u i + s * c i))). apply derivative_of_exp. }
  assert (slope_below : derivable_pt_lim below t (sum (S n) (fun i => c i * exp (u i + t * c i)))).
  { apply (derivative_of_sum (S n) (fun i s => exp (u i + s * c i)) (fun i s => c i * exp (u i + s * c i))).
    intros i. apply derivative_of_exp. }
  assert (slope : derivable_pt_lim (fun s => above s / below s) t
    ((sum (S n) (fun i => w i * (c i * exp (u i + t * c i))) * below t
      - sum (S n) (fun i => c i * exp (u i + t * c i)) * above t) / Rsqr (below t))).
  { apply (derivable_pt_lim_div above below); [assumption | assumption | pose proof (positive t); lra]. }
  replace (covariance (S n) p w c) with
    ((sum (S n) (fun i => w i * (c i * exp (u i + t * c i))) * below t
      - sum (S n) (fun i => c i * exp (u i + t * c i)) * above t) / Rsqr (below t)).
  - apply (derivable_pt_lim_ext (fun s => above s / below s)); [intros s; symmetry; apply is_quotient | exact slope].
  - destruct (softmax_is_law n (fun i => u i + t * c i)) as [_ whole]. fold p in whole.
    assert (covariance (S n) p w c = mean (S n) p (fun i => w i * c i) - mean (S n) p w * mean (S n) p c) as ->.
    { unfold covariance. set (mw := mean (S n) p w). set (mc := mean (S n) p c).
      assert (forall m, sum m (fun i => p i * ((w i - mw) * (c i - mc)))
        = mean m p (fun i => w i * c i) - mc * mean m p w - mw * mean m p c + mw * mc * sum m p) as ->.
      { intros m. unfold mean. induction m as [|m IH]; simpl; [ring|]. rewrite IH. ring. }
      rewrite whole. fold mw mc. ring. }
    assert (of : forall z, mean (S n) p z = sum (S n) (fun i => z i * exp (u i + t * c i)) / below t).
    { intros z. unfold mean, Rdiv. rewrite Rmult_comm, <- sum_scaled. apply sum_ext.
      intros i _. unfold p, softmax, Rdiv. fold (below t). ring. }
    rewrite !of. fold (above t).
    rewrite (sum_ext (S n) (fun i => w i * c i * exp (u i + t * c i)) (fun i => w i * (c i * exp (u i + t * c i))))
      by (intros; ring).
    unfold Rsqr. field. pose proof (positive t). lra.
Qed.

Lemma dot_of_change : forall n a b,
  sum n (fun i => a i * minus a b i) - sum n (fun i => b i * minus a b i) = dot n (minus a b) (minus a b).
Proof.
  intros n a b. unfold dot. induction n as [|n IH]; simpl; [ring|]. rewrite <- IH. unfold minus. ring.
Qed.

Theorem softmax_half_lipschitz : Stated.softmax_half_lipschitz.
Proof.
  intros [|n] u v; [unfold norm, dot; simpl; rewrite sqrt_0; lra|].
  set (w := minus (softmax (S n) u) (softmax (S n) v)). set (c := minus u v).
  pose (g := fun s => mean (S n) (softmax (S n) (fun i => v i + s * c i)) w).
  destruct (MVT_cor2 g (fun s => covariance (S n) (softmax (S n) (fun i => v i + s * c i)) w c) 0 1) as [s [moved _]].
  - lra.
  - intros s _. apply derivative_along.
  - assert (g 1 - g 0 = dot (S n) w w) as whole.
    { unfold g, mean.
      rewrite (sum_ext (S n) (fun i => softmax (S n) (fun j => v j + 1 * c j) i * w i) (fun i => softmax (S n) u i * w i)).
      rewrite (sum_ext (S n) (fun i => softmax (S n) (fun j => v j + 0 * c j) i * w i) (fun i => softmax (S n) v i * w i)).
      - exact (dot_of_change (S n) (softmax (S n) u) (softmax (S n) v)).
      - intros i _. f_equal. unfold softmax. rewrite (sum_ext (S n) (fun j => exp (v j + 0 * c j)) (fun j => exp (v j)))
          by (intros; f_equal; ring). do 2 f_equal. ring.
      - intros i _. f_equal. unfold softmax, c, minus.
        rewrite (sum_ext (S n) (fun j => exp (v j + 1 * (u j - v j))) (fun j => exp (u j))) by (intros; f_equal; ring).
        do 2 f_equal. ring. }
    rewrite whole in moved. set (p := softmax (S n) (fun i => v i + s * c i)) in moved.
    assert (is_law : law (S n) p) by apply softmax_is_law.
    destruct (covariance_bound (S n) p w c 0 is_law (Rle_refl 0)) as [product _].
    pose proof (variance_le_half_square (S n) p w is_law) as of_w.
    pose proof (variance_le_half_square (S n) p c is_law) as of_c.
    pose proof (dot_nonneg (S n) w) as ww. pose proof (dot_nonneg (S n) c) as cc.
    assert (nonneg : forall z, 0 <= variance (S n) p z).
    { intros z. apply sum_nonneg. intros i here. destruct is_law as [weights _]. apply Rmult_le_pos; [auto | apply Rle_0_sqr]. }
    assert (dot (S n) w w ^ 2 <= dot (S n) w w / 2 * (dot (S n) c c / 2)) as squared.
    { replace (dot (S n) w w) with (covariance (S n) p w c) at 1 by lra.
      eapply Rle_trans; [exact product|]. apply Rmult_le_compat; auto. }
    apply square_le.
    + apply Rmult_le_pos; [lra | apply norm_nonneg].
    + rewrite Rpow_mult_distr, !norm_squared. fold w c. nra.
Qed.
