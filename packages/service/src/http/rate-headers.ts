import type { RateState } from './rate-limit.ts';

/** The three published headers, which every answer has. */
export const rateHeaders = ({ limit, remaining, reset }: RateState) => ({
  'X-RateLimit-Limit': limit,
  'X-RateLimit-Remaining': remaining,
  'X-RateLimit-Reset': reset,
});
