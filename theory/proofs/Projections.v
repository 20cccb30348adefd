From Coq Require Import Reals Lra Psatz.
Require Import Stated Vectors.
Local Open Scope R_scope.

Lemma norm_of_difference : forall n u v a b,
  norm n (minus (scaled a u) (scaled b v)) ^ 2 = a ^ 2 * norm n u ^ 2 - 2 * a * b * dot n u v + b ^ 2 * norm n v ^ 2.
Proof.
  intros. rewrite !norm_squared. unfold minus, scaled, dot. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring.
Qed.

Lemma norm_of_same : forall n u v, (forall i, u i = v i) -> norm n u = norm n v.
Proof. intros n u v same. unfold norm, dot. f_equal. apply sum_ext. intros i _. rewrite same. reflexivity. Qed.

Lemma norm_of_plain_difference : forall n u v,
  norm n (minus u v) ^ 2 = norm n u ^ 2 - 2 * dot n u v + norm n v ^ 2.
Proof.
  intros n u v. rewrite (norm_of_same n (minus u v) (minus (scaled 1 u) (scaled 1 v)))
    by (intros i; unfold minus, scaled; ring).
  rewrite norm_of_difference. ring.
Qed.

(** One token outside the ball and one inside. *)
Lemma towards : forall n radius x y, 0 <= radius -> radius < norm n x -> norm n y <= radius ->
  norm n (minus (scaled (radius / norm n x) x) y) <= norm n (minus x y).
Proof.
  intros n radius x y nonneg out inside. apply square_le; [apply norm_nonneg|].
  rewrite (norm_of_same n (minus (scaled (radius / norm n x) x) y) (minus (scaled (radius / norm n x) x) (scaled 1 y)))
    by (intros i; unfold minus, scaled; ring).
  rewrite norm_of_difference, norm_of_plain_difference.
  pose proof (dot_le_norms n x y) as angle. set (a := norm n x) in *. set (b := norm n y) in *.
  set (d := dot n x y) in *.
  assert (0 <= (a - radius) * (a * (a + radius) - 2 * d)) as whole by (apply Rmult_le_pos; nra).
  apply Rmult_le_reg_l with a; [lra|].
  replace (a * ((radius / a) ^ 2 * a ^ 2 - 2 * (radius / a) * 1 * d + 1 ^ 2 * b ^ 2))
    with (a * radius ^ 2 - 2 * radius * d + a * b ^ 2) by (field; lra).
  nra.
Qed.

Lemma apart : forall n radius x y, 0 <= radius -> radius < norm n x -> radius < norm n y ->
  norm n (minus (scaled (radius / norm n x) x) (scaled (radius / norm n y) y)) <= norm n (minus x y).
Proof.
  intros n radius x y nonneg out out'. apply square_le; [apply norm_nonneg|].
  rewrite norm_of_difference, norm_of_plain_difference.
  pose proof (dot_le_norms n x y) as angle. set (a := norm n x) in *. set (b := norm n y) in *.
  set (d := dot n x y) in *.
  assert (0 < a * b) by (apply Rmult_lt_0_compat; lra).
  assert (radius ^ 2 <= a * b) by nra.
  assert (0 <= (a * b - d) * (a * b - radius ^ 2)) by (apply Rmult_le_pos; lra).
  assert (0 <= a * b * (a - b) ^ 2) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]).
  apply Rmult_le_reg_l with (a * b); [lra|].
  replace (a * b * ((radius / a) ^ 2 * a ^ 2 - 2 * (radius / a) * (radius / b) * d + (radius / b) ^ 2 * b ^ 2))
    with (2 * a * b * radius ^ 2 - 2 * radius ^ 2 * d) by (field; lra).
  nra.
Qed.

Lemma swapped : forall n u v, norm n (minus u v) = norm n (minus v u).
Proof. intros n u v. unfold norm, dot, minus. f_equal. apply sum_ext. intros. ring. Qed.

Theorem projection_is_1_lipschitz : Stated.projection_is_1_lipschitz.
Proof.
  intros n radius x y nonneg. unfold projected.
  destruct (Rle_dec (norm n x) radius), (Rle_dec (norm n y) radius).
  - lra.
  - rewrite swapped, (swapped n x y). apply towards; lra.
  - apply towards; lra.
  - apply apart; lra.
Qed.

Theorem projection_towards_the_ball : Stated.projection_towards_the_ball.
Proof.
  intros n radius x y nonneg inside. unfold projected. destruct (Rle_dec (norm n x) radius); [split; lra|].
  split; [|apply towards; lra].
  apply square_le; [assumption|].
  rewrite (norm_of_same n _ (minus (scaled (radius / norm n x) x) (scaled 0 x)))
    by (intros i; unfold minus, scaled; ring).
  rewrite norm_of_difference. right. field. lra.
Qed.
