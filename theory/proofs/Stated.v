(** What is proved, in the words' full generality. It is compiled before any proof and depends on none; the bounds in it are
    emitted from the formulas of [theory.results] into Generated.v. *)
From Coq Require Import Reals List.
Require Import Generated.
Local Open Scope R_scope.

(** ** Vectors: the first n values of a function, so that nothing depends on how a library writes them *)

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S m => sum m f + f m
  end.

Definition dot (n : nat) (u v : nat -> R) : R := sum n (fun i => u i * v i).
Definition norm (n : nat) (u : nat -> R) : R := sqrt (dot n u u).
Definition plus (u v : nat -> R) : nat -> R := fun i => u i + v i.
Definition apply (columns : nat) (w : nat -> nat -> R) (x : nat -> R) : nat -> R := fun i => dot columns (w i) x.

Definition cauchy_schwarz : Prop :=
  forall n u v, (dot n u v) ^ 2 <= (dot n u u) * (dot n v v).

Definition triangle_inequality : Prop :=
  forall n u v, norm n (plus u v) <= norm n u + norm n v.

Definition sum_le_root_n_norm : Prop :=
  forall n u, sum n (fun i => Rabs (u i)) <= sqrt (INR n) * norm n u.

Definition bounded_matrix_norm : Prop :=
  forall rows columns (w : nat -> nat -> R) c (x : nat -> R), 0 <= c ->
    (forall i j, (i < rows)%nat -> (j < columns)%nat -> Rabs (w i j) <= c) ->
    norm rows (apply columns w x) <= spectral_bound c (INR columns) (INR rows) * norm columns x.

(** ** Laws on finitely many points: weights that are not negative and sum to 1 *)

Definition law (n : nat) (p : nat -> R) : Prop := (forall i, (i < n)%nat -> 0 <= p i) /\ sum n p = 1.
Definition mean (n : nat) (p x : nat -> R) : R := sum n (fun i => p i * x i).
Definition covariance (n : nat) (p x y : nat -> R) : R :=
  sum n (fun i => p i * ((x i - mean n p x) * (y i - mean n p y))).
Definition variance (n : nat) (p x : nat -> R) : R := covariance n p x x.

Definition variance_le_quarter_range : Prop :=
  forall n p (x : nat -> R) low high, law n p -> (forall i, (i < n)%nat -> low <= x i <= high) ->
    variance n p x <= (high - mean n p x) * (mean n p x - low) /\
    (high - mean n p x) * (mean n p x - low) <= quarter_range high low.

Definition covariance_bound : Prop :=
  forall n p (x y : nat -> R) b, law n p -> 0 <= b ->
    (covariance n p x y) ^ 2 <= variance n p x * variance n p y /\
    ((forall i, (i < n)%nat -> Rabs (x i) <= b) -> sqrt (variance n p x) <= b).

Definition mixture_error_le_worst : Prop :=
  forall n p (e : nat -> R) worst, law n p -> (forall i, (i < n)%nat -> Rabs (e i) <= worst) -> Rabs (mean n p e) <= worst.

(** ** Projections on a ball *)

Definition minus (u v : nat -> R) : nat -> R := fun i => u i - v i.
Definition scaled (c : R) (u : nat -> R) : nat -> R := fun i => c * u i.
Definition projected (n : nat) (radius : R) (x : nat -> R) : nat -> R :=
  if Rle_dec (norm n x) radius then x else scaled (radius / norm n x) x.

Definition projection_is_1_lipschitz : Prop :=
  forall (n : nat) radius (x y : nat -> R), 0 <= radius ->
    norm n (minus (projected n radius x) (projected n radius y)) <= norm n (minus x y).

Definition projection_towards_the_ball : Prop :=
  forall n radius (x y : nat -> R), 0 <= radius -> norm n y <= radius ->
    norm n (projected n radius x) <= radius /\
    norm n (minus (projected n radius x) y) <= norm n (minus x y).

