// What other resources may use of metrics.
export { removalOfPoints } from './retention.ts';
export { beginOf, COARSE, FINE, MOST_SAMPLES, type Span, steps, windowOf } from './steps.ts';
