import { invalid } from '../../problem.ts';
import type { CatalogTemplate } from './owner-templates.ts';

export function checkProfile(template: CatalogTemplate, profile: string): string {
  if (Object.hasOwn(template.spec.profiles, profile)) return profile;
  throw invalid('profile', `must be one of ${Object.keys(template.spec.profiles).join(', ')}`);
}

export function checkVariant(template: CatalogTemplate, variant: string | null): string | null {
  if (variant === null || template.variants.some(({ id }) => id === variant)) return variant;
  const known = template.variants.map(({ id }) => id).join(', ');
  throw invalid('variant', known === '' ? 'this template has no variants' : `must be one of ${known}`);
}
