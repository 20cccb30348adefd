From Coq Require Import Reals Lra List.
Require Import Stated.
Local Open Scope R_scope.

Lemma router_above : forall t x, t < x -> hard_router t x = 1.
Proof. intros t x above. unfold hard_router. destruct (Rlt_dec t x); [reflexivity | lra]. Qed.

Lemma router_below : forall t x, x <= t -> hard_router t x = 0.
Proof. intros t x below. unfold hard_router. destruct (Rlt_dec t x); [lra | reflexivity]. Qed.

(** Each centre leaves half of an interval of thresholds: where it is at most 1/2 those below, else those above. *)
Lemma halves : forall (centres : list (R -> R)) radius, radius < 1 / 2 -> forall low high, 0 <= low < high /\ high <= 1 ->
  exists low' high', low <= low' < high' /\ high' <= high /\ forall t, low' < t < high' ->
    forall centre, In centre centres -> exists x, 0 <= x <= 1 /\ radius < Rabs (hard_router t x - centre x).
Proof.
  intros centres radius small. induction centres as [|centre rest IH]; intros low high inside.
  - exists low, high. repeat split; try lra. intros t _ other [].
  - set (x := (low + high) / 2). assert (low < x < high) by (unfold x; lra).
    destruct (Rle_or_lt (centre x) (1 / 2)) as [under|over].
    + destruct (IH low x) as [low' [high' [within [within' far]]]]; [lra|].
      exists low', high'. repeat split; try lra. intros t here other [<-|others]; [|apply far; assumption].
      exists x. split; [lra|]. rewrite router_above by lra. rewrite Rabs_right; lra.
    + destruct (IH x high) as [low' [high' [within [within' far]]]]; [lra|].
      exists low', high'. repeat split; try lra. intros t here other [<-|others]; [|apply far; assumption].
      exists x. split; [lra|]. rewrite router_below by lra. rewrite Rabs_left; lra.
Qed.

Theorem hard_routers_have_no_finite_cover : Stated.hard_routers_have_no_finite_cover.
Proof.
  intros centres radius small. split.
  - intros s t inside. exists t. split; [lra|]. rewrite router_above, router_below by lra. rewrite Rabs_right; lra.
  - destruct (halves centres radius small 0 1) as [low [high [within [within' far]]]]; [lra|].
    exists ((low + high) / 2). split; [lra|]. apply far. lra.
Qed.
