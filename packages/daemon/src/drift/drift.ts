/** One respect in which an instance differs from what was deployed. */
export interface Drift {
  /** Null for the instance as a whole. */
  component: string | null;
  field: string;
  /** Null where there is, or should be, nothing. */
  declared: unknown;
  actual: unknown;
}

/**
 * Stands for a text that may hold a secret. The daemon cannot tell which do, so environment, arguments and labels are told by
 * their names alone: that a value is another one, never what it is.
 */
export const HIDDEN = '***';
export const HIDDEN_OTHER = '*** (another value)';
