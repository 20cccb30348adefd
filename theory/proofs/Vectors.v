From Coq Require Import Reals Lra Psatz.
Require Import Generated Stated.
Local Open Scope R_scope.

Lemma sum_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; intros f g same; simpl; [reflexivity|].
  rewrite (IH f g), (same n); auto with arith.
Qed.

Lemma sum_le : forall n f g, (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; intros f g less; simpl; [lra|].
  assert (sum n f <= sum n g) by (apply IH; auto with arith).
  assert (f n <= g n) by auto with arith. lra.
Qed.

Lemma sum_plus : forall n f g, sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; intros f g; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma sum_scaled : forall n c f, sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [|n IH]; intros c f; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma sum_constant : forall n c, sum n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; intros c; [simpl; lra|]. rewrite S_INR. simpl sum. rewrite IH. lra. Qed.

Lemma sum_nonneg : forall n f, (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  intros n f nonneg. rewrite <- (Rmult_0_r (INR n)), <- (sum_constant n 0). apply sum_le. exact nonneg.
Qed.

Lemma dot_nonneg : forall n u, 0 <= dot n u u.
Proof. intros. apply sum_nonneg. intros i _. apply Rle_0_sqr. Qed.

(** The discriminant of |u - t v|^2 >= 0, or both sides 0 where v is. *)
Lemma dot_of_difference : forall n u v t,
  dot n (fun i => u i - t * v i) (fun i => u i - t * v i) = dot n u u - 2 * t * dot n u v + t ^ 2 * dot n v v.
Proof.
  intros n u v t. unfold dot. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring.
Qed.

Theorem cauchy_schwarz : Stated.cauchy_schwarz.
Proof.
  intros n u v.
  assert (nonneg : forall t, 0 <= dot n u u - 2 * t * dot n u v + t ^ 2 * dot n v v).
  { intros t. rewrite <- dot_of_difference. apply dot_nonneg. }
  pose proof (dot_nonneg n u) as uu. pose proof (dot_nonneg n v) as vv.
  destruct (Req_dec (dot n v v) 0) as [zero|positive].
  - rewrite zero in *. destruct (Req_dec (dot n u v) 0) as [same|other].
    + rewrite same. lra.
    + pose proof (nonneg ((dot n u u + 1) / (2 * dot n u v))) as large.
      replace (2 * ((dot n u u + 1) / (2 * dot n u v)) * dot n u v) with (dot n u u + 1) in large by (field; lra).
      lra.
  - pose proof (nonneg (dot n u v / dot n v v)) as least.
    assert (0 < dot n v v) by lra.
    assert (whole : 0 <= (dot n u u - dot n u v ^ 2 / dot n v v) * dot n v v).
    { apply Rmult_le_pos; [|lra].
      replace (dot n u u - dot n u v ^ 2 / dot n v v)
        with (dot n u u - 2 * (dot n u v / dot n v v) * dot n u v + (dot n u v / dot n v v) ^ 2 * dot n v v)
        by (field; lra).
      exact least. }
    replace ((dot n u u - dot n u v ^ 2 / dot n v v) * dot n v v)
      with (dot n u u * dot n v v - dot n u v ^ 2) in whole by (field; lra).
    lra.
Qed.

Lemma square_of_size : forall a b, Rabs a <= b -> a * a <= b ^ 2.
Proof.
  intros a b small. pose proof (Rabs_pos a). pose proof (Rle_abs a). pose proof (Rle_abs (- a)) as other.
  rewrite Rabs_Ropp in other. nra.
Qed.

Lemma norm_nonneg : forall n u, 0 <= norm n u.
Proof. intros. apply sqrt_pos. Qed.

Lemma norm_squared : forall n u, norm n u ^ 2 = dot n u u.
Proof. intros. unfold norm. rewrite <- Rsqr_pow2. apply Rsqr_sqrt. apply dot_nonneg. Qed.

Lemma square_le : forall a b, 0 <= b -> a ^ 2 <= b ^ 2 -> a <= b.
Proof. intros a b nonneg squares. destruct (Rle_or_lt a b); [assumption|]. nra. Qed.

Lemma dot_le_norms : forall n u v, dot n u v <= norm n u * norm n v.
Proof.
  intros n u v. apply square_le.
  - apply Rmult_le_pos; apply norm_nonneg.
  - rewrite Rpow_mult_distr, !norm_squared. apply cauchy_schwarz.
Qed.

Theorem triangle_inequality : Stated.triangle_inequality.
Proof.
  intros n u v. apply square_le.
  - pose proof (norm_nonneg n u). pose proof (norm_nonneg n v). lra.
  - rewrite norm_squared.
    assert (dot n (plus u v) (plus u v) = dot n u u + 2 * dot n u v + dot n v v) as ->.
    { unfold dot, plus. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. }
    rewrite <- !norm_squared. pose proof (dot_le_norms n u v). lra.
Qed.

Lemma dot_of_sizes : forall n u, dot n (fun i => Rabs (u i)) (fun i => Rabs (u i)) = dot n u u.
Proof.
  intros n u. unfold dot. apply sum_ext. intros i _. rewrite <- Rabs_mult. apply Rabs_right. apply Rle_ge, Rle_0_sqr.
Qed.

Theorem sum_le_root_n_norm : Stated.sum_le_root_n_norm.
Proof.
  intros n u. apply square_le.
  - apply Rmult_le_pos; [apply sqrt_pos | apply norm_nonneg].
  - rewrite Rpow_mult_distr, norm_squared, <- (dot_of_sizes n u).
    replace (sqrt (INR n) ^ 2) with (dot n (fun _ => 1) (fun _ => 1)).
    + rewrite Rmult_comm. replace (sum n (fun i => Rabs (u i))) with (dot n (fun i => Rabs (u i)) (fun _ => 1)).
      * apply cauchy_schwarz.
      * unfold dot. apply sum_ext. intros. ring.
    + unfold dot. rewrite sum_constant, <- Rsqr_pow2, Rsqr_sqrt by apply pos_INR. ring.
Qed.

Theorem bounded_matrix_norm : Stated.bounded_matrix_norm.
Proof.
  intros rows columns w c x nonneg small. unfold spectral_bound. apply square_le.
  - repeat apply Rmult_le_pos; auto using sqrt_pos, norm_nonneg.
  - rewrite !Rpow_mult_distr, !norm_squared, !pow2_sqrt by apply pos_INR.
    unfold dot at 1, apply.
    apply Rle_trans with (sum rows (fun _ => INR columns * c ^ 2 * dot columns x x)).
    + apply sum_le. intros i inside.
      replace (dot columns (w i) x * dot columns (w i) x) with (dot columns (w i) x ^ 2) by ring.
      apply Rle_trans with (dot columns (w i) (w i) * dot columns x x); [apply cauchy_schwarz|].
      apply Rmult_le_compat_r; [apply dot_nonneg|].
      unfold dot. rewrite <- sum_constant. apply sum_le. intros j at_j.
      pose proof (square_of_size (w i j) c (small i j inside at_j)). lra.
    + rewrite sum_constant. right. ring.
Qed.
