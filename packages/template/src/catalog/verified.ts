import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';

/** Name of the file beside a template that says when the template was run as a whole. */
export const VERIFIED_FILE = 'verified.json';

const digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });

/**
 * Written by `hortus template verify`. It lies beside the template and not in it, because it must not change the
 * spec_hash that it is about.
 */
export const VerifiedStamp = Type.Object(
  {
    at: Type.String({ format: 'date-time', maxLength: 40 }),
    /** Digest of the image that its primary component ran. */
    digest,
    spec_hash: digest,
    arch: Type.String({ maxLength: 40 }),
    steps: Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 }),
  },
  { additionalProperties: false },
);
export type VerifiedStamp = Static<typeof VerifiedStamp>;

/** Returns the stamp, or undefined if the text is none. */
export function readStamp(text: string): VerifiedStamp | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(VerifiedStamp, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
