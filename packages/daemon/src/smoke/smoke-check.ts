export interface SmokeCheck {
  /** Description for people. It may contain secret values, and so may `seen`. */
  asked: string;
  expected: string;
  seen: string;
  passed: boolean;
  tookMs: number;
}

/** Result of one try. */
export interface Sight {
  ok: boolean;
  seen: string;
}
