import type { Recipe } from '@hortus/contract/resources/recipes';
import type { Tone } from '../../parts/status.tsx';

export const recipeTones: Readonly<Record<Recipe['status'], Tone>> = {
  pending: 'wait',
  approved: 'ok',
  rejected: 'bad',
  withdrawn: 'idle',
};
