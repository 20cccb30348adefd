From Coq Require Import Reals Lra Psatz Lia Arith.
Require Import Generated Stated Vectors Covers Grids.
Local Open Scope R_scope.

Lemma of_size : forall a b, Rabs a <= b -> - b <= a <= b.
Proof.
  intros a b small. pose proof (Rle_abs a). pose proof (Rle_abs (- a)) as other. rewrite Rabs_Ropp in other. lra.
Qed.

Lemma some_cells : forall cells delta, 0 < delta <= 1 -> is_ceiling cells (1 / delta) -> (1 <= cells)%nat.
Proof.
  intros cells delta radius [_ up]. assert (0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
  destruct cells; [simpl in up; lra|lia].
Qed.

Lemma times_delta : forall delta a b, 0 < delta -> a < b / delta -> delta * a < b.
Proof.
  intros delta a b positive less. apply Rmult_lt_compat_l with (r := delta) in less; [|assumption].
  replace (delta * (b / delta)) with b in less by (field; lra). assumption.
Qed.

Theorem spread_constants_are_apart : Stated.spread_constants_are_apart.
Proof.
  intros delta cells radius [low _]. apply times_delta in low; [|lra].
  destruct cells as [|[|m]]; [split; intros; lia|split; intros; [simpl; lra|lia]|].
  assert (INR (S (S m)) - 1 = INR (S m)) as less_one by (rewrite (S_INR (S m)); lra).
  rewrite less_one in low. unfold spread. replace (S (S m) - 1)%nat with (S m) by lia.
  assert (0 < INR (S m)) as some by (apply lt_0_INR; lia).
  split.
  - intros i here. assert (0 <= INR i <= INR (S m)) as size by (split; [apply pos_INR|apply le_INR; lia]).
    assert (0 <= INR i / INR (S m) <= 1) as part; [|unfold Rdiv in *; lra].
    split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; assumption]|].
    apply Rmult_le_reg_r with (INR (S m)); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - intros i j [less _]. assert (INR i + 1 <= INR j) as step by (rewrite <- S_INR; apply le_INR; lia).
    replace (2 * INR j / INR (S m) - 1 - (2 * INR i / INR (S m) - 1)) with (2 * ((INR j - INR i) / INR (S m))) by (field; lra).
    apply Rmult_lt_compat_l; [lra|]. apply Rmult_lt_reg_r with (INR (S m)); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma midpoint_inside : forall n i, (i < n)%nat -> - 1 <= midpoint 1 n i <= 1.
Proof.
  intros n i less. unfold midpoint. assert (0 < INR n) by (apply lt_0_INR; lia).
  assert (INR i + 1 <= INR n) by (rewrite <- S_INR; apply le_INR; lia). pose proof (pos_INR i).
  assert (0 <= (2 * INR i + 1) * 1 / INR n <= 2) as part; [|lra]. split.
  - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; assumption].
  - apply Rmult_le_reg_r with (INR n); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** Functions that values in a cube name are as many as its grid; no ball holds two of its corners. *)