(** ** Residual networks: a sequence is a token's vector for each token, and two are as far apart as their farthest tokens *)

Definition sequence : Type := nat -> nat -> R.
Definition tokens_within (tokens n : nat) (b : R) (x y : sequence) : Prop :=
  forall t, (t < tokens)%nat -> norm n (minus (x t) (y t)) <= b.
Definition tokens_in_ball (tokens n : nat) (radius : R) (x : sequence) : Prop :=
  forall t, (t < tokens)%nat -> norm n (x t) <= radius.
Definition residual (layer : sequence -> sequence) (x : sequence) : sequence := fun t => plus (x t) (layer x t).
Definition clipped (n : nat) (radius : R) (x : sequence) : sequence := fun t => projected n radius (x t).

(** In a ball, a layer moves by at most [input] per change of what enters it and by [own] per change of its parameters. *)
Definition moves_by (tokens n : nat) (parameters : Type) (change : parameters -> parameters -> R) (radius input own : R)
    (layer : parameters -> sequence -> sequence) : Prop :=
  (forall p x y b, tokens_in_ball tokens n radius x -> tokens_in_ball tokens n radius y -> tokens_within tokens n b x y ->
    tokens_within tokens n (input * b) (layer p x) (layer p y)) /\
  (forall p q x, tokens_in_ball tokens n radius x -> tokens_within tokens n (own * change p q) (layer p x) (layer q x)).

Definition keeps_in (tokens n : nat) (parameters : Type) (radius after : R) (layer : parameters -> sequence -> sequence) : Prop :=
  forall p x, tokens_in_ball tokens n radius x -> tokens_in_ball tokens n after (residual (layer p) x).

Fixpoint through (parameters : Type) (attention experts : nat -> parameters -> sequence -> sequence) (p : parameters)
    (blocks : nat) (x : sequence) : sequence :=
  match blocks with
  | O => x
  | S b => residual (experts b p) (residual (attention b p) (through parameters attention experts p b x))
  end.

Fixpoint accumulated (lambda_A lambda_F A F : nat -> R) (blocks : nat) : R :=
  match blocks with
  | O => 0
  | S b => block_factor (A b) (F b) (lambda_A b) (accumulated lambda_A lambda_F A F b) (lambda_F b)
  end.

Definition lipschitz_recursion : Prop :=
  forall tokens n (parameters : Type) (change : parameters -> parameters -> R)
    (attention experts : nat -> parameters -> sequence -> sequence) (r rho lambda_A lambda_F A F : nat -> R) blocks radius,
    0 <= radius ->
    (forall b, (b < blocks)%nat -> moves_by tokens n parameters change (r b) (lambda_A b) (A b) (attention b)) ->
    (forall b, (b < blocks)%nat -> moves_by tokens n parameters change (rho b) (lambda_F b) (F b) (experts b)) ->
    (forall b, (b < blocks)%nat -> keeps_in tokens n parameters (r b) (rho b) (attention b)) ->
    (forall b, (b < blocks)%nat -> keeps_in tokens n parameters (rho b) (r (S b)) (experts b)) ->
    forall x p q, tokens_in_ball tokens n (r O) x ->
      tokens_within tokens n (accumulated lambda_A lambda_F A F blocks * change p q)
        (clipped n radius (through parameters attention experts p blocks x))
        (clipped n radius (through parameters attention experts q blocks x)).

(** ** Grids of parameters *)

Definition midpoint (kappa : R) (cells i : nat) : R := - kappa + (2 * INR i + 1) * kappa / INR cells.

Definition midpoints_cover : Prop :=
  forall kappa Lambda delta cells x, 0 < kappa -> 0 < Lambda -> 0 < delta ->
    kappa * Lambda / delta <= INR cells -> - kappa <= x <= kappa ->
    exists i, (i < cells)%nat /\ Rabs (x - midpoint kappa cells i) <= delta / Lambda.

Definition euclidean_lipschitz_constant : Prop :=
  forall parameters (outputs : Type) (distance : outputs -> outputs -> R) (f : (nat -> R) -> outputs) Lambda,
    0 <= Lambda ->
    (forall u v, distance (f u) (f v) <= Lambda * norm parameters (minus u v)) ->
    forall u v change, 0 <= change -> (forall i, (i < parameters)%nat -> Rabs (u i - v i) <= change) ->
      distance (f u) (f v) <= euclidean_constant Lambda (INR parameters) * change.

(** ** Covers: how many balls of a radius hold a class; centres in the class suffice, and no fewer do, wherever they lie *)

Definition is_ceiling (n : nat) (x : R) : Prop := INR n - 1 < x <= INR n.

Definition covering_number (F : Type) (class : F -> Prop) (near : F -> F -> Prop) (count : nat) : Prop :=
  (exists centre, (forall i, (i < count)%nat -> class (centre i)) /\
    (forall f, class f -> exists i, (i < count)%nat /\ near f (centre i))) /\
  (forall fewer (centre : nat -> F),
    (forall f, class f -> exists i, (i < fewer)%nat /\ near f (centre i)) -> (count <= fewer)%nat).

(** Sup-norm on [0, 1]. *)
Definition within (delta : R) (f g : R -> R) : Prop := forall x, 0 <= x <= 1 -> Rabs (f x - g x) <= delta.

Definition in_box (parameters : nat) (kappa : R) (u : nat -> R) : Prop :=
  forall i, (i < parameters)%nat -> - kappa <= u i <= kappa.

Definition lipschitz_cover : Prop :=
  forall parameters (outputs : Type) (distance : outputs -> outputs -> R) (f : (nat -> R) -> outputs) kappa Lambda delta cells,
    0 < kappa -> 0 < Lambda -> 0 < delta -> is_ceiling cells (kappa * Lambda / delta) ->
    (forall u v change, in_box parameters kappa u -> in_box parameters kappa v -> 0 <= change ->
      (forall i, (i < parameters)%nat -> Rabs (u i - v i) <= change) -> distance (f u) (f v) <= Lambda * change) ->
    exists count (centre : nat -> nat -> R), ln (INR count) = grid_entropy (INR cells) (INR parameters) /\
      (forall i, (i < count)%nat -> in_box parameters kappa (centre i)) /\
      (forall u, in_box parameters kappa u -> exists i, (i < count)%nat /\ distance (f u) (f (centre i)) <= delta).

Definition spread (n i : nat) : R :=
  match n with
  | 1%nat => 0
  | _ => 2 * INR i / INR (n - 1) - 1
  end.

Definition spread_constants_are_apart : Prop :=
  forall delta cells, 0 < delta <= 1 -> is_ceiling cells (1 / delta) ->
    (forall i, (i < cells)%nat -> - 1 <= spread cells i <= 1) /\
    (forall i j, (i < j < cells)%nat -> 2 * delta < spread cells j - spread cells i).

(** A router with thresholds t 0 < t 1 < ...: an input is served by the expert whose number is how many lie below it. *)
Fixpoint served (t : nat -> R) (count : nat) (x : R) : nat :=
  match count with
  | O => O
  | S m => if Rlt_dec (t m) x then S (served t m x) else served t m x
  end.

Definition behind_router (t : nat -> R) (experts : nat) (f : R -> R) : Prop :=
  exists c : nat -> R, (forall j, (j < experts)%nat -> - 1 <= c j <= 1) /\
    (forall x, f x = c (served t (experts - 1) x)).

Definition interval_router_entropy : Prop :=
  forall experts (t : nat -> R) delta cells, (1 <= experts)%nat ->
    (forall i, (i < experts - 1)%nat -> 0 <= t i < 1) -> (forall i j, (i < j < experts - 1)%nat -> t i < t j) ->
    0 < delta <= 1 -> is_ceiling cells (1 / delta) ->
    exists count, covering_number (R -> R) (behind_router t experts) (within delta) count /\
      ln (INR count) = frozen_entropy (INR cells) (INR experts).

(** Two tokens, each served by one of two constant experts as a pattern says; outputs in sup-norm over the tokens. *)
Definition two_constant_experts (f : nat -> R) : Prop :=
  exists (pattern : nat -> nat) (c : nat -> R), (forall token, (token < 2)%nat -> (pattern token < 2)%nat) /\
    (forall j, (j < 2)%nat -> - 1 <= c j <= 1) /\ (forall token, (token < 2)%nat -> f token = c (pattern token)).

Definition near_on_tokens (tokens : nat) (delta : R) (f g : nat -> R) : Prop :=
  forall token, (token < tokens)%nat -> Rabs (f token - g token) <= delta.

Definition two_tokens_break_active_parameters : Prop :=
  forall delta cells, 0 < delta <= 1 -> is_ceiling cells (1 / delta) ->
    covering_number (nat -> R) two_constant_experts (near_on_tokens 2 delta) (cells ^ 2) /\
    ((4 <= cells -> 4 * cells <= cells ^ 2)%nat /\ (5 <= cells -> 4 * cells < cells ^ 2)%nat).

(** ** Sums of binomial coefficients; [C m i] is m!/(i! (m - i)!) for i <= m *)

Definition exponential_sum_le : Prop :=
  forall (p : nat) x, 0 <= x -> sum (S p) (fun i => x ^ i / INR (fact i)) <= exp x.

Definition sauer_sum_le : Prop :=
  forall m p, (1 <= p <= m)%nat -> sum (S p) (fun i => C m i) <= sauer_bound (INR m) (INR p).

(** ** The softmax *)

Definition softmax (n : nat) (logits : nat -> R) : nat -> R :=
  fun i => exp (logits i) / sum n (fun j => exp (logits j)).

Definition softmax_half_lipschitz : Prop :=
  forall n u v, norm n (minus (softmax n u) (softmax n v)) <= 1 / 2 * norm n (minus u v).

(** ** The best split of an oracle inequality *)

Definition best_split : Prop :=
  forall A B, 0 <= A -> 0 < B ->
    (forall tau, 0 < tau < 1 -> best_risk A B <= split_risk A B (1 - tau) tau) /\
    0 < best_tau A B < 1 /\ split_risk A B (1 - best_tau A B) (best_tau A B) = best_risk A B.

(** ** Networks of finitely many bits: weights are a list of bits, and whatever they determine is a function of it *)

Definition finite_precision_entropy : Prop :=
  forall (functions : Type) (network : list bool -> functions) (bits weights : nat),
    exists named : list functions,
      (forall stored, length stored = (bits * weights)%nat -> In (network stored) named) /\
      ln (INR (length named)) <= stored_entropy (INR weights) (INR bits).

(** ** Hard routers 1{x > t} on the unit interval *)

Definition hard_router (t x : R) : R := if Rlt_dec t x then 1 else 0.

Definition hard_routers_have_no_finite_cover : Prop :=
  forall (centres : list (R -> R)) radius, radius < 1 / 2 ->
    (forall s t, 0 <= s < t /\ t <= 1 -> exists x, 0 <= x <= 1 /\ Rabs (hard_router s x - hard_router t x) = 1) /\
    exists t, 0 <= t <= 1 /\
      forall centre, In centre centres -> exists x, 0 <= x <= 1 /\ radius < Rabs (hard_router t x - centre x).
