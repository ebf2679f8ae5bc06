/** A difference between an instance and its deployment. */
export interface Drift {
  /** Null for the instance as a whole. */
  component: string | null;
  field: string;
  /** Null if absent. */
  declared: unknown;
  actual: unknown;
}

/**
 * Replaces a text that may contain a secret. The daemon cannot tell which do, so of environment, arguments and labels
 * only the name is reported, never the value.
 */
export const HIDDEN = '***';
export const HIDDEN_OTHER = '*** (another value)';
