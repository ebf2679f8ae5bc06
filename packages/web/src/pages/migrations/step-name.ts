import { migrationSteps } from '@hortus/contract/actions/steps';

export const stepName = (step: string): string =>
  Object.hasOwn(migrationSteps, step) ? migrationSteps[step as keyof typeof migrationSteps].name : step;
