From Coq Require Import Reals Lra Psatz Lia Arith List.
Require Import Generated Stated Vectors Covers.
Local Open Scope R_scope.

(** A number below [n ^ m] as [m] digits to the base [n]. *)
Fixpoint digit (n i j : nat) : nat :=
  match j with
  | O => (i mod n)%nat
  | S before => digit n (i / n) before
  end.

Lemma digit_less : forall n j i, n <> O -> (digit n i j < n)%nat.
Proof. intros n. induction j as [|j IH]; intros i some; simpl; [apply Nat.mod_upper_bound|apply IH]; assumption. Qed.

Lemma with_digits : forall n m (d : nat -> nat), (forall j, (j < m)%nat -> (d j < n)%nat) ->
  exists i, (i < n ^ m)%nat /\ forall j, (j < m)%nat -> digit n i j = d j.
Proof.
  intros n. induction m as [|m IH]; intros d small.
  - exists O. split; [simpl; lia|intros; lia].
  - destruct (IH (fun j => d (S j))) as [i [less digits]]; [intros; apply small; lia|].
    pose proof (small O ltac:(lia)) as first.
    exists (d O + i * n)%nat. split; [simpl; nia|]. intros [|j] here; simpl.
    + rewrite Nat.mod_add by lia. apply Nat.mod_small. assumption.
    + rewrite Nat.div_add, Nat.div_small by lia. apply digits. lia.
Qed.

Lemma digits_differ : forall n m i i', (i < n ^ m)%nat -> (i' < n ^ m)%nat -> i <> i' ->
  exists j, (j < m)%nat /\ digit n i j <> digit n i' j.
Proof.
  intros n. induction m as [|m IH]; intros i i' less less' differ; [simpl in *; lia|].
  assert (n <> O) as some by (intros ->; simpl in less; lia).
  destruct (Nat.eq_dec (i mod n) (i' mod n)) as [same|other].
  - destruct (IH (i / n) (i' / n))%nat as [j [here split_]].
    + apply Nat.div_lt_upper_bound; [assumption|exact less].
    + apply Nat.div_lt_upper_bound; [assumption|exact less'].
    + intros equal. apply differ. rewrite (Nat.div_mod i n some), (Nat.div_mod i' n some). lia.
    + exists (S j). split; [lia|exact split_].
  - exists O. split; [lia|exact other].
Qed.

Lemma finite_choice : forall m (good : nat -> nat -> Prop), (forall j, (j < m)%nat -> exists c, good j c) ->
  exists f, forall j, (j < m)%nat -> good j (f j).
Proof.
  induction m as [|m IH]; intros good each; [exists (fun j => j); intros; lia|].
  destruct (IH good) as [f chosen]; [intros; apply each; lia|]. destruct (each m) as [c last]; [lia|].
  exists (fun j => if Nat.eq_dec j m then c else f j). intros j here.
  destruct (Nat.eq_dec j m) as [->|]; [assumption|]. apply chosen. lia.
Qed.

(** Points of which no ball holds two need as many balls. *)
Lemma packing_le_cover : forall points balls (holds : nat -> nat -> Prop),
  (forall i, (i < points)%nat -> exists k, (k < balls)%nat /\ holds k i) ->
  (forall i j k, (i < points)%nat -> (j < points)%nat -> holds k i -> holds k j -> i = j) -> (points <= balls)%nat.
Proof.
  intros points balls holds covered one.
  assert (exists l, length l = points /\ NoDup l /\
    forall k, In k l -> (k < balls)%nat /\ exists i, (i < points)%nat /\ holds k i) as [l [size [distinct inside]]].
  { induction points as [|points IH].
    - exists nil. split; [reflexivity|]. split; [constructor|]. intros k [].
    - destruct IH as [l [size [distinct inside]]].
      + intros. apply covered. lia.
      + intros i j k less less'. apply one; lia.
      + destruct (covered points) as [k [small held]]; [lia|]. exists (k :: l). split; [simpl; lia|]. split.
        * constructor; [|assumption]. intros again. destruct (inside k again) as [_ [i [less held']]].
          assert (i = points) by (apply (one i points k); [lia|lia|assumption|assumption]). lia.
        * intros k' [<-|before]; [split; [assumption|exists points; split; [lia|assumption]]|].
          destruct (inside k' before) as [small' [i [less held']]]. split; [assumption|]. exists i. split; [lia|assumption]. }
  rewrite <- size, <- (seq_length balls O). apply NoDup_incl_length; [assumption|].
  intros k here. apply in_seq. destruct (inside k here). lia.
Qed.
