(** What the theorems ask for happens: an instance of the premises of each, which the build holds to their text in Stated.v. *)
From Coq Require Import Reals Lra Lia Bool.
Require Import Stated Vectors.
Local Open Scope R_scope.

Lemma fair : law 2 (fun _ => 1 / 2).
Proof. split; [intros; lra | simpl; lra]. Qed.

Lemma of_two : forall i, (i < 2)%nat -> 0 <= INR i <= 1.
Proof. intros [|[|i]] here; [simpl; lra | simpl; lra | lia]. Qed.

Lemma size_of_two : forall i, (i < 2)%nat -> Rabs (INR i) <= 1.
Proof. intros i here. pose proof (of_two i here). rewrite Rabs_right; lra. Qed.

Lemma bounded_matrix_norm : exists rows columns (w : nat -> nat -> R) c (x : nat -> R), (0 <= c) /\
  (forall i j, (i < rows)%nat -> (j < columns)%nat -> Rabs (w i j) <= c).
Proof.
  exists 2%nat, 2%nat, (fun _ j => INR j), 1, INR. split; [lra|]. intros i j _ here. apply size_of_two. assumption.
Qed.

Lemma variance_le_quarter_range : exists n p (x : nat -> R) low high,
  (law n p) /\ (forall i, (i < n)%nat -> low <= x i <= high).
Proof. exists 2%nat, (fun _ => 1 / 2), INR, 0, 1. split; [exact fair | exact of_two]. Qed.

Lemma covariance_bound : exists n p (x y : nat -> R) b, (law n p) /\ (0 <= b).
Proof. exists 2%nat, (fun _ => 1 / 2), INR, INR, 1. split; [exact fair | lra]. Qed.

Lemma mixture_error_le_worst : exists n p (e : nat -> R) worst,
  (law n p) /\ (forall i, (i < n)%nat -> Rabs (e i) <= worst).
Proof. exists 2%nat, (fun _ => 1 / 2), INR, 1. split; [exact fair | exact size_of_two]. Qed.

Lemma projection_is_1_lipschitz : exists (n : nat) radius (x y : nat -> R), (0 <= radius).
Proof. exists 2%nat, 1, INR, INR. lra. Qed.

Lemma projection_towards_the_ball : exists n radius (x y : nat -> R), (0 <= radius) /\ (norm n y <= radius).
Proof.
  exists 2%nat, 1, (fun _ => 7), INR. split; [lra|]. unfold norm, dot. simpl.
  replace (0 + 0 * 0 + 1 * 1) with 1 by ring. rewrite sqrt_1. lra.
Qed.

Lemma midpoints_cover : exists kappa Lambda delta cells x,
  (0 < kappa) /\ (0 < Lambda) /\ (0 < delta) /\ (kappa * Lambda / delta <= INR cells) /\ (- kappa <= x <= kappa).
Proof. exists 1, 1, (1 / 2), 2%nat, (1 / 3). repeat split; simpl; lra. Qed.

Lemma euclidean_lipschitz_constant :
  exists parameters (outputs : Type) (distance : outputs -> outputs -> R) (f : (nat -> R) -> outputs) Lambda,
  (0 <= Lambda) /\ (forall u v, distance (f u) (f v) <= Lambda * norm parameters (minus u v)).
Proof.
  exists 1%nat, R, (fun a b => a - b), (fun u => u O), 1. split; [lra|]. intros u v. unfold norm, dot, minus. simpl.
  rewrite Rplus_0_l, Rmult_1_l. fold (Rsqr (u O - v O)). rewrite sqrt_Rsqr_abs. apply Rle_abs.
Qed.

Lemma two_is_ceiling : is_ceiling 2 (1 / (1 / 2)).
Proof. unfold is_ceiling. replace (1 / (1 / 2)) with 2 by field. simpl. lra. Qed.

(** One token of one entry, shifted by 0 or 1 as the parameter says, then doubled. *)
Definition shift (p : bool) : sequence -> sequence := fun _ _ _ => if p then 1 else 0.
Definition flips (p q : bool) : R := if Bool.eqb p q then 0 else 1.

Lemma norm_of_one : forall u, norm 1 u = Rabs (u O).
Proof. intros u. unfold norm, dot. simpl. rewrite Rplus_0_l. apply sqrt_Rsqr_abs. Qed.

