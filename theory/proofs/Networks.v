From Coq Require Import Reals Lra Lia.
Require Import Generated Stated Vectors Projections.
Local Open Scope R_scope.

(** What enters moves by b, so what leaves a residual layer moves by (1 + input) b and by the layer's own share. *)
Lemma residual_moves : forall tokens n parameters change radius input own layer p q x y b,
  moves_by tokens n parameters change radius input own layer ->
  tokens_in_ball tokens n radius x -> tokens_in_ball tokens n radius y -> tokens_within tokens n b x y ->
  tokens_within tokens n ((1 + input) * b + own * change p q) (residual (layer p) x) (residual (layer q) y).
Proof.
  intros tokens n parameters change radius input own layer p q x y b [of_input of_parameters] in_x in_y close t here.
  pose proof (close t here) as entering.
  pose proof (of_input p x y b in_x in_y close t here) as through_layer.
  pose proof (of_parameters p q y in_y t here) as own_share.
  rewrite (norm_of_same n _ (plus (minus (x t) (y t)) (plus (minus (layer p x t) (layer p y t)) (minus (layer p y t) (layer q y t)))))
    by (intros i; unfold residual, plus, minus; ring).
  pose proof (triangle_inequality n (minus (x t) (y t)) (plus (minus (layer p x t) (layer p y t)) (minus (layer p y t) (layer q y t)))).
  pose proof (triangle_inequality n (minus (layer p x t) (layer p y t)) (minus (layer p y t) (layer q y t))).
  lra.
Qed.

Lemma norm_of_none : forall n u, norm n (minus u u) = 0.
Proof.
  intros n u. unfold norm, dot, minus. rewrite <- sqrt_0. f_equal. rewrite <- (Rmult_0_r (INR n)), <- sum_constant.
  apply sum_ext. intros. ring.
Qed.

Theorem lipschitz_recursion : Stated.lipschitz_recursion.
Proof.
  intros tokens n parameters change attention experts r rho lambda_A lambda_F A F blocks radius nonneg
    attention_moves experts_move attention_keeps experts_keep x p q inside.
  assert (forall p' b, (b <= blocks)%nat -> tokens_in_ball tokens n (r b) (through parameters attention experts p' b x)) as stays.
  { intros p'. induction b as [|b IH]; intros within_; [assumption|].
    cbn [through]. apply experts_keep, attention_keeps, IH; lia. }
  assert (forall b, (b <= blocks)%nat -> tokens_within tokens n (accumulated lambda_A lambda_F A F b * change p q)
    (through parameters attention experts p b x) (through parameters attention experts q b x)) as apart.
  { induction b as [|b IH]; intros within_; [intros t _; cbn; rewrite norm_of_none; lra|].
    pose proof (residual_moves _ _ _ _ _ _ _ _ p q _ _ _ (attention_moves b ltac:(lia)) (stays p b ltac:(lia))
      (stays q b ltac:(lia)) (IH ltac:(lia))) as after_attention.
    pose proof (residual_moves _ _ _ _ _ _ _ _ p q _ _ _ (experts_move b ltac:(lia))
      (attention_keeps b ltac:(lia) p _ (stays p b ltac:(lia))) (attention_keeps b ltac:(lia) q _ (stays q b ltac:(lia)))
      after_attention) as after_block.
    intros t here. pose proof (after_block t here) as bounded. cbn [through accumulated]. unfold block_factor.
    eapply Rle_trans; [exact bounded|]. right. ring. }
  intros t here. eapply Rle_trans; [apply projection_is_1_lipschitz; assumption|]. apply apart; [lia|assumption].
Qed.
