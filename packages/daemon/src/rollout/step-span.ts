import { span } from '@hortus/tracing/span';

/** Gives a step a span. Its attributes name the component only: other parts of a step may contain secrets. */
export const inStepSpan = (step: string, component: string | undefined, work: () => Promise<void>): Promise<void> =>
  span(`step ${step}`, { attributes: { 'hortus.step': step, 'hortus.component': component } }, work);
