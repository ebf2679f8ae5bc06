/** Variable that makes `hortusd run` a candidate: path of the program that tries it. */
export const TRIAL_VARIABLE = 'HORTUSD_TRIAL_OF';

/** Messages from the daemon to its candidate. */
export type ToCandidate = { readonly type: 'begin' };

/** Messages from the candidate: the step that it begins, and the end of its proof. */
export type FromCandidate =
  | { readonly type: 'step'; readonly name: string }
  | { readonly type: 'proved' }
  | { readonly type: 'failed'; readonly message: string };