Lemma cube : forall (F : Type) (class : F -> Prop) (near : F -> F -> Prop) delta cells values (build : (nat -> R) -> F),
  0 < delta <= 1 -> is_ceiling cells (1 / delta) ->
  (forall c, (forall j, (j < values)%nat -> - 1 <= c j <= 1) -> class (build c)) ->
  (forall f, class f -> exists c, (forall j, (j < values)%nat -> - 1 <= c j <= 1) /\
    forall c', (forall j, (j < values)%nat -> Rabs (c j - c' j) <= delta) -> near f (build c')) ->
  (forall c c' g, near (build c) g -> near (build c') g -> forall j, (j < values)%nat -> Rabs (c j - c' j) <= 2 * delta) ->
  covering_number F class near (cells ^ values).
Proof.
  intros F class near delta cells values build radius ceiling built named apart.
  pose proof (some_cells cells delta radius ceiling) as positive.
  destruct (spread_constants_are_apart delta cells radius ceiling) as [bounded spaced].
  split.
  - exists (fun i => build (fun j => midpoint 1 cells (digit cells i j))). split.
    + intros i _. apply built. intros j _. apply midpoint_inside, digit_less. lia.
    + intros f inside. destruct (named f inside) as [c [range close]].
      destruct (finite_choice values (fun j d => (d < cells)%nat /\ Rabs (c j - midpoint 1 cells d) <= delta))
        as [d chosen].
      { intros j here. pose proof (range j here). destruct ceiling as [_ up].
        destruct (midpoints_cover 1 1 delta cells (c j)) as [d [less near_d]]; rewrite ?Rmult_1_l; try lra.
        exists d. split; [assumption|]. unfold Rdiv in near_d. rewrite Rinv_1, Rmult_1_r in near_d. exact near_d. }
      destruct (with_digits cells values d) as [i [less digits]]; [intros j here; apply chosen; assumption|].
      exists i. split; [assumption|]. apply close. intros j here. rewrite digits by assumption. apply chosen. assumption.
  - intros fewer centre covers.
    pose (corner := fun i => build (fun j => spread cells (digit cells i j))).
    apply packing_le_cover with (holds := fun k i => near (corner i) (centre k)).
    + intros i _. apply covers, built. intros j _. apply bounded, digit_less. lia.
    + intros i i' k less less' near_i near_i'. destruct (Nat.eq_dec i i') as [|differ]; [assumption|exfalso].
      destruct (digits_differ cells values i i' less less' differ) as [j [here other]].
      pose proof (of_size _ _ (apart _ _ _ near_i near_i' j here)) as close. cbv beta in close.
      pose proof (digit_less cells j i ltac:(lia)) as below. pose proof (digit_less cells j i' ltac:(lia)) as below'.
      assert (digit cells i j < digit cells i' j \/ digit cells i' j < digit cells i j)%nat as [up|down] by lia.
      * pose proof (spaced _ _ (conj up below')). lra.
      * pose proof (spaced _ _ (conj down below)). lra.
Qed.

Lemma both_near : forall x y z delta, Rabs (x - z) <= delta -> Rabs (y - z) <= delta -> Rabs (x - y) <= 2 * delta.
Proof. intros x y z delta one other. apply of_size in one, other. apply Rabs_le. lra. Qed.

Lemma served_bounded : forall t m x, (served t m x <= m)%nat.
Proof. intros t m x. induction m as [|m IH]; simpl; [lia|]. destruct (Rlt_dec (t m) x); lia. Qed.

(** Each expert serves an input: the last one that its own threshold lets through. *)
Lemma each_serves : forall t count j, (j <= count)%nat -> (forall i, (i < count)%nat -> 0 <= t i < 1) ->
  (forall i k, (i < k < count)%nat -> t i < t k) -> exists x, 0 <= x <= 1 /\ served t count x = j.
Proof.
  intros t count j within_ inside sorted.
  exists (if lt_dec j count then t j else 1). split.
  - destruct (lt_dec j count) as [less|]; [pose proof (inside j less); lra|lra].
  - assert (forall m, (m <= count)%nat -> served t m (if lt_dec j count then t j else 1) = Nat.min m j) as all.
    { induction m as [|m IH]; intros below; [reflexivity|]. cbn [served]. rewrite IH by lia.
      destruct (lt_dec j count) as [less|beyond].
      - destruct (Rlt_dec (t m) (t j)) as [passed|not]; destruct (lt_dec m j) as [before|after]; try lia.
        + assert (m = j \/ (j < m)%nat) as [->|behind] by lia; [lra|].
          pose proof (sorted j m ltac:(lia)). lra.
        + pose proof (sorted m j ltac:(lia)). lra.
      - destruct (Rlt_dec (t m) 1) as [passed|not]; [lia|]. pose proof (inside m ltac:(lia)). lra. }
    rewrite all by lia. lia.
Qed.

Theorem interval_router_entropy : Stated.interval_router_entropy.
Proof.
  intros experts t delta cells some inside sorted radius ceiling.
  pose proof (some_cells cells delta radius ceiling) as positive.
  exists (cells ^ experts)%nat. split.
  2: { rewrite pow_INR, ln_pow by (apply lt_0_INR; lia). reflexivity. }
  apply (cube _ _ _ delta cells experts (fun c x => c (served t (experts - 1) x))); try assumption.
  - intros c range. exists c. split; [assumption|reflexivity].
  - intros f [c [range values]]. exists c. split; [assumption|]. intros c' close x _.
    pose proof (served_bounded t (experts - 1) x). rewrite values. apply close. lia.
  - intros c c' g near near' j here. destruct (each_serves t (experts - 1) j) as [x [domain serves]]; [lia|assumption|assumption|].
    pose proof (near x domain) as one. pose proof (near' x domain) as other. cbv beta in one, other.
    rewrite serves in one, other. apply both_near with (g x); assumption.
Qed.

Theorem two_tokens_break_active_parameters : Stated.two_tokens_break_active_parameters.
Proof.
  intros delta cells radius ceiling. split.
  - apply (cube _ _ _ delta cells 2%nat (fun c => c)); try assumption.
    + intros c range. exists (fun token => token), c. split; [auto|]. split; [assumption|]. reflexivity.
    + intros f [pattern [c [choice [range values]]]]. exists f. split; [|auto].
      intros token here. rewrite values by assumption. apply range, choice. assumption.
    + intros c c' g near near' token here. apply both_near with (g token); [apply near|apply near']; assumption.
  - simpl. split; intros; nia.
Qed.
