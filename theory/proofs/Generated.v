(** Bounds as the statements of [theory.results] have them; [make proofs] holds this file to them. *)
From Coq Require Import Reals.
Local Open Scope R_scope.

Definition stored_entropy (bits N_tot : R) : R := (N_tot * bits * (ln 2)).

Definition spectral_bound (c columns rows : R) : R := (c * (sqrt columns) * (sqrt rows)).

Definition block_factor (A_b F_b lambda_A Lambda_b lambda_F : R) : R := (F_b + ((lambda_F + 1) * (A_b + (Lambda_b * (lambda_A + 1))))).

Definition frozen_entropy (cells M : R) : R := (M * (ln cells)).

Definition euclidean_constant (Lambda P : R) : R := (Lambda * (sqrt P)).

Definition grid_entropy (cells P : R) : R := (P * (ln cells)).

Definition quarter_range (high low : R) : R := ((((high + ((- 1) * low)) ^ 2)) / 4).

Definition sauer_bound (m p : R) : R := (Rpower (((exp 1) * m) / p) p).

Definition split_risk (A B rest tau : R) : R := ((((A * tau) + B)) / (rest * tau)).

Definition best_risk (A B : R) : R := (((sqrt B) + (sqrt (A + B))) ^ 2).

Definition best_tau (A B : R) : R := (((sqrt B)) / ((sqrt B) + (sqrt (A + B)))).
