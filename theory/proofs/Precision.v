From Coq Require Import Reals Lra Lia List.
Require Import Generated Stated.
Import ListNotations.
Local Open Scope R_scope.

Fixpoint all_of (n : nat) : list (list bool) :=
  match n with
  | O => [[]]
  | S m => map (cons true) (all_of m) ++ map (cons false) (all_of m)
  end.

Lemma all_of_length : forall stored, In stored (all_of (length stored)).
Proof.
  induction stored as [|[|] rest IH]; simpl; [auto | |]; apply in_or_app; [left | right]; apply in_map; assumption.
Qed.

Lemma count_all : forall n, length (all_of n) = (2 ^ n)%nat.
Proof. induction n as [|n IH]; [reflexivity|]. simpl. rewrite app_length, !map_length, IH. lia. Qed.

Theorem finite_precision_entropy : Stated.finite_precision_entropy.
Proof.
  intros functions network bits weights. exists (map network (all_of (bits * weights))). split.
  - intros stored long. apply in_map. rewrite <- long. apply all_of_length.
  - rewrite map_length, count_all, pow_INR, ln_pow by (simpl; lra). rewrite mult_INR. unfold stored_entropy.
    replace (INR 2) with 2 by (simpl; lra). right. ring.
Qed.
