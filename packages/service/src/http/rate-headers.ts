import type { RateState } from './rate-limit.ts';

/** The three published headers of every answer. */
export const rateHeaders = ({ limit, remaining, reset }: RateState) => ({
  'X-RateLimit-Limit': limit,
  'X-RateLimit-Remaining': remaining,
  'X-RateLimit-Reset': reset,
});
