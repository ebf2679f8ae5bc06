// What other resources may use of metrics.
export { removalOfPoints } from './retention.ts';
export { beginOf, COARSE, FINE, FINE_DAYS, MAX_SAMPLES, type Span, steps, windowOf } from './steps.ts';
