From Coq Require Import Reals Lra Lia.
Require Import Generated Stated Vectors Covers Grids Frozen.
Local Open Scope R_scope.

Lemma midpoint_in_box : forall kappa n i, 0 < kappa -> (i < n)%nat -> - kappa <= midpoint kappa n i <= kappa.
Proof.
  intros kappa n i positive less. assert (0 < INR n) by (apply lt_0_INR; lia).
  replace (midpoint kappa n i) with (kappa * midpoint 1 n i) by (unfold midpoint; field; lra).
  destruct (midpoint_inside n i less) as [low high]. split.
  - replace (- kappa) with (kappa * - (1)) by ring. apply Rmult_le_compat_l; lra.
  - rewrite <- (Rmult_1_r kappa) at 2. apply Rmult_le_compat_l; lra.
Qed.

Theorem lipschitz_cover : Stated.lipschitz_cover.
Proof.
  intros parameters outputs distance f kappa Lambda delta cells box constant radius [_ enough] lipschitz.
  assert (0 < kappa * Lambda / delta) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption).
  assert (1 <= cells)%nat as some by (destruct cells; [simpl in enough; lra|lia]).
  assert (forall i, in_box parameters kappa (fun j => midpoint kappa cells (digit cells i j))) as grid.
  { intros i j _. apply midpoint_in_box; [assumption|]. apply digit_less. lia. }
  exists (cells ^ parameters)%nat, (fun i j => midpoint kappa cells (digit cells i j)).
  split; [|split; [auto|]].
  - rewrite pow_INR, ln_pow by (apply lt_0_INR; lia). reflexivity.
  - intros u inside.
    destruct (finite_choice parameters
      (fun j d => (d < cells)%nat /\ Rabs (u j - midpoint kappa cells d) <= delta / Lambda)) as [d chosen].
    { intros j here. apply midpoints_cover; try assumption. apply inside. assumption. }
    destruct (with_digits cells parameters d) as [i [less digits]]; [intros j here; apply chosen; assumption|].
    exists i. split; [assumption|]. replace delta with (Lambda * (delta / Lambda)) by (field; lra).
    apply lipschitz; [assumption|apply grid|left; apply Rdiv_lt_0_compat; assumption|].
    intros j here. rewrite digits by assumption. apply chosen. assumption.
Qed.