Lemma lipschitz_recursion : exists tokens n (parameters : Type) (change : parameters -> parameters -> R)
  (attention experts : nat -> parameters -> sequence -> sequence) (r rho lambda_A lambda_F A F : nat -> R) blocks radius,
  (0 <= radius) /\
  (forall b, (b < blocks)%nat -> moves_by tokens n parameters change (r b) (lambda_A b) (A b) (attention b)) /\
  (forall b, (b < blocks)%nat -> moves_by tokens n parameters change (rho b) (lambda_F b) (F b) (experts b)) /\
  (forall b, (b < blocks)%nat -> keeps_in tokens n parameters (r b) (rho b) (attention b)) /\
  (forall b, (b < blocks)%nat -> keeps_in tokens n parameters (rho b) (r (S b)) (experts b)).
Proof.
  exists 1%nat, 1%nat, bool, flips, (fun _ => shift), (fun _ _ x => x), (fun b => 4 ^ b - 1), (fun b => 4 ^ b).
  exists (fun _ => 0), (fun _ => 1), (fun _ => 1), (fun _ => 0), 2%nat, 3.
  assert (powers : forall b, 1 <= 4 ^ b) by (intros; apply pow_R1_Rle; lra).
  split; [lra|]. split; [|split; [|split]]; intros b _.
  - split; [intros p x y c _ _ _ t _ | intros p q x _ t _]; rewrite norm_of_one; unfold minus, shift, flips.
    + rewrite Rabs_right; destruct p; lra.
    + destruct p, q; simpl; apply Rabs_le; lra.
  - split; [intros p x y c _ _ close t here | intros p q x _ t _].
    + rewrite Rmult_1_l. apply close. assumption.
    + rewrite norm_of_one. unfold minus. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - intros p x inside t here. pose proof (inside t here) as small. rewrite norm_of_one in *. unfold residual, plus, shift.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_right (if p then 1 else 0)); destruct p; lra.
  - intros p x inside t here. pose proof (inside t here) as small. rewrite norm_of_one in *. unfold residual, plus.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (powers b). simpl. lra.
Qed.

Lemma spread_constants_are_apart : exists delta cells, (0 < delta <= 1) /\ (is_ceiling cells (1 / delta)).
Proof. exists (1 / 2), 2%nat. split; [lra | exact two_is_ceiling]. Qed.

Lemma lipschitz_cover : exists parameters (outputs : Type) (distance : outputs -> outputs -> R) (f : (nat -> R) -> outputs)
  kappa Lambda delta cells, (0 < kappa) /\ (0 < Lambda) /\ (0 < delta) /\ (is_ceiling cells (kappa * Lambda / delta)) /\
  (forall u v change, in_box parameters kappa u -> in_box parameters kappa v -> 0 <= change ->
    (forall i, (i < parameters)%nat -> Rabs (u i - v i) <= change) -> distance (f u) (f v) <= Lambda * change).
Proof.
  exists 1%nat, R, (fun a b => Rabs (a - b)), (fun u => u O), 1, 1, (1 / 2), 2%nat. repeat split; try lra.
  - unfold is_ceiling. replace (1 * 1 / (1 / 2)) with 2 by field. simpl. lra.
  - replace (1 * 1 / (1 / 2)) with 2 by field. simpl. lra.
  - intros u v change _ _ _ small. rewrite Rmult_1_l. apply small. lia.
Qed.

Lemma two_tokens_break_active_parameters : exists delta cells, (0 < delta <= 1) /\ (is_ceiling cells (1 / delta)).
Proof. exact spread_constants_are_apart. Qed.

Lemma interval_router_entropy : exists experts (t : nat -> R) delta cells, ((1 <= experts)%nat) /\
  (forall i, (i < experts - 1)%nat -> 0 <= t i < 1) /\ (forall i j, (i < j < experts - 1)%nat -> t i < t j) /\
  (0 < delta <= 1) /\ (is_ceiling cells (1 / delta)).
Proof.
  exists 3%nat, (fun i => INR i / 2), (1 / 2), 2%nat. split; [lia|]. split; [|split; [|split; [lra | exact two_is_ceiling]]].
  - intros [|[|i]] here; [simpl; lra | simpl; lra | lia].
  - intros [|i] [|[|j]] here; try lia. simpl. lra.
Qed.

Lemma exponential_sum_le : exists (p : nat) x, (0 <= x).
Proof. exists 2%nat, 1. lra. Qed.

Lemma sauer_sum_le : exists m p, ((1 <= p <= m)%nat).
Proof. exists 3%nat, 2%nat. lia. Qed.

Lemma best_split : exists A B, (0 <= A) /\ (0 < B).
Proof. exists 1, 1. lra. Qed.

Lemma hard_routers_have_no_finite_cover : exists (centres : list (R -> R)) radius, (radius < 1 / 2).
Proof. exists (cons (fun _ => 1 / 2) nil), (1 / 4). lra. Qed.
